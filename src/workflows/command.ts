// Runs the command of a YAML task: with its inputs as words and variables, its log, and its result byte for byte.

import { randomBytes } from 'node:crypto';
import * as path from 'node:path';
import { errorCode, errorWords, type Failure, workFailure } from '../errors.ts';
import type { Origin } from '../types.ts';
import type { ProcessResult } from '../world/types/processes.ts';
import { lineLogger } from './log-lines.ts';
import { textOf } from './placeholder.ts';
import { type ShellScript, variableName } from './shell-command.ts';
import type { Dependency, Inputs, JobContext, TaskInput } from './types.ts';
import type { WorkflowWorld } from './world.ts';

/** A program with its arguments, or a script for /bin/sh, made from inputs. */
export type Command =
  | { readonly kind: 'program'; readonly words: (inputs: Inputs) => readonly string[] }
  | { readonly kind: 'script'; readonly script: (inputs: Inputs) => ShellScript };

export interface CommandTask {
  /** `Workflow/task`. */
  readonly name: string;
  readonly inputs: readonly TaskInput[];
  readonly deps: readonly Dependency[];
  readonly command: Command;
  /** Where the command stands. */
  readonly at: Origin & { readonly file: string };
}

type CommandWorld = Pick<WorkflowWorld, 'files' | 'env' | 'processes' | 'cwd'>;

/** So much of standard error is kept for a failure; all of it goes to the log. */
const KEPT = 20_000;
const LINES = 10;

/**
 * The content of the file that $RESULT names if the command wrote it, else standard output; as bytes. Rejects with a work Failure that
 * has the last lines of standard error when the command is not found or does not end with status 0, and with the signal's
 * reason when the job is stopped.
 */
export async function runCommand(
  task: CommandTask,
  inputs: Inputs,
  job: JobContext,
  world: CommandWorld,
): Promise<Uint8Array> {
  const script = task.command.kind === 'script' ? task.command.script(inputs) : undefined;
  const words = task.command.kind === 'program' ? task.command.words(inputs) : [];
  const [program = '', ...args] =
    script === undefined ? besideFile(words, task.at.file) : ['/bin/sh', '-c', script.script];
  const resultFile = await freshResultFile(job, world.files);
  const env = {
    ...world.env,
    ...inputVariables(task.inputs, inputs),
    ...script?.variables,
    ...jobVariables(task.deps, path.dirname(task.at.file), job),
    RESULT: resultFile,
  };
  refuseNul(task, [...args, ...Object.values(env)]);
  const stdout: Uint8Array[] = [];
  const log = lineLogger(job);
  try {
    const result = await world.processes
      .run(program, args, {
        cwd: world.cwd,
        env,
        signal: job.signal,
        keepStderr: KEPT,
        onStdoutBytes: (bytes) => void stdout.push(bytes),
        onStderr: log.add,
      })
      .catch((error: unknown) => {
        throw job.signal.aborted ? job.signal.reason : cannotStart(task, program, error);
      });
    if (result.code !== 0) throw commandFailed(task, result);
    const isWritten = (await world.files.stat(resultFile)) !== undefined;
    return isWritten ? await world.files.read(resultFile) : Buffer.concat(stdout);
  } finally {
    log.end();
    await world.files.remove(resultFile).catch(() => {});
  }
}

/** A place of its own: a command of an earlier try that was killed may still be about to write to its own. */
async function freshResultFile(job: JobContext, files: CommandWorld['files']): Promise<string> {
  const folder = job.files();
  for (const name of await files.list(folder))
    if (/^\.result(?:-[0-9a-f]{8})?$/.test(name)) await files.remove(path.join(folder, name));
  return job.files(`.result-${randomBytes(4).toString('hex')}`);
}

/** A program that is named with ./ or ../ lies beside the workflow file; everything else is found as the system finds it. */
function besideFile(words: readonly string[], file: string): readonly string[] {
  const [program = '', ...args] = words;
  return /^\.\.?\//.test(program) ? [path.resolve(path.dirname(file), program), ...args] : words;
}

type Variables = Readonly<Record<string, string | undefined>>;

/** `INPUT_name`, also in capitals; lists as JSON. An input without a value takes away what an outer task may have left. */
export function inputVariables(specs: readonly TaskInput[], inputs: Inputs): Variables {
  const variables: Record<string, string | undefined> = {};
  for (const form of [(name: string) => name.toUpperCase(), (name: string) => name])
    for (const { name } of specs) {
      const value = inputs[name];
      const isSet = value !== undefined && value !== null;
      variables[`INPUT_${form(variableName(name))}`] = isSet ? textOf(value) : undefined;
    }
  return variables;
}

/** Places that a task in another language is told: artifacts, dependencies, the folder of its workflow. */
export function jobVariables(
  deps: readonly Dependency[],
  folder: string,
  job: Pick<JobContext, 'files' | 'depPath'>,
): Variables {
  const paths = deps.map(({ name }) => [`DEP_${variableName(name)}`, job.depPath(name)]);
  return { ...Object.fromEntries(paths), FILES: job.files(), WORKFLOW_FOLDER: folder };
}

function refuseNul(task: CommandTask, texts: readonly (string | undefined)[]): void {
  if (!texts.some((text) => text?.includes('\0'))) return;
  throw workFailure(
    'bad-input',
    `an input of ${task.name} holds a NUL character, which no command takes`,
    {
      at: task.at,
    },
  );
}

function cannotStart(task: CommandTask, program: string, error: unknown): Failure {
  const code = errorCode(error);
  const shown = JSON.stringify(program);
  const fail = (failure: string, message: string, next: string) =>
    workFailure(failure, message, { at: task.at, next, cause: error });
  if (code === 'ENOENT')
    return fail(
      'command-not-found',
      `command ${shown} of ${task.name} is not found`,
      'install it, or correct its name in the workflow',
    );
  if (code === 'EACCES')
    return fail(
      'command-not-found',
      `command ${shown} of ${task.name} may not be run`,
      `make it executable: chmod +x ${program}`,
    );
  if (code === 'E2BIG')
    return fail(
      'input-too-long',
      `the inputs of ${task.name} are longer than a command may be given`,
      'give long text in a file: an input of type file',
    );
  const reason = errorWords(error);
  return fail(
    'command-failed',
    `command ${shown} of ${task.name} cannot be started: ${reason}`,
    'try the command by hand',
  );
}

/** Why a command did not end well, with the last lines that it wrote to standard error. Being killed may pass: it is no answer. */
function commandFailed(task: CommandTask, result: ProcessResult): Failure {
  const lines = lastLines(result.stderr);
  const last = lines.at(-1);
  const how =
    result.code === null ? `was ended by ${result.signal}` : `failed with status ${result.code}`;
  const isMissing = result.code === 127 && task.command.kind === 'script';
  return workFailure(
    isMissing ? 'command-not-found' : 'command-failed',
    `the command ${how}${last === undefined ? ', and said nothing' : `: ${last}`}`,
    {
      at: task.at,
      detail: lines.slice(0, -1),
      facts: { status: result.code, ...(result.code === null ? { kind: 'killed' } : {}) },
    },
  );
}

/** The last lines that are not empty. */
export const lastLines = (text: string): readonly string[] =>
  text
    .split(/\r?\n/)
    .map((line) => line.trimEnd())
    .filter((line) => line !== '')
    .slice(-LINES);
