// A lock file beside the file it protects, held by one process on any host, taken over when that process is dead.
// It also carries the text its holder is about to append, so that the next holder can finish a write that a kill cut short.

import { createHash } from 'node:crypto';
import * as fs from 'node:fs';
import * as os from 'node:os';
import * as path from 'node:path';
import { type Claim, nameOf, placeClaim, readClaim, remove, writeBeside } from './claim.ts';
import { attempt, fileFailure } from './file-failure.ts';
import { appendText } from './files.ts';
import { freshName } from './fresh-name.ts';
import { beat, isShared } from './heartbeat.ts';
import { makeFolder } from './make-folder.ts';
import { isAlive, isAliveMark, isTagOfDead, thisProcess } from './owner.ts';
import type { Lock, Locks } from './types/locks.ts';

/** A lock whose host cannot be asked is dead when nothing touched it for this long, in milliseconds. */
export const HEARTBEAT_LIMIT = 60_000;
const POLL = { least: 5, most: 100 } as const;

export function createLocks(): Locks {
  return {
    async hold(file, options = {}) {
      const target = fs.existsSync(file) ? fs.realpathSync(file) : path.resolve(file);
      const lockFile = lockPlace(target);
      const mine: Claim = { ...thisProcess(), token: freshName() };
      const abandoned = await acquire(lockFile, mine, options);
      // Folders of jobs may be too large to be looked through for every lock.
      if (abandoned !== undefined || options.steady !== true) sweep(lockFile);
      if (abandoned?.append !== undefined) finishAppend(target, abandoned.append);
      const lock = held(target, lockFile, mine, options.steady === true);
      return { ...lock, takenOver: abandoned !== undefined };
    },
    async holder(file) {
      const target = fs.existsSync(file) ? fs.realpathSync(file) : path.resolve(file);
      const lockFile = [`${target}.lock`, elsewhere(target)].find((place) => fs.existsSync(place));
      const claim = lockFile === undefined ? undefined : readClaim(lockFile);
      if (lockFile === undefined || claim === undefined) return undefined;
      return isHeld(lockFile, claim) ? nameOf(claim) : undefined;
    },
    async self() {
      const { pid, host, started } = thisProcess();
      return { pid, host, started };
    },
    isAlive: async (mark) => isAliveMark(mark),
  };
}

/** Beside the file; where its folder takes no new files, in this user's temporary folder. */
function lockPlace(target: string): string {
  try {
    fs.accessSync(path.dirname(target), fs.constants.W_OK);
    return `${target}.lock`;
  } catch {
    const place = elsewhere(target);
    attempt(`${target}.lock`, 'create', () => makeOwnFolder(path.dirname(place)));
    return place;
  }
}

/** A folder that no other user can put a lock into: its name can be foreseen, and what a lock says is appended. */
function makeOwnFolder(folder: string): void {
  makeFolder(folder, 0o700);
  const { uid, mode } = fs.lstatSync(folder);
  if (process.getuid !== undefined && (uid !== process.getuid() || (mode & 0o22) !== 0))
    throw new Error(`others can write to ${folder}`);
}

/** A name made from the path. */
function elsewhere(target: string): string {
  const digest = createHash('sha256').update(target).digest('hex').slice(0, 32);
  // A number, since not every account has a name: containers run with numbers that nothing knows.
  const account = process.getuid?.() ?? os.userInfo().username;
  return path.join(os.tmpdir(), `scout-locks-${account}`, `${digest}.lock`);
}

/** Removes what killed processes left beside the lock: half-made claims and rights to take over. */
function sweep(lockFile: string): void {
  const folder = path.dirname(lockFile);
  for (const name of fs.readdirSync(folder)) {
    if (!name.startsWith(`${path.basename(lockFile)}.`)) continue;
    const left = path.join(folder, name);
    // A claim that was cut short says nothing inside, but its name does.
    const [, tag] = /\.([\w-]+)\.[0-9a-f]+\.tmp$/.exec(name) ?? [];
    const owner = tag === undefined ? readClaim(left) : undefined;
    const dead = tag === undefined ? owner && isAlive(owner) === false : isTagOfDead(tag);
    if (dead === true) fs.rmSync(left, { force: true });
  }
}

async function acquire(
  lockFile: string,
  mine: Claim,
  options: NonNullable<Parameters<Locks['hold']>[1]>,
): Promise<Claim | undefined> {
  let told = false;
  for (let wait: number = POLL.least; ; wait = Math.min(wait * 1.5, POLL.most)) {
    options.signal?.throwIfAborted();
    // Looking is cheaper than trying, and many may wait for one. The first try is made without a look.
    const seen = told ? readClaim(lockFile) : undefined;
    if (seen === undefined && placeClaim(lockFile, mine)) return undefined;
    const holder = seen ?? readClaim(lockFile);
    if (holder !== undefined && !isHeld(lockFile, holder)) {
      const before = takeOver(lockFile, holder, mine);
      if (before !== undefined) return before;
      continue;
    }
    if (!told && holder !== undefined) {
      told = true;
      options.onWait?.(nameOf(holder));
    }
    await new Promise((resolve) => setTimeout(resolve, wait * (0.5 + Math.random())));
  }
}

/**
 * Replaces a dead holder's claim by ours and returns it; undefined when somebody else was quicker. Only the one who holds the
 * lock named after the dead claim's token may replace it, so two takers can never both succeed, and a live lock that came
 * in between is never touched. That inner lock is taken over by the same rule when its holder died too.
 */
function takeOver(lockFile: string, dead: Claim, mine: Claim): Claim | undefined {
  const right = `${lockFile}.${dead.token}`;
  const taker: Claim = { ...mine, token: freshName() };
  if (!placeClaim(right, taker)) {
    const other = readClaim(right);
    if (other === undefined || isHeld(right, other)) return undefined;
    if (takeOver(right, other, taker) === undefined) return undefined;
  }
  try {
    const found = readClaim(lockFile);
    if (found?.token !== dead.token) return undefined;
    const beside = writeBeside(lockFile, mine);
    try {
      fs.renameSync(beside, lockFile);
    } catch (error) {
      remove(beside);
      throw fileFailure(lockFile, 'create', error);
    }
    return found;
  } finally {
    fs.rmSync(right, { force: true });
  }
}

function held(
  target: string,
  lockFile: string,
  mine: Claim,
  steady: boolean,
): Omit<Lock, 'takenOver'> {
  const stopBeating = beat(lockFile, steady && isShared(path.dirname(lockFile)));
  return {
    async append(text) {
      const offset = fs.statSync(target, { throwIfNoEntry: false })?.size ?? 0;
      const noted = replaceClaim(lockFile, { ...mine, append: { offset, text } });
      try {
        appendText(target, text);
      } catch (error) {
        throw fileFailure(target, 'append to', error);
      } finally {
        if (noted) replaceClaim(lockFile, mine);
      }
    },
    async release() {
      stopBeating();
      // Taken over in the meantime (this host slept for longer than the heartbeat limit): not ours to remove.
      if (readClaim(lockFile)?.token === mine.token) remove(lockFile);
    },
  };
}

/** Whether it could be written: on a full disk the note is left out, and the write itself says what is wrong. */
function replaceClaim(lockFile: string, content: Claim): boolean {
  try {
    fs.renameSync(writeBeside(lockFile, content), lockFile);
    return true;
  } catch {
    return false;
  }
}

/** Completes a write of which only the first part reached the file. Anything else that stands there is left alone. */
function finishAppend(
  target: string,
  intent: { readonly offset: number; readonly text: string },
): void {
  const bytes = Buffer.from(intent.text);
  const content = fs.existsSync(target) ? fs.readFileSync(target) : Buffer.alloc(0);
  const arrived = content.subarray(intent.offset);
  if (content.length <= intent.offset || arrived.length >= bytes.length) return;
  if (!bytes.subarray(0, arrived.length).equals(arrived)) return;
  fs.appendFileSync(target, bytes.subarray(arrived.length), { flush: true });
}

function isHeld(lockFile: string, holder: Claim): boolean {
  const alive = isAlive(holder);
  if (alive !== undefined) return alive;
  const touched = fs.statSync(lockFile, { throwIfNoEntry: false })?.mtimeMs;
  if (touched === undefined) return true;
  const age = Date.now() - touched;
  if (age >= 0 && age < HEARTBEAT_LIMIT) return true;
  // The clock of this machine may be wrong: what counts is the file system's own. By that, no heart beats in the future.
  return Math.abs(timeBeside(lockFile, holder) - touched) < HEARTBEAT_LIMIT;
}

/** What time it is where the lock lies; our own time where nothing can be written. */
function timeBeside(lockFile: string, content: Claim): number {
  try {
    const beside = writeBeside(lockFile, content);
    try {
      return fs.statSync(beside).mtimeMs;
    } finally {
      remove(beside);
    }
  } catch {
    return Date.now();
  }
}
