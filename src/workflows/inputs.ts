// From what was given to the inputs of a task: types, defaults, what is required, what is allowed. Reads no file.

import * as path from 'node:path';
import { Failure, usageFailure } from '../errors.ts';
import { plainRecord } from '../json.ts';
import type { Files } from '../world/types/files.ts';
import type { Inputs, Task, TaskInput } from './types.ts';
import { baseType, describeType, type InputForm, isNothing, readValue } from './values.ts';

/**
 * Every input of the task that has a value, with its type, defaults included. `text` is what people type: `nil` means no value, a
 * list is JSON, lines, or words with commas. `json` is what models send and code calls with: null means no value. Throws a
 * usage Failure that names every input that is wrong, what it takes and what it got; of one that the task does not have, too.
 */
export function readInputs(task: Task, given: Inputs, form: InputForm = 'json'): Inputs {
  const problems: string[] = [];
  const values = plainRecord();
  for (const input of task.inputs) {
    try {
      const value = readInput(
        input,
        Object.hasOwn(given, input.name) ? given[input.name] : undefined,
        form,
      );
      if (value !== undefined) values[input.name] = value;
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      problems.push(error.message);
    }
  }
  const names = task.inputs.map(({ name }) => name);
  for (const name of Object.keys(given))
    if (!names.includes(name)) problems.push(`there is no input "${name}"`);
  if (problems.length === 0) return values;
  throw usageFailure('bad-input', problems.join('; '), {
    at: `${task.workflow}/${task.name}`,
    next:
      names.length === 0
        ? 'this task takes no inputs'
        : `its inputs: ${task.inputs.map(summary).join('; ')}`,
  });
}

/** One input: its value, its default, or undefined. Throws a usage Failure that names the input, what it takes and what it got. */
export function readInput(input: TaskInput, given: unknown, form: InputForm = 'json'): unknown {
  if (isNothing(given, input, form)) {
    if (input.default !== undefined || !input.required) return input.default ?? undefined;
    throw usageFailure(
      'missing-input',
      `input "${input.name}" is required: ${describeType(input)}`,
    );
  }
  const value = readValue(given, input, form);
  const problem = value === undefined ? undefined : input.check?.(value);
  if (value !== undefined && problem === undefined) return value;
  const takes =
    problem ?? `it takes ${describeType(input)}${isTooLarge(given, input) ? LARGEST : ''}`;
  throw usageFailure('bad-input', `input "${input.name}" cannot be ${shown(given)}: ${takes}`);
}

/** A whole number that would quietly become its neighbour. */
const isTooLarge = (given: unknown, input: TaskInput): boolean =>
  input.type === 'integer' && /^\s*[+-]?\d+\s*$/.test(String(given));

const LARGEST = `, at most ${Number.MAX_SAFE_INTEGER} on either side of 0`;

/**
 * Rejects with a usage Failure when a `file` input names nothing, a folder, or something that is no file. Paths are taken from `cwd`.
 */
export async function checkFiles(
  task: Task,
  inputs: Inputs,
  world: { readonly files: Pick<Files, 'stat'>; readonly cwd: string },
): Promise<void> {
  for (const input of task.inputs.filter((each) => baseType(each) === 'file')) {
    const value = inputs[input.name];
    for (const place of Array.isArray(value) ? value : [value])
      if (typeof place === 'string')
        await checkFile(input, place, path.resolve(world.cwd, place), world);
  }
}

async function checkFile(
  input: TaskInput,
  given: string,
  place: string,
  { files }: { readonly files: Pick<Files, 'stat'> },
): Promise<void> {
  const kind = (await files.stat(place))?.kind;
  if (kind === 'file') return;
  const found = kind === undefined ? 'nothing is there' : 'a folder is there';
  throw usageFailure(
    'bad-input',
    `input "${input.name}" cannot be ${shown(given)}: it takes the path of a file`,
    {
      detail: [`${kind === 'other' ? 'no plain file is there' : found}: ${place}`],
    },
  );
}

const summary = (input: TaskInput): string =>
  `${input.name} (${describeType(input)}${input.required && input.default === undefined ? '' : ', optional'})`;

const LONGEST = 80;

function shown(value: unknown): string {
  const text = JSON.stringify(value) ?? String(value);
  return text.length <= LONGEST ? text : `${text.slice(0, LONGEST)}… (${text.length} characters)`;
}
