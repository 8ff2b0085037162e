// Computes jobs with all they depend on: each once, as soon as what it needs is there, so many at a time. Other processes may do
// the same with the same folder: what they compute is waited for and used.

import { setMaxListeners } from 'node:events';
import { availableParallelism } from 'node:os';
import { blocked, lookUp } from './answer.ts';
import { type ComputeContext, compute, computeInPlace } from './compute.ts';
import { createSlots } from './slots.ts';
import type {
  Outcome,
  PlannedJob,
  ProduceOptions,
  SharedSlots,
  Slots,
  StoreWorld,
} from './types.ts';

/**
 * One outcome for each job, in their order. A failure stops only what depends on it. Rejects only with the signal's reason, after
 * every running job has ended and is marked as aborted.
 */
export async function produce(
  jobs: readonly PlannedJob[],
  world: StoreWorld,
  options: ProduceOptions = {},
): Promise<readonly Outcome[]> {
  const settling = new Map<string, Promise<Outcome>>();
  const run = await runOf(world, options);
  const settle = createSettle(settling, run);
  const asked = jobs.map((job) => settle(job));
  await Promise.allSettled(asked);
  // Jobs that others depend on may still be ending when a signal stopped those.
  await Promise.allSettled(settling.values());
  run.slots.close();
  return Promise.all(asked);
}

/** What all jobs of one request share. */
interface Run
  extends Pick<
    ComputeContext,
    'world' | 'mark' | 'signal' | 'issued' | 'emit' | 'folders' | 'host'
  > {
  readonly slots: Slots;
}

async function runOf(world: StoreWorld, options: ProduceOptions): Promise<Run> {
  const signal = options.signal ?? new AbortController().signal;
  // As many listen as run at a time, each of them until it ends: not the leak that the platform would warn of.
  setMaxListeners(0, signal);
  return {
    world,
    signal,
    mark: await world.locks.self(),
    issued: world.clock.now(),
    emit: options.onEvent ?? (() => {}),
    folders: new Set(),
    host: options.host ?? ((_job, context) => context),
    slots: (options.slots ?? slotsFor(options.cpus)).of(signal),
  };
}

/** Places for so many jobs at a time; without a number, one for each processor. */
export function slotsFor(cpus: number | undefined): SharedSlots {
  return createSlots(Math.max(1, cpus ?? availableParallelism()));
}

/** Makes the function that brings a job to its end, once: by path, so that equal jobs are the same one. */
function createSettle(settling: Map<string, Promise<Outcome>>, run: Run) {
  const settle = (job: PlannedJob): Promise<Outcome> => {
    const promise = settling.get(job.path) ?? settleNew(job);
    settling.set(job.path, promise);
    return promise;
  };
  const settleNew = async (job: PlannedJob): Promise<Outcome> => {
    run.signal.throwIfAborted();
    const { outcome } = job.task.exec ? { outcome: undefined } : await lookUp(job, run.world.files);
    if (outcome !== undefined) return outcome;
    const below = await Promise.all(job.dependencies.map((dependency) => settle(dependency.job)));
    for (const each of below) if (each.kind === 'failed') return blocked(job, each);
    return inTurn(job, valuesOf(job, below), run);
  };
  return settle;
}

/** Takes part in the count of running jobs, except while another process computes this one. */
async function inTurn(
  job: PlannedJob,
  values: ReadonlyMap<string, unknown>,
  run: Run,
): Promise<Outcome> {
  const slot = await run.slots.take();
  const { emit } = run;
  const context: ComputeContext = {
    ...run,
    values,
    onWait(holder) {
      emit({ kind: 'wait', job, holder });
      slot.leave();
    },
    onTurn: () => slot.enter(),
  };
  try {
    return await (job.task.exec ? computeInPlace(job, context) : compute(job, context));
  } finally {
    slot.leave();
  }
}

function valuesOf(job: PlannedJob, below: readonly Outcome[]): ReadonlyMap<string, unknown> {
  const values = new Map<string, unknown>();
  for (const [index, { name, job: other }] of job.dependencies.entries()) {
    const outcome = below[index];
    if (other.task.exec && outcome?.kind === 'done') values.set(name, outcome.value);
  }
  return values;
}
