// The inputs of a task as options of a command line: what --help says of them, and what was given, as text or lists of texts.

import * as path from 'node:path';
import type { Call, OptionSpec } from '../cli/spec.ts';
import { usageFailure } from '../errors.ts';
import type { Inputs, Task, TaskInput } from '../workflows/types.ts';
import { baseType, describeType, isList } from '../workflows/values.ts';
import type { World } from '../world/types/world.ts';

const GROUP = 'Inputs of the task';

/** An option for each input whose name is not taken; `--NAME` and `--no-NAME` for what is true or false. */
export function inputOptions(task: Task, taken: readonly string[]): readonly OptionSpec[] {
  const used = new Set(taken);
  const options: OptionSpec[] = [];
  const add = (option: OptionSpec) => {
    if (used.has(option.long)) return;
    used.add(option.long);
    options.push({ ...option, group: GROUP });
  };
  for (const input of task.inputs) add(optionOf(input));
  for (const input of task.inputs)
    if (isFlag(input)) add({ long: `no-${input.name}`, summary: `Set ${input.name} to false` });
  return options;
}

/** Names of the inputs that can be given with `--input` only. */
export function hiddenInputs(task: Task, taken: readonly string[]): readonly string[] {
  return task.inputs.map(({ name }) => name).filter((name) => taken.includes(name));
}

const isFlag = (input: TaskInput): boolean => input.type === 'boolean';

function optionOf(input: TaskInput): OptionSpec {
  const { name } = input;
  const summary = describe(input);
  if (isFlag(input)) return { long: name, summary, joined: true };
  const complete = /^(?:path|file)/.test(input.type) ? ({ complete: 'file' } as const) : {};
  const repeat = isList(input) ? ({ repeat: true } as const) : {};
  return { long: name, summary, value: valueName(input), mayBeEmpty: true, ...complete, ...repeat };
}

const VALUES = {
  string: 'text',
  text: 'text',
  integer: 'integer',
  float: 'number',
  boolean: 'boolean',
  select: 'word',
  path: 'path',
  file: 'file',
} as const;

const valueName = (input: TaskInput): string => VALUES[baseType(input)];

/** `Words to count: a list of texts (default: …)`. */
function describe(input: TaskInput): string {
  const what = input.description.trim().replace(/\s+/g, ' ').replace(/\.$/, '');
  const takes = describeType(input);
  const standard =
    input.default === undefined
      ? input.required
        ? ' (required)'
        : ''
      : ` (default: ${typeof input.default === 'string' ? input.default : JSON.stringify(input.default)})`;
  const first = what === '' ? capital(takes) : `${capital(what)}: ${takes}`;
  return `${first}${standard}`.replace(/\s+/g, ' ').replace(/\.$/, '');
}

const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

/**
 * What was given. `@FILE` stands for the content of a file, `@-` for standard input, `@@` for a real `@` at the start. Rejects with a
 * usage Failure that names the input when the file cannot be read.
 */
export async function givenInputs(
  task: Task,
  call: Call,
  options: readonly OptionSpec[],
  world: Pick<World, 'files' | 'input' | 'cwd' | 'signal'>,
): Promise<Inputs> {
  const has = (long: string) =>
    options.some((option) => option.long === long && option.group === GROUP);
  const given = new Map<string, string[]>();
  for (const input of task.inputs) {
    const values = has(input.name)
      ? call.list(input.name).map((text) => flagText(input, text))
      : [];
    const off = isFlag(input) && has(`no-${input.name}`) && call.flag(`no-${input.name}`);
    const all = off ? [...values, 'false'] : values;
    if (all.length > 0) given.set(input.name, [...all]);
  }
  for (const text of call.list('input')) {
    const [name, value] = splitPair(text, task);
    given.set(name, [...(given.get(name) ?? []), value]);
  }
  const inputs: Record<string, unknown> = {};
  for (const input of task.inputs) {
    const texts = given.get(input.name);
    if (texts === undefined) continue;
    const read = await Promise.all(texts.map((text) => content(input, text, world)));
    // The last one counts, except where they add up.
    inputs[input.name] = isList(input) && read.length > 1 ? read : read.at(-1);
  }
  return inputs;
}

const flagText = (input: TaskInput, text: string): string =>
  isFlag(input) && text === '' ? 'true' : text;

function splitPair(text: string, task: Task): readonly [string, string] {
  const [, name = '', value = ''] = /^([^=]*)=([\s\S]*)$/.exec(text) ?? [];
  if (task.inputs.some((input) => input.name === name)) return [name, value];
  const names = task.inputs.map((input) => input.name).join(', ');
  const found = text.includes('=') ? `there is no input "${name}"` : `there is no "=" in it`;
  throw usageFailure('bad-input', `--input takes NAME=VALUE, not "${text}": ${found}`, {
    next: names === '' ? 'this task takes no inputs' : `its inputs: ${names}`,
  });
}

/** For an input that is a path, `@` before it changes nothing: the path is what is meant. */
async function content(
  input: TaskInput,
  text: string,
  world: Pick<World, 'files' | 'input' | 'cwd' | 'signal'>,
): Promise<string> {
  if (!text.startsWith('@') || text === '@') return text;
  if (text.startsWith('@@')) return text.slice(1);
  const isPath = /^(?:path|file)/.test(input.type);
  if (isPath) return text === '@-' ? text : text.slice(1);
  try {
    const bytes =
      text === '@-'
        ? await world.input.read(world.signal)
        : await world.files.read(path.resolve(world.cwd, text.slice(1)), { anyKind: true });
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (error) {
    if (world.signal.aborted) throw world.signal.reason;
    const why = error instanceof TypeError ? 'it is not UTF-8 text' : (error as Error).message;
    throw usageFailure('bad-input', `input "${input.name}" cannot be "${text}": ${why}`, {
      next: `write @@ for a text that begins with @`,
      cause: error,
    });
  }
}
