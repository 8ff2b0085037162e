// Which jobs are being computed on the way to here. One that asks for itself, also through agents and their tools, would wait for ever.

import { AsyncLocalStorage } from 'node:async_hooks';
import { workFailure } from '../errors.ts';
import { toJobError } from './failed.ts';
import type { Outcome, PlannedJob } from './types.ts';

const chain = new AsyncLocalStorage<readonly string[]>();

/** Does the work of a job: what is begun in it knows that it is on the way to the job's result. */
export const withinJob = <T>({ path }: PlannedJob, work: () => T): T =>
  chain.run([...(chain.getStore() ?? []), path], work);

/** The outcome of a job that is asked for on the way to its own result; undefined for all others. */
export function neededByItself(job: PlannedJob): Outcome | undefined {
  if (chain.getStore()?.includes(job.path) !== true) return undefined;
  const name = `${job.task.workflow}/${job.task.name}`;
  const failure = workFailure('job-needs-itself', `${name} asks for its own result`, {
    at: job.path,
    next: 'let it ask something else: with other inputs it is another job',
    facts: { job: job.path },
  });
  return { kind: 'failed', job, failure, error: toJobError(failure), culprit: job };
}
