// The `.info` and the log of one attempt at a job, written while it goes on. Only its end is flushed.

import * as path from 'node:path';
import type { Files } from '../world/types/files.ts';
import type { ProcessMark } from '../world/types/locks.ts';
import { filesFolder, logFile } from './context.ts';
import { backtraceOf } from './failed.ts';
import { type InfoRead, printInfo, renewInfo } from './info.ts';
import type { JobError, JobInfo, JobProgress, PlannedJob } from './types.ts';

/** Between two writes that say how far a job is, in milliseconds. */
const PROGRESS_INTERVAL = 500;
const MOST_MESSAGES = 100;

export interface RecordPorts {
  readonly files: Files;
  readonly clock: { now(): Date; monotonic(): number };
  readonly mark: ProcessMark;
  /** When the job was asked for. */
  readonly issued: Date;
}

/** What is written down about one attempt. */
export interface Attempt {
  /** Seconds so far. */
  seconds(): number;
  streaming(): Promise<void>;
  progress(progress: JobProgress): void;
  log(text: string): void;
  done(): Promise<void>;
  failed(error: unknown, told: JobError, status: 'error' | 'aborted'): Promise<void>;
}

/** Writes that the job runs. Rejects when the store cannot be written to. */
export async function beginAttempt(
  job: PlannedJob,
  before: InfoRead | undefined,
  { files, clock, mark, issued }: RecordPorts,
): Promise<Attempt> {
  const place = `${job.path}.info`;
  const start = clock.now();
  const began = clock.monotonic();
  const messages: string[] = [];
  const fixed = fixedFields(job, { issued, start, mark });
  let fields: JobInfo = { ...fixed, status: 'running' };
  let queue: Promise<unknown> = Promise.resolve();
  let told = Number.NEGATIVE_INFINITY;

  // A folder of jobs may have come from somebody else: a link in it is no reason to write over what it leads to.
  const write = (flush: boolean) =>
    files.write(place, printInfo(renewInfo(before?.info ?? {}, fields)), {
      flush,
      replacesLink: true,
    });
  // What is told on the way may be lost, the end is what counts.
  const later = (work: () => Promise<unknown>) => {
    queue = queue.then(work).catch(() => {});
  };
  const seconds = () => Math.round(clock.monotonic() - began) / 1000;
  const end = async (rest: JobInfo) => {
    const now = clock.now();
    await queue;
    fields = {
      ...fixed,
      ...(messages.length === 0 ? {} : { messages }),
      end: now.toISOString(),
      time_elapsed: seconds(),
      total_time_elapsed: Math.max(seconds(), (now.getTime() - issued.getTime()) / 1000),
      ...rest,
    };
    await write(true);
  };

  await keepBroken(job, before, files);
  await write(false);
  const log = (text: string) => {
    const file = logFile(job.path);
    later(async () => {
      await files.makeFolder(filesFolder(job.path));
      await files.append(file, text.endsWith('\n') ? text : `${text}\n`, { flush: false });
    });
  };
  if (before !== undefined && (await files.stat(logFile(job.path))) !== undefined)
    log(`--- computed again at ${start.toISOString()}`);
  return {
    seconds,
    log,
    streaming: async () => {
      fields = { ...fields, status: 'streaming' };
      await write(false);
    },
    progress(progress) {
      const { message } = progress;
      if (message !== undefined && message !== messages.at(-1)) messages.push(message);
      if (messages.length > MOST_MESSAGES) messages.shift();
      fields = { ...fields, progress, ...(messages.length === 0 ? {} : { messages }) };
      if (clock.monotonic() - told < PROGRESS_INTERVAL) return;
      told = clock.monotonic();
      later(() => write(false));
    },
    done: () => end({ status: 'done' }),
    async failed(error, jobError, status) {
      const backtrace = backtraceOf(error);
      if (status === 'error') log((backtrace ?? [jobError.message]).join('\n'));
      await end({
        status,
        exception: { class: jobError.class, message: jobError.message },
        ...(jobError.recoverable ? { recoverable: true } : {}),
        ...(backtrace === undefined ? {} : { backtrace }),
      });
    },
  };
}

interface Circumstances {
  readonly issued: Date;
  readonly start: Date;
  readonly mark: ProcessMark;
}

function fixedFields(job: PlannedJob, { issued, start, mark }: Circumstances): JobInfo {
  const { task, inputs, changed, dependencies } = job;
  const names = task.inputs.map(({ name }) => name);
  return {
    workflow: task.workflow,
    task_name: task.name,
    type: task.result,
    inputs: names.map((name) => inputs[name] ?? null),
    input_names: names,
    provided_inputs: Object.fromEntries(changed.map((name) => [name, inputs[name]])),
    non_default_inputs: changed,
    dependencies: dependencies.filter(({ job: { task } }) => !task.exec).map(({ job }) => job.path),
    issued: issued.toISOString(),
    start: start.toISOString(),
    pid: mark.pid,
    pid_hostname: mark.host,
    ...(mark.started === undefined ? {} : { pid_started: mark.started }),
  };
}

/** An `.info` that could not be read may hold what somebody wrote by hand: it is kept among the artifacts. */
async function keepBroken(
  job: PlannedJob,
  before: InfoRead | undefined,
  files: Files,
): Promise<void> {
  if (before?.problem === undefined || (before.bytes?.length ?? 0) === 0) return;
  const place = path.join(filesFolder(job.path), 'info.broken');
  await files.write(place, before.bytes ?? '', { flush: false });
}
