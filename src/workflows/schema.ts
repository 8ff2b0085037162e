// What a model sees of a task: a name, a description, a JSON Schema of the inputs that it may set. Pure.

import { createHash } from 'node:crypto';
import { usageFailure } from '../errors.ts';
import type { ToolSpec } from '../types.ts';
import { readInput, readInputs } from './inputs.ts';
import type { BaseInputType, Inputs, Task, TaskInput } from './types.ts';
import { baseType, isList } from './values.ts';

/** Which inputs a model may set. Nothing said: all of them. */
export interface ToolInputs {
  /** Only these. */
  readonly only?: readonly string[];
  /** Set beforehand, as text or values; the model neither sees nor sets them. */
  readonly fixed?: Inputs;
  /** No input at all. */
  readonly none?: boolean;
}

/**
 * The tool that a task is, under the given name. Hidden inputs are left out of the schema. Throws a usage Failure for an input
 * that the task does not have, and for a fixed value that it does not take.
 */
export function toolSpec(task: Task, inputs: ToolInputs = {}, name = toolName(task)): ToolSpec {
  checkNames(task, inputs);
  for (const input of task.inputs)
    if (hasFixed(inputs, input.name)) readInput(input, inputs.fixed?.[input.name], 'text');
  const visible = task.inputs.filter((input) => isVisible(input.name, inputs));
  const required = visible.filter((input) => input.required && input.default === undefined);
  return {
    name,
    description:
      task.description === '' ? `Task ${task.name} of ${task.workflow}` : task.description,
    parameters: {
      type: 'object',
      properties: Object.fromEntries(visible.map((input) => [input.name, property(input)])),
      // Some providers refuse an empty list.
      ...(required.length === 0 ? {} : { required: required.map((each) => each.name) }),
    },
  };
}

/**
 * The inputs of a call: what the model set, with what is fixed. Throws a usage Failure, whose text is meant for the model, for a
 * wrong or missing value and for an input that it was not shown.
 */
export function toolInputs(task: Task, inputs: ToolInputs, given: Inputs): Inputs {
  const hidden = Object.keys(given).filter((name) => !isVisible(name, inputs));
  const [name] = hidden;
  if (name !== undefined)
    throw usageFailure('bad-input', `there is no input "${name}"`, {
      at: `${task.workflow}/${task.name}`,
      next: `its inputs: ${
        task.inputs
          .filter((each) => isVisible(each.name, inputs))
          .map((each) => each.name)
          .join(', ') || 'none'
      }`,
    });
  const fixed = task.inputs.flatMap((input) =>
    hasFixed(inputs, input.name)
      ? [[input.name, readInput(input, inputs.fixed?.[input.name], 'text')] as const]
      : [],
  );
  return readInputs(task, { ...given, ...Object.fromEntries(fixed) });
}

/**
 * A name for each task that providers take (letters, digits, `_` and `-`, at most 64) and no two share: the task's own; if another
 * has it already, `Workflow_task`; if that is taken too, that with some digits of a digest. Who comes first keeps its name, so
 * what is added to a chat later never renames what stands there. The same task gets the same name each time.
 */
export function toolNames(
  tasks: readonly Task[],
  taken: readonly string[] = [],
): readonly string[] {
  const used = new Set(taken);
  const names = new Map<string, string>();
  return tasks.map((task) => {
    const key = `${task.workflow}/${task.name}`;
    const candidates = [toolName(task), clean(`${task.workflow}_${task.name}`), withDigest(key)];
    const name = names.get(key) ?? candidates.find((each) => !used.has(each)) ?? withDigest(key);
    used.add(name);
    names.set(key, name);
    return name;
  });
}

const LONGEST = 64;

const toolName = (task: Task): string => clean(task.name);

/** A name that had to be changed carries a digest of what it was, so that two names never become one. */
function clean(name: string): string {
  return /^[A-Za-z0-9_-]{1,64}$/.test(name) ? name : withDigest(name);
}

function withDigest(name: string): string {
  const digest = createHash('sha256').update(name).digest('hex').slice(0, 8);
  const plain = name.replaceAll(/[^A-Za-z0-9_-]/g, '_');
  return `${plain.slice(0, LONGEST - 9)}_${digest}`;
}

const hasFixed = ({ fixed = {} }: ToolInputs, name: string): boolean => Object.hasOwn(fixed, name);

function isVisible(name: string, inputs: ToolInputs): boolean {
  if (inputs.none === true || hasFixed(inputs, name)) return false;
  return inputs.only === undefined || inputs.only.length === 0 || inputs.only.includes(name);
}

function checkNames(task: Task, { only = [], fixed = {} }: ToolInputs): void {
  const names = task.inputs.map(({ name }) => name);
  const unknown = [...only, ...Object.keys(fixed)].find((name) => !names.includes(name));
  if (unknown === undefined) return;
  throw usageFailure('unknown-input', `${task.workflow}/${task.name} has no input "${unknown}"`, {
    next: names.length === 0 ? 'it takes none' : `its inputs: ${names.join(', ')}`,
  });
}

const TYPES: Readonly<Record<BaseInputType, string>> = {
  string: 'string',
  text: 'string',
  integer: 'integer',
  float: 'number',
  boolean: 'boolean',
  select: 'string',
  path: 'string',
  file: 'string',
};

const HINTS: Partial<Record<BaseInputType, string>> = {
  path: 'A path',
  file: 'The path of a file',
};

function property(input: TaskInput): Readonly<Record<string, unknown>> {
  const base = baseType(input);
  const values = input.values ?? input.numbers;
  const one = { type: TYPES[base], ...(values === undefined ? {} : { enum: [...values] }) };
  const description = input.description === '' ? HINTS[base] : input.description;
  return {
    ...(isList(input) ? { type: 'array', items: one } : one),
    ...(description === undefined ? {} : { description }),
    ...(input.default === undefined ? {} : { default: input.default }),
  };
}
