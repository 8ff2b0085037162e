// What the store already knows about a job that is asked for, and failures as outcomes.

import { Failure, shellWord, workFailure } from '../errors.ts';
import type { Files } from '../world/types/files.ts';
import { saidBy } from './failed.ts';
import { type InfoRead, readInfo } from './info.ts';
import { judge } from './job.ts';
import type { JobError, Outcome, PlannedJob } from './types.ts';

export interface Known {
  /** Undefined when the job has to be computed. */
  readonly outcome: Outcome | undefined;
  /** What stood in its `.info`. */
  readonly read: InfoRead | undefined;
}

/**
 * The result, or the error that stays the job's answer until it is cleaned. An error that may pass is an answer too when it came
 * while this request waited: it is the end of the attempt that was waited for.
 */
export async function lookUp(
  job: PlannedJob,
  files: Pick<Files, 'stat' | 'read'>,
  waitedSince?: Date,
): Promise<Known> {
  if ((await files.stat(job.path)) !== undefined)
    return { outcome: { kind: 'done', job, computed: false }, read: undefined };
  const read = await readInfo(`${job.path}.info`, files);
  if (read === undefined) return { outcome: undefined, read };
  const { status, error } = judge(read.info, { done: false, alive: false });
  const fresh =
    waitedSince !== undefined && Date.parse(read.info.end ?? '') >= waitedSince.getTime();
  const isAnswer = status === 'error' && error !== undefined && (fresh || !error.recoverable);
  return { outcome: isAnswer ? failed(job, error) : undefined, read };
}

const fullName = ({ task }: PlannedJob): string => `${task.workflow}/${task.name}`;

/** The outcome of a job whose task failed, now or earlier. */
export function failed(job: PlannedJob, error: JobError, cause?: unknown): Outcome {
  const own = cause instanceof Failure ? cause : undefined;
  const failure = workFailure('job-failed', `${fullName(job)} failed: ${saidBy(error)}`, {
    ...(own === undefined ? {} : { detail: [...own.detail, ...(own.next ? [own.next] : [])] }),
    ...(job.task.exec ? {} : { at: job.path, next: nextStep(job, error) }),
    facts: { job: job.path, class: error.class, recoverable: error.recoverable },
    cause,
  });
  return { kind: 'failed', job, failure, error, culprit: job };
}

function nextStep({ path }: PlannedJob, { recoverable }: JobError): string {
  const log = `chat task log ${shellWord(path)} tells more`;
  return recoverable
    ? `ask again to try again; ${log}`
    : `${log}; after a repair, chat task clean ${shellWord(path)}`;
}

/** The outcome of a job that could not even be begun or kept: the store itself is in trouble, and nothing was written. */
export function refused(
  job: PlannedJob,
  error: unknown,
  toError: (error: unknown) => JobError,
): Outcome {
  const told = toError(error);
  const own = error instanceof Failure ? error : undefined;
  const failure = workFailure('job-not-kept', `${fullName(job)} cannot be kept: ${told.message}`, {
    next: [
      ...(own?.next === undefined ? [] : [own.next]),
      'name another folder for jobs with --jobs',
    ].join(', or '),
    facts: { job: job.path, recoverable: true },
    cause: error,
  });
  return { kind: 'failed', job, failure, error: { ...told, recoverable: true }, culprit: job };
}

/** The outcome of a job that was not computed because one that it depends on failed. */
export function blocked(job: PlannedJob, below: Extract<Outcome, { kind: 'failed' }>): Outcome {
  const { failure, culprit, error } = below;
  const passed = new Failure({
    code: failure.code,
    message: `${fullName(job)} needs a job that failed: ${failure.message.replace(/^\S+ needs a job that failed: /, '')}`,
    exitCode: failure.exitCode,
    detail: failure.detail,
    facts: failure.facts,
    cause: failure,
    ...(failure.at === undefined ? {} : { at: failure.at }),
    ...(failure.next === undefined ? {} : { next: failure.next }),
  });
  return { kind: 'failed', job, failure: passed, error, culprit };
}
