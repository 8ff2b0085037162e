// What went wrong with a file, in words.

import { EXIT, errorCode, errorWords, Failure, type FailureFields } from '../errors.ts';

/** Runs a piece of work on a file; what goes wrong is told as a Failure. */
export function attempt<T>(file: string, doing: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw fileFailure(file, doing, error);
  }
}

const REASONS: Readonly<Record<string, Pick<FailureFields, 'code' | 'message'>>> = {
  ENOENT: { code: 'missing-file', message: 'no such file' },
  ENOTDIR: { code: 'missing-file', message: 'a part of the path is not a folder' },
  EISDIR: { code: 'is-folder', message: 'it is a folder' },
  EACCES: { code: 'no-permission', message: 'permission denied' },
  EPERM: { code: 'no-permission', message: 'operation not permitted' },
  EROFS: { code: 'read-only', message: 'the file system is read-only' },
  ENOSPC: { code: 'disk-full', message: 'the disk is full' },
  EDQUOT: { code: 'disk-full', message: 'the disk quota is used up' },
  EFBIG: { code: 'disk-full', message: 'the limit for the size of a file is reached' },
  ELOOP: { code: 'link-loop', message: 'its links lead in a circle' },
  ENAMETOOLONG: { code: 'missing-file', message: 'the name is too long' },
  EMFILE: { code: 'too-many-files', message: 'too many open files' },
};

const NEXT: Readonly<Record<string, string>> = {
  'disk-full':
    'free some space and run the same command again; what stood in the file is unchanged',
  'no-permission': `look at its permissions with \`ls -l\``,
};

/** What to do when somebody named a file to read that is none. */
const NEXT_READING: Readonly<Record<string, string>> = {
  ENOENT: 'check the name, and the folder that it is seen from',
  EISDIR: 'name a file in it',
};

/** What went wrong with a file, as a Failure that names it. Reading problems are wrong use (2), writing problems failed work (1). */
export function fileFailure(file: string, doing: string, error: unknown): Failure {
  if (error instanceof Failure) return error;
  const code = errorCode(error);
  const known = REASONS[code];
  const next = (doing === 'read' ? NEXT_READING[code] : undefined) ?? NEXT[known?.code ?? ''];
  return new Failure({
    code: known?.code ?? 'file-trouble',
    message: `cannot ${doing} "${file}": ${known?.message ?? errorWords(error)}`,
    exitCode: doing === 'read' || doing === 'list' ? EXIT.usage : EXIT.work,
    cause: error,
    ...(next === undefined ? {} : { next }),
  });
}
