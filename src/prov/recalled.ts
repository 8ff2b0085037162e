// What is remembered of a file, when the file is still the one that was read.

import type { FilesNow } from '../world/types/files.ts';
import { quietly } from './quietly.ts';
import { fileVersion } from './seen.ts';
import type { Memory } from './types/ports.ts';

/** The facts that were kept; undefined when there are none, or the file changed since, or cannot be looked at. */
export function recalled(place: string, files: Pick<FilesNow, 'stat'>, memory: Memory): unknown {
  const known = memory.recall(place);
  if (known === undefined) return undefined;
  const stat = quietly(() => files.stat(place));
  if (stat === undefined) return undefined;
  const isSame = fileVersion(stat).every((value, index) => value === known.version[index]);
  return isSame ? known.facts : undefined;
}
