// Whether all that an earlier walk saw can be seen again: found out by a worker and by this process at once, where there is much of it. The
// worker takes parts from the front, and this process, once it has the time, from the back.

import type { Worker } from '../world/types/workers.ts';
import { jsonOf } from './index-file.ts';
import { isStillSeen, type Seen } from './seen.ts';
import { turn } from './turn.ts';
import type { ProvFiles, ProvPorts } from './types/ports.ts';

/** Fewer parts are looked at faster than a worker starts. */
const FEW = 3;
/** The worker has half of the parts at first, since this process has no time to hand over more; then so many at a time. */
const WINDOW = 2;

/** The program of the worker. */
const SEEN_CHECK = 'seen-check';

/**
 * `seen` is JSON of what was seen, in parts. The worker begins at once; what is returned looks at the parts that it has not begun with, and
 * tells whether all are as they were. Never rejects.
 */
export function checkSeen(
  seen: readonly Uint8Array[],
  { files, workers }: Pick<ProvPorts, 'files' | 'workers'>,
): () => Promise<boolean> {
  const left = [...seen];
  /** Those that the worker has. */
  const given: Uint8Array[] = [];
  let worker: Worker | undefined;
  let isSame = true;
  let wake: () => void = () => {};

  const give = () => {
    const part = worker !== undefined && isSame ? left.shift() : undefined;
    if (part === undefined) return;
    given.push(part);
    // Alone: with a part of a file the whole file would be copied.
    worker?.post(Uint8Array.from(part));
  };
  const message = (answer: unknown) => {
    given.shift();
    isSame &&= answer === true;
    if (given.length < WINDOW) give();
    if (given.length === 0) worker?.end();
    wake();
  };
  const ended = () => {
    worker = undefined;
    left.push(...given.splice(0));
    wake();
  };

  if (left.length >= FEW) worker = workers?.start(SEEN_CHECK, { message, ended });
  worker?.busy(true);
  for (let count = left.length / 2; count > 0; count--) give();

  return async () => {
    while (isSame && left.length + given.length > 0) {
      const part = left.pop();
      if (part === undefined)
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      else {
        isSame = isSeenAgain(part, files.now);
        await turn();
      }
    }
    worker?.end();
    return isSame;
  };
}

/** One part. Never throws. */
export function isSeenAgain(part: Uint8Array, files: ProvFiles): boolean {
  try {
    return isStillSeen(jsonOf(part) as Seen, files);
  } catch {
    return false;
  }
}
