// Who this process is, in a way that another process can check later, also after its number was given to somebody else.

import { createHash } from 'node:crypto';
import * as fs from 'node:fs';
import * as os from 'node:os';
import { errorCode } from '../errors.ts';
import type { ProcessMark } from './types/locks.ts';

export interface Owner {
  readonly pid: number;
  /** When the process started, in the system's own ticks. */
  readonly started: string;
  readonly host: string;
  /** Boot and process-number space: numbers mean the same only within both. */
  readonly space: string;
}

let self: Owner | undefined;

export function thisProcess(): Owner {
  self ??= {
    pid: process.pid,
    started: startOf(process.pid) ?? '',
    host: os.hostname(),
    space: spaceOfNumbers(),
  };
  return self;
}

/** Whether that process still runs; undefined when it ran where this one cannot look. */
export function isAlive(owner: Owner): boolean | undefined {
  const here = thisProcess();
  if (owner.host !== here.host) return undefined;
  // Another container, this machine before a restart, or another machine that was given the same name: cannot be asked.
  if (owner.space !== here.space) return undefined;
  // In a container this program may well be number 1.
  if (!Number.isInteger(owner.pid) || owner.pid < 1) return false;
  const started = startOf(owner.pid);
  if (started !== undefined && owner.started !== '') return started === owner.started;
  try {
    process.kill(owner.pid, 0);
    return true;
  } catch (error) {
    return errorCode(error) === 'EPERM';
  }
}

/** This process as a part of a file name. */
export function tagOfThisProcess(): string {
  const { pid, started } = thisProcess();
  return `${pid}-${started}-${placeTag()}`;
}

/** Whether a process that ran here left that tag, and has ended. */
export function isTagOfDead(tag: string): boolean {
  const [pid, started = '', place] = tag.split('-');
  return place === placeTag() && isAlive({ ...thisProcess(), pid: Number(pid), started }) === false;
}

let place: string | undefined;

function placeTag(): string {
  const { host, space } = thisProcess();
  place ??= createHash('sha256').update(`${host} ${space}`).digest('hex').slice(0, 8);
  return place;
}

/** The same for a process of which less was written down. */
export function isAliveMark({ pid, host, started = '' }: ProcessMark): boolean | undefined {
  return isAlive({ pid, host, started, space: thisProcess().space });
}

/** Start time of a process on Linux (field 22, counted behind the name, which may hold anything); undefined where it cannot be read. A zombie has ended. */
function startOf(pid: number): string | undefined {
  const stat = readSmall(`/proc/${pid}/stat`);
  if (stat === undefined) return undefined;
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return fields[0] === 'Z' || fields[0] === 'X' ? 'ended' : fields[19];
}

function spaceOfNumbers(): string {
  const boot = readSmall('/proc/sys/kernel/random/boot_id')?.trim() ?? '';
  try {
    return `${boot} ${fs.readlinkSync('/proc/self/ns/pid')}`;
  } catch {
    return boot;
  }
}

function readSmall(file: string): string | undefined {
  try {
    return fs.readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
}
