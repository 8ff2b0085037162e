// From what jobs tell to the numbers of progress notifications, which have to grow each time.

import type { JobEvent, JobProgress, PlannedJob } from '../store/types.ts';
import { taskName, wordsOf } from '../task/event-words.ts';
import type { Clock } from '../world/types/clock.ts';

export interface ProgressNote {
  readonly progress: number;
  readonly total?: number;
  readonly message: string;
}

export interface ProgressTeller {
  onEvent(event: JobEvent): void;
  /** Nothing is told after this. */
  end(): void;
}

/** At most one note in so many milliseconds. */
const INTERVAL = 100;
/** A sign of life after so many milliseconds without one, so that a client that waits for it does not give up. */
const SILENCE = 15_000;
/** What a note grows by that has nothing to count. */
const HAIR = 1e-6;

/**
 * Tells how far a job is. One that depends on no other tells its own numbers; else jobs are counted, those that run by their part.
 */
export function tellProgress(
  job: PlannedJob,
  send: (note: ProgressNote) => void,
  clock: Pick<Clock, 'monotonic'>,
): ProgressTeller {
  const since = clock.monotonic();
  const count = countOf(job);
  let last = -HAIR;
  let sentAt = -Infinity;
  let message: string | undefined;

  const flush = () => {
    if (message === undefined) return;
    const { done, total } = count.howFar();
    const progress = Math.max(done, last + HAIR);
    send({ progress, message, ...(total !== undefined && progress <= total ? { total } : {}) });
    last = progress;
    sentAt = clock.monotonic();
    message = undefined;
  };
  const tick = setInterval(() => {
    const now = clock.monotonic();
    if (now - sentAt >= SILENCE)
      message ??= `${taskName(job)}: ${Math.round((now - since) / 1000)} s`;
    flush();
  }, INTERVAL).unref();
  return {
    onEvent(event) {
      const words = wordsOf(event);
      count.add(event);
      if (words === undefined) return;
      message = `${taskName(event.job)}: ${words}`;
      if (clock.monotonic() - sentAt >= INTERVAL) flush();
    },
    end: () => clearInterval(tick),
  };
}

/** Counts jobs of a graph by their ends, and by the part of those that run. */
function countOf(root: PlannedJob) {
  const paths = pathsOf(root);
  const ended = new Set<string>();
  const parts = new Map<string, JobProgress>();
  return {
    add(event: JobEvent) {
      const { path } = event.job;
      if (event.kind === 'end') ended.add(path);
      if (event.kind === 'progress' && isSane(event.progress)) parts.set(path, event.progress);
      // It begins when all that it needs is there; what was there before told nothing.
      if (event.kind === 'start' && path === root.path)
        for (const each of paths) if (each !== path) ended.add(each);
    },
    howFar(): { readonly done: number; readonly total?: number } {
      if (paths.size === 1) return parts.get(root.path) ?? { done: 0 };
      const running = [...parts].filter(([path]) => !ended.has(path));
      const done = running.reduce((sum, [, part]) => sum + fraction(part), ended.size);
      return { done, total: paths.size };
    },
  };
}

function pathsOf(root: PlannedJob): ReadonlySet<string> {
  const found = new Map([[root.path, root]]);
  // A map that grows while it is walked gives what was added, too.
  for (const job of found.values())
    for (const { job: below } of job.dependencies)
      if (!found.has(below.path)) found.set(below.path, below);
  return new Set(found.keys());
}

const isSane = ({ done, total = 1 }: JobProgress): boolean =>
  Number.isFinite(done) && Number.isFinite(total) && done >= 0 && total > 0;

const fraction = ({ done, total }: JobProgress): number =>
  total === undefined ? 0 : Math.min(done / total, 1);
