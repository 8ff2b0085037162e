// Computes one job while holding its lock, unless its answer is there by then. What it leaves is a whole result or none.

import * as path from 'node:path';
import type { JobContext, Task } from '../workflows/types.ts';
import type { ProcessMark } from '../world/types/locks.ts';
import { failed, lookUp, refused } from './answer.ts';
import { neededByItself, withinJob } from './chain.ts';
import { createContext, filesFolder, passedFile } from './context.ts';
import { toJobError } from './failed.ts';
import { removeHalfWritten } from './leftovers.ts';
import { collect, isPieces, readPieces } from './pieces.ts';
import { type Attempt, beginAttempt } from './record.ts';
import type { JobEvent, JobHost, Outcome, PlannedJob, StoreWorld } from './types.ts';
import { decode, encode, isChecked } from './value.ts';

/** How long a task may take to end after it was told to, in milliseconds: longer than the processes it started are given. */
const ABORT_GRACE = 8000;

export interface ComputeContext {
  readonly world: StoreWorld;
  readonly mark: ProcessMark;
  readonly signal: AbortSignal;
  readonly issued: Date;
  readonly emit: (event: JobEvent) => void;
  readonly host: JobHost;
  /** Folders that are known to be there. */
  readonly folders: Set<string>;
  /** Results that are not stored, by the name that the job has for them. */
  readonly values: ReadonlyMap<string, unknown>;
  /** Another process computes the job. */
  readonly onWait: (holder: string) => void;
  /** Resolves when the job may be computed. */
  readonly onTurn: () => Promise<void>;
}

/** Rejects only with the signal's reason; the job is then marked as aborted if it had begun. */
export async function compute(job: PlannedJob, context: ComputeContext): Promise<Outcome> {
  const { world, signal } = context;
  const circle = neededByItself(job);
  if (circle !== undefined) return circle;
  let waitedSince: Date | undefined;
  try {
    await makeFolderOnce(path.dirname(job.path), context);
    const lock = await world.locks.hold(job.path, {
      signal,
      steady: true,
      onWait(holder) {
        waitedSince = world.clock.now();
        context.onWait(holder);
      },
    });
    try {
      const { outcome, read } = await lookUp(job, world.files, waitedSince);
      if (outcome !== undefined) {
        if (waitedSince !== undefined) tellEnd(outcome, context);
        return outcome;
      }
      await context.onTurn();
      const status = read?.info.status;
      if (lock.takenOver || status === 'running' || status === 'streaming')
        await removeHalfWritten(job.path, world.files);
      const { files, clock } = world;
      const { mark, issued } = context;
      const attempt = await beginAttempt(job, read, { files, clock, mark, issued });
      return await carryOut(job, attempt, context);
    } finally {
      await lock.release().catch(() => {});
    }
  } catch (error) {
    if (signal.aborted) throw signal.reason;
    return refused(job, error, toJobError);
  }
}

/** The wait is over: another process brought the job to its end. */
function tellEnd(outcome: Outcome, { emit }: ComputeContext): void {
  const { job } = outcome;
  if (outcome.kind === 'done') emit({ kind: 'end', job, status: 'done' });
  else emit({ kind: 'end', job, status: 'error', error: outcome.error });
}

async function makeFolderOnce(folder: string, { world, folders }: ComputeContext): Promise<void> {
  if (folders.has(folder)) return;
  await world.files.makeFolder(folder);
  folders.add(folder);
}

async function carryOut(
  job: PlannedJob,
  attempt: Attempt,
  context: ComputeContext,
): Promise<Outcome> {
  const { world, signal, emit } = context;
  emit({ kind: 'start', job });
  try {
    await passValues(job, context);
    const running = context.host(
      job,
      createContext(job, {
        files: world.files,
        signal,
        values: context.values,
        onProgress(progress) {
          attempt.progress(progress);
          emit({ kind: 'progress', job, progress });
        },
        onLog(text) {
          attempt.log(text);
          emit({ kind: 'log', job, text });
        },
      }),
    );
    const value = await runTask(job, running, context);
    await keep(job, value, attempt, context);
  } catch (error) {
    return fail(job, error, attempt, context);
  }
  const seconds = attempt.seconds();
  // The result is in its place: whatever happens to its `.info` now, the job is done.
  await attempt.done().catch(() => {});
  emit({ kind: 'end', job, status: 'done', seconds });
  return { kind: 'done', job, computed: true };
}

async function fail(
  job: PlannedJob,
  error: unknown,
  attempt: Attempt,
  { signal, emit }: ComputeContext,
): Promise<Outcome> {
  const seconds = attempt.seconds();
  const status = signal.aborted ? 'aborted' : 'error';
  const told = signal.aborted ? { ...toJobError(error), recoverable: true } : toJobError(error);
  // A full disk that takes no result takes no `.info` either: then the job counts as killed, which is as true.
  await attempt.failed(error, told, status).catch(() => {});
  emit({ kind: 'end', job, status, seconds, error: told });
  if (signal.aborted) throw signal.reason;
  return failed(job, told, error);
}

/** What the task returns. When the signal aborts, the task is given some time to end; its value does not count then. */
async function runTask(
  job: PlannedJob,
  running: JobContext,
  { world, signal }: ComputeContext,
): Promise<unknown> {
  signal.throwIfAborted();
  let patience: AbortController | undefined;
  let giveUp = () => {};
  const tooLong = new Promise<never>((_resolve, reject) => {
    giveUp = () => reject(signal.reason);
  });
  const stop = () => {
    patience = new AbortController();
    world.clock.sleep(ABORT_GRACE, patience.signal).then(giveUp, () => {});
  };
  signal.addEventListener('abort', stop, { once: true });
  try {
    const value = await Promise.race([
      withinJob(job, () => start(job.task, job, running)),
      tooLong,
    ]);
    signal.throwIfAborted();
    return value;
  } finally {
    signal.removeEventListener('abort', stop);
    patience?.abort();
  }
}

/** Also a task that throws before it returns anything rejects. */
async function start(task: Task, { inputs }: PlannedJob, running: JobContext): Promise<unknown> {
  return task.run(inputs, running);
}

/** Puts the result in its place, whole. */
async function keep(
  job: PlannedJob,
  value: unknown,
  attempt: Attempt,
  { world, signal }: ComputeContext,
): Promise<void> {
  const { result } = job.task;
  if (!isPieces(value)) return world.files.write(job.path, encode(value, result));
  await attempt.streaming();
  const pieces = readPieces(value, signal);
  if (isChecked(result)) return world.files.write(job.path, encode(await collect(pieces), result));
  return world.files.writePieces(job.path, pieces);
}

/** Computes a job that is not stored. Its artifacts have a folder of their own for so long, since others may compute the same. */
export async function computeInPlace(job: PlannedJob, context: ComputeContext): Promise<Outcome> {
  const { world, signal, emit } = context;
  const { result } = job.task;
  const began = world.clock.monotonic();
  const seconds = () => Math.round(world.clock.monotonic() - began) / 1000;
  const name = `.${job.name}.${world.clock.id()}`;
  const aside = { ...job, name, path: path.join(path.dirname(job.path), name) };
  emit({ kind: 'start', job });
  try {
    const running = context.host(
      aside,
      createContext(aside, {
        files: world.files,
        signal,
        values: context.values,
        onProgress: (progress) => emit({ kind: 'progress', job, progress }),
        onLog: (text) => emit({ kind: 'log', job, text }),
      }),
    );
    await passValues(aside, context);
    const given = await runTask(aside, running, context);
    const whole = isPieces(given) ? await collect(readPieces(given, signal)) : given;
    const stored = encode(whole, result);
    const value = await decode(typeof stored === 'string' ? Buffer.from(stored) : stored, result);
    emit({ kind: 'end', job, status: 'done', seconds: seconds() });
    return { kind: 'done', job, computed: true, value };
  } catch (error) {
    const status = signal.aborted ? 'aborted' : 'error';
    const told = toJobError(error);
    emit({ kind: 'end', job, status, seconds: seconds(), error: told });
    if (signal.aborted) throw signal.reason;
    return failed(job, told, error);
  } finally {
    await world.files.removeFolder(filesFolder(aside.path));
  }
}

/** Results that are not in the store, as files that the job's commands can read. */
async function passValues(job: PlannedJob, { world, values }: ComputeContext): Promise<void> {
  for (const { name, job: other } of job.dependencies) {
    if (!values.has(name)) continue;
    const stored = encode(values.get(name), other.task.result);
    await world.files.write(passedFile(job.path, name), stored, { flush: false });
  }
}
