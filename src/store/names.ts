// Names of jobs: file names that say which work it is, and that cannot lead out of their folder.

import { usageFailure } from '../errors.ts';
import type { ResultType } from '../workflows/types.ts';

/** The name of a job that was given none. */
export const DEFAULT_NAME = 'Default';

const EXTENSIONS: Partial<Record<ResultType, string>> = {
  json: '.json',
  chat: '.chat',
  tsv: '.tsv',
  yaml: '.yaml',
};

/** Every ending that a result may have. */
export const RESULT_ENDINGS: readonly string[] = Object.values(EXTENSIONS);

/** What a file name ends with for results of this type; '' for plain text, numbers, lists and bytes. */
export const extensionOf = (type: ResultType): string => EXTENSIONS[type] ?? '';

/** File name of a result. With a digest when the work is not the task's default one. */
export function resultName(jobname: string, digest: string | undefined, type: ResultType): string {
  return `${jobname}${digest === undefined ? '' : `_${digest}`}${extensionOf(type)}`;
}

/** Bytes. A file system takes 255; what stands beside a result adds up to 150 to its name, nothing to that of a folder. */
const LONGEST = { job: 100, folder: 200 } as const;

/** Throws a usage Failure for a job name that is no plain file name, or that could be taken for another job's. */
export function checkJobname(jobname: string): void {
  const wrong = whatIsWrong(jobname, LONGEST.job);
  if (wrong === undefined) return;
  throw usageFailure('bad-job-name', `a job cannot be named ${JSON.stringify(jobname)}: ${wrong}`, {
    next: 'take letters, digits, and . _ - between them',
  });
}

/** The same for the names of workflows and tasks, which are folders of the store. */
export function checkFolderName(kind: 'workflow' | 'task', name: string): void {
  const wrong = whatIsWrong(name, LONGEST.folder);
  if (wrong === undefined) return;
  throw usageFailure('bad-name', `a ${kind} cannot be named ${JSON.stringify(name)}: ${wrong}`);
}

function whatIsWrong(name: string, longest: number): string | undefined {
  if (name.trim() === '') return 'it is empty';
  if (/[/\\]/.test(name)) return 'it has a slash in it';
  if (/[\x00-\x1f\x7f]/.test(name)) return 'it has a control character in it';
  if (name.startsWith('.')) return 'it begins with a dot';
  if (/\.(?:info|files|lock|tmp)$/i.test(name))
    return 'its ending belongs to the files beside a result';
  if (/_[0-9a-f]{32}(?:\.|$)/.test(name)) return 'its ending looks like the digest of another job';
  if (Buffer.byteLength(name) > longest) return `it is longer than ${longest} bytes`;
  return undefined;
}
