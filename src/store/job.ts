// Reads a stored job: its result, its `.info`, and who holds it. Never runs anything, writes nothing, and never fails because an
// `.info` is broken.

import * as path from 'node:path';
import { Failure, shellWord, usageFailure, workFailure } from '../errors.ts';
import type { Files } from '../world/types/files.ts';
import type { Locks } from '../world/types/locks.ts';
import { readJobError } from './failed.ts';
import { type InfoRead, readInfo } from './info.ts';
import type { Job, JobError, JobInfo, JobStatus } from './types.ts';
import { decode } from './value.ts';

export interface JobPorts {
  readonly files: Pick<Files, 'stat' | 'read'>;
  readonly locks: Pick<Locks, 'holder' | 'isAlive'>;
}

/** The job whose result is (or would be) at this absolute path. The status is what is true now, whatever was written down. */
export async function readJob(place: string, ports: JobPorts): Promise<Job> {
  const done = (await ports.files.stat(place)) !== undefined;
  const read = await readInfo(`${place}.info`, ports.files);
  const holder = done ? undefined : await ports.locks.holder(place);
  return describe(place, read, done, holder, await isAtWork(read?.info ?? {}, ports.locks));
}

function describe(
  place: string,
  read: InfoRead | undefined,
  done: boolean,
  holder: string | undefined,
  alive: boolean,
): Job {
  const info = read?.info ?? {};
  const state = judge(info, { done, alive: alive || holder !== undefined });
  const [workflow, task] = place.split(path.sep).slice(-3);
  return {
    path: place,
    workflow: textOr(info.workflow, workflow),
    task: textOr(info.task_name, task),
    name: path.basename(place),
    status: state.status,
    type: typeof info.type === 'string' ? info.type : typeByName(place),
    info,
    done,
    ...(state.error === undefined ? {} : { error: state.error }),
    ...(holder === undefined ? {} : { holder }),
    ...(read?.problem === undefined ? {} : { problem: read.problem }),
  };
}

const textOr = (value: unknown, other: string | undefined): string =>
  typeof value === 'string' && value !== '' ? value : (other ?? '');

interface State {
  readonly status: JobStatus;
  readonly error?: JobError;
}

/**
 * What is true of a job: it is done when its result is there and only then; it runs when a live process has it; else it ended, as
 * its `.info` says, or without a word, when its process was killed.
 */
export function judge(
  info: JobInfo,
  { done, alive }: { readonly done: boolean; readonly alive: boolean },
): State {
  if (done) return { status: 'done' };
  const written = STATUSES.get(info.status) ?? (alive ? 'running' : 'waiting');
  if (alive) return { status: GOING.has(written) ? written : 'running' };
  if (written === 'error') return { status: 'error', error: readJobError(info) ?? UNKNOWN };
  if (written === 'aborted')
    return { status: 'aborted', error: { ...(readJobError(info) ?? ABORTED), recoverable: true } };
  if (written === 'done') return { status: 'error', error: GONE };
  if (written !== 'waiting') return { status: 'aborted', error: killed(info) };
  return { status: 'waiting' };
}

const GOING: ReadonlySet<JobStatus> = new Set(['setup', 'running', 'streaming']);

/** Words of this program and of scout-ai. */
const STATUSES: ReadonlyMap<unknown, JobStatus> = new Map<unknown, JobStatus>([
  ['waiting', 'waiting'],
  ['queue', 'waiting'],
  ['cleaned', 'waiting'],
  ['noinfo', 'waiting'],
  ['setup', 'setup'],
  ['dependencies', 'setup'],
  ['start', 'running'],
  ['started', 'running'],
  ['running', 'running'],
  ['streaming', 'streaming'],
  ['done', 'done'],
  ['error', 'error'],
  ['aborted', 'aborted'],
]);

const UNKNOWN: JobError = { class: 'Error', message: 'it says nothing more', recoverable: false };
const ABORTED: JobError = { class: 'Aborted', message: 'it was stopped', recoverable: true };
const GONE: JobError = {
  class: 'MissingResult',
  message: 'it was done, but its result is gone',
  recoverable: true,
};

function killed({ pid, pid_hostname: host }: JobInfo): JobError {
  const who = pid === undefined ? 'its process' : `its process (${pid} on ${host ?? 'this host'})`;
  return { class: 'Killed', message: `${who} ended without a word`, recoverable: true };
}

/** Jobs of scout-ai hold no lock of ours: their process itself is asked about, where it says which it is. */
async function isAtWork(info: JobInfo, locks: Pick<Locks, 'isAlive'>): Promise<boolean> {
  const { pid, pid_hostname: host, pid_started: started, status } = info;
  // Jobs of this program write when their process started, and are alive only as long as they hold their lock.
  if (typeof pid !== 'number' || typeof host !== 'string' || started !== undefined) return false;
  if (!GOING.has(STATUSES.get(status) ?? 'waiting')) return false;
  return (await locks.isAlive({ pid, host })) ?? true;
}

const TYPES: Readonly<Record<string, string>> = {
  '.json': 'json',
  '.chat': 'chat',
  '.tsv': 'tsv',
  '.yaml': 'yaml',
};

const typeByName = (place: string): string | undefined => TYPES[path.extname(place)];

/** The value of a job's result, read by its type. Rejects with a Failure when it is not there or does not fit. */
export async function loadResult(
  { path: place, type }: Pick<Job, 'path' | 'type'>,
  files: Pick<Files, 'read'>,
): Promise<unknown> {
  const bytes = await files.read(place);
  try {
    return await decode(bytes, type);
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    const message = `${error.message}, in ${place}`;
    const { code, next = '', cause } = error;
    // Computing it again would not make it smaller.
    if (code === 'file-too-large') throw usageFailure(code, message, { next, cause });
    throw workFailure(code, message, {
      cause: error,
      next: `chat task clean ${shellWord(place)} makes room for computing it again`,
    });
  }
}
