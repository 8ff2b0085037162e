// Says whether a file that somebody named can be written, before the work that fills it. Writes nothing.

import * as path from 'node:path';
import { shellWord, usageFailure } from '../errors.ts';
import type { Files } from '../world/types/files.ts';

type Looks = Pick<Files, 'stat' | 'kindAt' | 'isWritable'>;

/** The file of an option (`--events`). Fails (exit 2) where none can be written; `-`, devices and pipes are always taken. */
export async function checkTarget(
  file: string | undefined,
  option: string,
  files: Looks,
): Promise<void> {
  if (file === undefined || file === '-') return;
  const kind = (await files.stat(file))?.kind;
  if (kind === 'other') return;
  if (kind === 'directory')
    throw usageFailure('not-a-file', `${option} takes a file, and "${file}" is a folder`, {
      next: 'name a file in it',
    });
  if (kind === undefined) {
    // Writing makes the file that a link leads to.
    if ((await files.kindAt(file)) !== 'link')
      await checkPlace(file, `a file for ${option}`, files);
  } else if (!(await files.isWritable(file)))
    throw usageFailure('read-only', `${option} cannot write to "${file}": permission denied`, {
      next: 'name another file',
    });
}

/** Fails (exit 2) where no new file can be made. Folders are made by those who want them: a misspelled one would hide what is in it. */
export async function checkPlace(file: string, what: string, files: Looks): Promise<void> {
  const folder = path.dirname(file);
  const kind = (await files.stat(folder))?.kind;
  if (kind === undefined)
    throw usageFailure('missing-file', `there is no folder "${folder}" for "${file}"`, {
      next: `make it with \`mkdir -p ${shellWord(folder)}\``,
    });
  if (kind !== 'directory' || file.endsWith('/'))
    throw usageFailure('not-a-file', `"${file}" can be no file`, {
      next: `give the path of ${what}`,
    });
  if (!(await files.isWritable(folder)))
    throw usageFailure('read-only', `cannot make a file in "${folder}": permission denied`, {
      next: `name ${what} in a folder of yours`,
    });
  if (!(await files.isWritable(file)))
    throw usageFailure('not-a-file', `no file can be made as "${file}"`, {
      next: 'give a shorter name, or another folder',
    });
}
