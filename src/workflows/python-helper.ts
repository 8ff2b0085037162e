// The program of this package that lists Python tasks and runs them, and what it answers. It talks JSON over its streams.

import * as path from 'node:path';
import { configFailure, errorCode, errorWords, type Failure, workFailure } from '../errors.ts';
import type { ProcessOptions, ProcessResult } from '../world/types/processes.ts';
import { lastLines } from './command.ts';
import type { WorkflowWorld } from './world.ts';

type HelperWorld = Pick<WorkflowWorld, 'processes' | 'packageFolder' | 'env'>;

/** A result of Python, as it is to be stored. */
export type PythonOutcome =
  | { readonly kind: 'done'; readonly bytes: Uint8Array }
  /** An exception: its last line and the last place in the files of the task. */
  | {
      readonly kind: 'failed';
      readonly message: string;
      readonly file: string;
      readonly line: number;
    };

/** Paths of the helper's files, the program itself first. */
export const helperFiles = ({
  packageFolder,
}: Pick<WorkflowWorld, 'packageFolder'>): readonly string[] =>
  ['tasks.py', 'scout_signature.py', 'scout_docstring.py'].map((name) =>
    path.join(packageFolder, 'share', 'python', name),
  );

/** What the helper answers to `list`: JSON. Rejects with a configuration Failure when python3 is missing or too old. */
export async function askForList(files: readonly string[], world: HelperWorld): Promise<unknown> {
  const { stdout, result } = await start('list', files, world, {});
  if (result.code === 0) return JSON.parse(Buffer.from(stdout).toString());
  throw configFailure('python-failed', `python3 cannot list tasks: ${whatItSaid(result)}`, {
    next: 'python3 --version has to say 3.8 or later',
  });
}

export interface PythonCall {
  readonly file: string;
  /** Of the function. */
  readonly line: number;
  readonly function: string;
  readonly inputs: Readonly<Record<string, unknown>>;
  readonly result: string;
}

/** Runs one function. Rejects with a Failure when python3 is missing, or ends without an answer. */
export async function callFunction(
  call: PythonCall,
  world: HelperWorld,
  options: Pick<ProcessOptions, 'env' | 'cwd' | 'signal' | 'onStderr'>,
): Promise<PythonOutcome> {
  const { stdout, result } = await start('run', call, world, options);
  const end = stdout.indexOf(10);
  if (end < 0) throw noAnswer(result);
  const head = JSON.parse(Buffer.from(stdout.subarray(0, end)).toString()) as Head;
  if (head.failed !== undefined) return { kind: 'failed', ...head.failed };
  const bytes = stdout.subarray(end + 1);
  // It may crash while it ends, with everything said; a result that was cut off is none.
  if (bytes.length !== head.length) throw noAnswer(result);
  return { kind: 'done', bytes };
}

interface Head {
  /** Bytes of the result that follows. */
  readonly length?: number;
  readonly failed?: { readonly message: string; readonly file: string; readonly line: number };
}

async function start(
  what: 'list' | 'run',
  request: unknown,
  world: HelperWorld,
  options: Pick<ProcessOptions, 'env' | 'cwd' | 'signal' | 'onStderr'>,
): Promise<{ readonly stdout: Uint8Array; readonly result: ProcessResult }> {
  const pieces: Uint8Array[] = [];
  // Text is UTF-8 whatever the locale says, and no compiled files are left beside the sources.
  const args = ['-X', 'utf8', '-B', helperFiles(world)[0] ?? '', what];
  const result = await world.processes
    .run('python3', args, {
      env: world.env,
      ...options,
      input: JSON.stringify(request),
      keepStderr: 20_000,
      onStdoutBytes: (bytes) => void pieces.push(bytes),
    })
    .catch((error: unknown) => {
      throw options.signal?.aborted ? options.signal.reason : cannotStart(error);
    });
  return { stdout: Buffer.concat(pieces), result };
}

function cannotStart(error: unknown): Failure {
  const isMissing = errorCode(error) === 'ENOENT';
  const reason = errorWords(error);
  return configFailure(
    'no-python',
    isMissing
      ? 'python3 is not found, and Python tasks need it'
      : `python3 cannot be started: ${reason}`,
    { next: 'install Python 3.8 or later, or put it on the PATH', cause: error },
  );
}

/** It was killed, or it ended itself in the middle of the task. */
function noAnswer(result: ProcessResult): Failure {
  const how =
    result.code === null ? `was ended by ${result.signal}` : `ended with status ${result.code}`;
  return workFailure(
    'python-failed',
    `python3 ${how} before the task was done: ${whatItSaid(result)}`,
    {
      facts: { status: result.code, ...(result.code === null ? { kind: 'killed' } : {}) },
    },
  );
}

const whatItSaid = ({ stderr }: ProcessResult): string =>
  lastLines(stderr).at(-1) ?? 'it said nothing';
