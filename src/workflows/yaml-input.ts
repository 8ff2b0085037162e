// The inputs of a YAML task: types, defaults, choices, checked against each other.

import { Failure } from '../errors.ts';
import { isObject } from '../json.ts';
import { textOf } from './from-definition.ts';
import { readInput } from './inputs.ts';
import { checkKeys, checkName, DefinitionProblem, kindOf } from './problem.ts';
import { variableName } from './shell-command.ts';
import type { BaseInputType, InputType, TaskInput } from './types.ts';

const BASES: readonly BaseInputType[] = [
  'string',
  'text',
  'integer',
  'float',
  'boolean',
  'select',
  'path',
  'file',
];

const TYPES: readonly InputType[] = BASES.flatMap((base) => [base, `${base}_array` as const]);

/** Throws a DefinitionProblem for whatever is no input. An input without a default is required unless it says otherwise. */
export function inputsOf(inputs: unknown, path: readonly string[]): readonly TaskInput[] {
  if (inputs === undefined || inputs === null) return [];
  if (!isObject(inputs))
    throw new DefinitionProblem(
      path,
      `inputs are a mapping of names to inputs, not ${kindOf(inputs)}`,
    );
  const found = Object.entries(inputs).map(([name, input]) =>
    inputOf(name, input, [...path, name]),
  );
  const names = found.map(({ name }) => variableName(name));
  const twice = found.find((_, index) => names.indexOf(names[index] ?? '') < index);
  if (twice === undefined) return found;
  throw new DefinitionProblem(
    [...path, twice.name],
    `two inputs would both be the variable $INPUT_${variableName(twice.name)}`,
    'rename one of them',
  );
}

function inputOf(name: string, definition: unknown, path: readonly string[]): TaskInput {
  checkName('input', name, path);
  const given =
    definition === null ? {} : typeof definition === 'string' ? { type: definition } : definition;
  if (!isObject(given))
    throw new DefinitionProblem(
      path,
      `input "${name}" is a mapping or a type, not ${kindOf(given)}`,
    );
  checkKeys(given, ['type', 'description', 'default', 'required', 'values'], path);
  const values = valuesOf(given.values, path);
  const type = typeOf(given.type ?? (values === undefined ? 'string' : 'select'), path);
  if (type.startsWith('select') !== (values !== undefined))
    throw new DefinitionProblem(
      [...path, 'values'],
      values === undefined
        ? `input "${name}" is a select and needs its values`
        : `input "${name}" has values, so its type is select, not ${type}`,
    );
  const standard = given.default ?? undefined;
  const input: TaskInput = {
    name,
    type,
    description: textOf(given, 'description', path),
    required: requiredOf(given.required, standard, path),
    ...(values === undefined ? {} : { values }),
  };
  return standard === undefined ? input : { ...input, default: standardOf(input, standard, path) };
}

function typeOf(type: unknown, path: readonly string[]): InputType {
  const found = TYPES.find((each) => each === type);
  if (found !== undefined) return found;
  throw new DefinitionProblem([...path, 'type'], `there is no input type ${kindOf(type)}`, {
    word: String(type),
    among: [...BASES, ...BASES.map((base) => `${base}_array`)],
  });
}

function valuesOf(values: unknown, path: readonly string[]): readonly string[] | undefined {
  if (values === undefined || values === null) return undefined;
  const isWord = (each: unknown) =>
    typeof each === 'string' || typeof each === 'number' || typeof each === 'boolean';
  if (Array.isArray(values) && values.length > 0 && values.every(isWord)) return values.map(String);
  throw new DefinitionProblem(
    [...path, 'values'],
    `values are a list of words, not ${kindOf(values)}`,
  );
}

function requiredOf(required: unknown, standard: unknown, path: readonly string[]): boolean {
  if (required === undefined || required === null) return standard === undefined;
  if (typeof required === 'boolean') return required;
  throw new DefinitionProblem(
    [...path, 'required'],
    `required is true or false, not ${kindOf(required)}`,
  );
}

/** The default is a value like any other. */
function standardOf(input: TaskInput, standard: unknown, path: readonly string[]): unknown {
  try {
    return readInput(input, standard);
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    throw new DefinitionProblem([...path, 'default'], `the default does not fit: ${error.message}`);
  }
}
