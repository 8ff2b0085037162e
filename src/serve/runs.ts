// Jobs that are computed for calls. Equal calls wait for one run; a run that nobody waits for any more is stopped.

import type { Store } from '../store/store.ts';
import type { JobEvent, Outcome, PlannedJob, SharedSlots } from '../store/types.ts';

export interface Runs {
  /**
   * The outcome of the job, computed if need be. Rejects with the signal's reason when that aborts, and with that of `stop`. Whoever
   * is the last to leave a run sees it ended, with all its processes, before this rejects.
   */
  run(
    job: PlannedJob,
    call: { readonly signal: AbortSignal; readonly onEvent: (event: JobEvent) => void },
  ): Promise<Outcome>;
  /** Stops all that runs, and what would begin later. Resolves when nothing runs any more; whether anything did. */
  stop(reason: unknown): Promise<boolean>;
}

export interface RunsOptions {
  readonly slots: SharedSlots;
  /** Told everything, whoever waits for it. */
  readonly onEvent: (event: JobEvent) => void;
}

interface Run {
  readonly outcome: Promise<Outcome>;
  readonly listeners: Set<(event: JobEvent) => void>;
  readonly stop: AbortController;
}

export function createRuns(store: Pick<Store, 'produce'>, options: RunsOptions): Runs {
  /** By path; without those that are being stopped. */
  const open = new Map<string, Run>();
  const all = new Set<Promise<unknown>>();
  /** One for each call that waits. */
  const leaves = new Set<(reason: unknown) => void>();
  let stopped: { readonly reason: unknown } | undefined;

  const begin = (job: PlannedJob): Run => {
    const run = start(job, store, options);
    const ended = run.outcome
      .catch(() => {})
      .then(() => {
        all.delete(ended);
        forget(job, run);
      });
    all.add(ended);
    // What is not stored has no answer to share.
    if (!job.task.exec) open.set(job.path, run);
    return run;
  };
  const forget = (job: PlannedJob, run: Run) => {
    if (open.get(job.path) === run) open.delete(job.path);
  };

  return {
    async run(job, { signal, onEvent }) {
      if (stopped !== undefined) throw stopped.reason;
      signal.throwIfAborted();
      const run = open.get(job.path) ?? begin(job);
      // A function of its own, since one function may wait twice.
      const listener = (event: JobEvent) => onEvent(event);
      run.listeners.add(listener);
      return new Promise((resolve, reject) => {
        const settle = (how: () => void) => {
          signal.removeEventListener('abort', abort);
          leaves.delete(leave);
          run.listeners.delete(listener);
          how();
        };
        const leave = (reason: unknown) => {
          const others = run.listeners.size - 1;
          settle(() => {});
          if (others > 0) return reject(reason);
          forget(job, run);
          run.stop.abort(reason);
        };
        const abort = () => leave(signal.reason);
        signal.addEventListener('abort', abort, { once: true });
        leaves.add(leave);
        run.outcome.then(
          (outcome) => settle(() => resolve(outcome)),
          (error) => settle(() => reject(error)),
        );
      });
    },
    async stop(reason) {
      stopped = { reason };
      for (const leave of [...leaves]) leave(reason);
      const ending = [...all];
      await Promise.all(ending);
      return ending.length > 0;
    },
  };
}

function start(job: PlannedJob, store: Pick<Store, 'produce'>, options: RunsOptions): Run {
  const stop = new AbortController();
  const listeners = new Set<(event: JobEvent) => void>();
  const outcomes = store.produce([job], {
    slots: options.slots,
    signal: stop.signal,
    onEvent(event) {
      options.onEvent(event);
      for (const listener of listeners) listener(event);
    },
  });
  return { outcome: outcomes.then(first), listeners, stop };
}

function first([outcome]: readonly Outcome[]): Outcome {
  if (outcome === undefined) throw new Error('a job that is asked for has an outcome');
  return outcome;
}
