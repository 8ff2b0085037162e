// Runs what a workflow file gives as `run`: what goes wrong in it has the places of its source, and ends nothing but the task.

import type { Foreign, ForeignRun } from '../world/types/workers.ts';
import type { Places } from './source-places.ts';
import type { Task } from './types.ts';

type Pieces = AsyncIterable<unknown> | (Iterator<unknown> & Iterable<unknown>);

/** The same `run`, guarded. Without `foreign` its code may end the process, as everywhere. */
export function guarded(
  run: Task['run'],
  places: Places,
  foreign?: () => Promise<Foreign>,
): Task['run'] {
  return async (inputs, job) => {
    const own = foreign === undefined ? PLAIN : (await foreign()).begin();
    try {
      const result = await own.step(() => run(inputs, job));
      if (isPieces(result)) return guardedPieces(result, own, places);
      own.end();
      return result;
    } catch (error) {
      own.end();
      throw relocated(error, places);
    }
  };
}

const PLAIN: ForeignRun = { step: async (work) => work(), end() {} };

/** What comes piece by piece runs as it is read. */
function isPieces(value: unknown): value is Pieces {
  if (typeof value !== 'object' || value === null) return false;
  return Symbol.asyncIterator in value || (Symbol.iterator in value && 'next' in value);
}

async function* guardedPieces(pieces: Pieces, own: ForeignRun, places: Places) {
  const iterator =
    Symbol.asyncIterator in pieces ? pieces[Symbol.asyncIterator]() : pieces[Symbol.iterator]();
  try {
    for (;;) {
      const next = await own.step(() => iterator.next());
      if (next.done === true) return;
      yield next.value;
    }
  } catch (error) {
    throw relocated(error, places);
  } finally {
    own.end();
    // A source that hangs must not hold up the end.
    void (async () => iterator.return?.())().catch(() => {});
  }
}

/** The same error, its stack with the places of its source. */
export function relocated(error: unknown, places: Places): unknown {
  if (error instanceof Error && error.stack !== undefined) {
    try {
      error.stack = places.inSource(error.stack);
    } catch {
      // A frozen error keeps its stack.
    }
  }
  return error;
}
