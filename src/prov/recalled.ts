// What is remembered of a file, when the file is still the one that was read.

import type { Files } from '../world/types.ts';
import type { Memory } from './types.ts';

/** The facts that were kept; undefined when there are none, or the file changed since, or cannot be looked at. */
export async function recalled(
  place: string,
  files: Pick<Files, 'stat'>,
  memory: Memory,
): Promise<unknown> {
  const known = memory.recall(place);
  if (known === undefined) return undefined;
  const stat = await files.stat(place).catch(() => undefined);
  const isSame =
    stat?.size === known.size && stat.modified === known.modified && stat.inode === known.inode;
  return isSame ? known.facts : undefined;
}
