// Whether all that an earlier walk saw can be seen again: found out by a worker, where there is much of it.

import { jsonOf } from './index-file.ts';
import { isStillSeen, type Seen } from './seen.ts';
import type { ProvFiles, ProvPorts } from './types/ports.ts';

/** Bytes of JSON that are worth a worker. */
const MUCH = 2 ** 20;

/** The program of the worker. */
const SEEN_CHECK = 'seen-check';

/** `seen` is JSON of what was seen. Where a worker does it, this returns at once. Never rejects. */
export function checkSeen(
  seen: Uint8Array,
  { files, workers }: Pick<ProvPorts, 'files' | 'workers'>,
): boolean | Promise<boolean> {
  const checkHere = () => isSeenAgain(seen, files.now);
  if (workers === undefined || seen.length < MUCH) return checkHere();
  return new Promise((resolve) => {
    const worker = workers.start(SEEN_CHECK, {
      message(answer) {
        worker?.end();
        resolve(answer === true);
      },
      ended: () => resolve(checkHere()),
    });
    if (worker === undefined) return resolve(checkHere());
    worker.busy(true);
    // Alone: with a part of a file the whole file would be copied.
    worker.post(Uint8Array.from(seen));
  });
}

/** The same at once. Never throws. */
export function isSeenAgain(seen: Uint8Array, files: ProvFiles): boolean {
  try {
    return isStillSeen(jsonOf(seen) as Seen, files);
  } catch {
    return false;
  }
}
