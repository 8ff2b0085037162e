// What a lock file holds: who has the lock, and what it is about to write.

import * as fs from 'node:fs';
import { errorCode } from '../errors.ts';
import { fileFailure } from './file-failure.ts';
import { freshName } from './fresh-name.ts';
import { type Owner, tagOfThisProcess } from './owner.ts';
import { readRegular } from './read-file.ts';

export interface Claim extends Owner {
  /** Never used twice. */
  readonly token: string;
  readonly append?: { readonly offset: number; readonly text: string };
}

/** Undefined when there is none. One that is not ours, or cannot be read (a crashed disk), belongs to nobody who can be asked. */
export function readClaim(lockFile: string): Claim | undefined {
  let text: string;
  try {
    text = new TextDecoder().decode(readRegular(lockFile));
  } catch (error) {
    return NO_CLAIM.has(errorCode(error)) ? UNREADABLE : undefined;
  }
  try {
    const value: unknown = JSON.parse(text);
    return isClaim(value) ? value : UNREADABLE;
  } catch {
    return UNREADABLE;
  }
}

/** What says that something is there that can never be a claim: a pipe, a device, a folder, terabytes. */
const NO_CLAIM: ReadonlySet<string> = new Set(['not-a-file', 'EISDIR', 'ERR_FS_FILE_TOO_LARGE']);

const UNREADABLE: Claim = { pid: 0, started: '', host: '', space: '', token: 'unreadable' };

const TEXTS = ['started', 'host', 'space', 'token'] as const;
/** It becomes a part of file names, and the file may have come with a folder that somebody else made. */
const TOKEN = /^[\w-]{1,64}$/;

function isClaim(value: unknown): value is Claim {
  if (typeof value !== 'object' || value === null) return false;
  const fields = value as Readonly<Record<string, unknown>>;
  if (typeof fields.pid !== 'number' || TEXTS.some((name) => typeof fields[name] !== 'string'))
    return false;
  return (
    TOKEN.test(String(fields.token)) && (fields.append === undefined || isAppend(fields.append))
  );
}

function isAppend(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  const { offset, text } = value as Readonly<Record<string, unknown>>;
  return Number.isSafeInteger(offset) && Number(offset) >= 0 && typeof text === 'string';
}

/** Who holds a lock, for people. */
export const nameOf = ({ pid, host }: Claim): string =>
  host === '' ? 'something that does not say what it is' : `process ${pid} on ${host}`;

/** Writes a claim into a new file beside the lock file, named after this process. Returns its path. */
export function writeBeside(lockFile: string, content: Claim): string {
  const beside = `${lockFile}.${tagOfThisProcess()}.${freshName()}.tmp`;
  try {
    fs.writeFileSync(beside, JSON.stringify(content), { flag: 'wx' });
  } catch (error) {
    fs.rmSync(beside, { force: true });
    throw fileFailure(lockFile, 'create', error);
  }
  return beside;
}

/** Puts the claim in place if the place is free. The content is there from the first moment, since a finished file is linked. */
export function placeClaim(lockFile: string, mine: Claim): boolean {
  const beside = writeBeside(lockFile, mine);
  try {
    fs.linkSync(beside, lockFile);
    return true;
  } catch (error) {
    const code = errorCode(error);
    if (code === 'EEXIST') return false;
    if (code !== undefined && WITHOUT_LINKS.has(code)) return placeUnlinked(lockFile, mine);
    throw fileFailure(lockFile, 'create', error);
  } finally {
    remove(beside);
  }
}

/** What file systems without hard links say (FAT, exFAT, some that are reached over a network). */
const WITHOUT_LINKS: ReadonlySet<string> = new Set(['EPERM', 'ENOSYS', 'EOPNOTSUPP', 'ENOTSUP']);

/** The same where nothing can be linked. A claim that is still empty is of somebody who cannot be asked: it is waited for. */
function placeUnlinked(lockFile: string, mine: Claim): boolean {
  let descriptor: number;
  try {
    descriptor = fs.openSync(lockFile, 'wx');
  } catch (error) {
    if (errorCode(error) === 'EEXIST') return false;
    throw fileFailure(lockFile, 'create', error);
  }
  try {
    fs.writeSync(descriptor, JSON.stringify(mine));
    return true;
  } catch (error) {
    remove(lockFile);
    throw fileFailure(lockFile, 'create', error);
  } finally {
    fs.closeSync(descriptor);
  }
}

/** One system call, where the library's own removal makes several: a lock is taken for every job. */
export function remove(file: string): void {
  try {
    fs.unlinkSync(file);
  } catch (error) {
    if (errorCode(error) !== 'ENOENT') throw fileFailure(file, 'remove', error);
  }
}
