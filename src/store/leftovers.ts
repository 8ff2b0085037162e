// What a process that was killed in the middle of a write leaves beside a job: files that are no result yet and never will be one.

import * as path from 'node:path';
import type { Files } from '../world/types/files.ts';

/** Removes the half-written files of a job. Only for who holds its lock: nobody else writes there then. */
export async function removeHalfWritten(
  place: string,
  files: Pick<Files, 'list' | 'remove'>,
): Promise<void> {
  const folder = path.dirname(place);
  const name = path.basename(place);
  for (const each of await files.list(folder)) {
    const [, written] = /^\.(.+)\.[0-9a-f]{16}\.tmp$/.exec(each) ?? [];
    if (written === name || written === `${name}.info`) await files.remove(path.join(folder, each));
  }
}
