// What is remembered of a file, when the file is still the one that was read.

import type { FilesNow } from '../world/types.ts';
import { quietly } from './quietly.ts';
import type { Memory } from './types.ts';

/** The facts that were kept; undefined when there are none, or the file changed since, or cannot be looked at. */
export function recalled(place: string, files: Pick<FilesNow, 'stat'>, memory: Memory): unknown {
  const known = memory.recall(place);
  if (known === undefined) return undefined;
  const stat = quietly(() => files.stat(place));
  const isSame =
    stat?.size === known.size && stat.modified === known.modified && stat.inode === known.inode;
  return isSame ? known.facts : undefined;
}
