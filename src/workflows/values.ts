// One value of an input: what each type takes, read from text of a command line or from JSON of a model. Pure.

import { parseJson } from '../json.ts';
import type { BaseInputType, TaskInput } from './types.ts';

/** Text of a command line or a chat, or values of JSON. They differ in lists and in `nil`. */
export type InputForm = 'text' | 'json';

/** The value, or undefined when it does not fit. */
type Read = (value: unknown, input: TaskInput) => unknown;

export const isList = (input: TaskInput): boolean => input.type.endsWith('_array');

export const baseType = (input: TaskInput): BaseInputType =>
  input.type.replace(/_array$/, '') as BaseInputType;

/** Whether it stands for no value: null, and `nil` where there is only text. */
export function isNothing(value: unknown, input: TaskInput, form: InputForm): boolean {
  if (value === undefined || value === null) return true;
  return form === 'text' && value === 'nil' && input.values?.includes('nil') !== true;
}

/** The value with the type of the input, undefined when it cannot be read as that. Nothing is rounded, cut or guessed. */
export function readValue(value: unknown, input: TaskInput, form: InputForm): unknown {
  const read = READERS[baseType(input)];
  if (!isList(input)) return read(value, input);
  const list = listOf(value, form);
  const values = list?.map((each) => read(each, input));
  return values?.includes(undefined) ? undefined : values;
}

/** Completes "takes …". */
export function describeType(input: TaskInput): string {
  const base = baseType(input);
  const values = input.values ?? input.numbers ?? [];
  if (values.length > 0)
    return isList(input) ? `a list of ${values.join(', ')}` : `one of ${values.join(', ')}`;
  return isList(input) ? `a list of ${NAMES[base][1]}` : NAMES[base][0];
}

/** One of them, and several. */
const NAMES: Readonly<Record<BaseInputType, readonly [string, string]>> = {
  string: ['text', 'texts'],
  text: ['text', 'texts'],
  integer: ['a whole number', 'whole numbers'],
  float: ['a number', 'numbers'],
  boolean: ['true or false', 'true and false'],
  select: ['a word', 'words'],
  path: ['a path', 'paths'],
  file: ['the path of a file', 'paths of files'],
};

const text: Read = (value) =>
  typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
    ? String(value)
    : undefined;

const path: Read = (value) => (typeof value === 'string' && value !== '' ? value : undefined);

const number = (pattern: RegExp, isRight: (value: number) => boolean): Read => {
  return (value, { numbers }) => {
    const isText = typeof value === 'string' && pattern.test(value.trim());
    const read = isText ? Number(value) : value;
    if (typeof read !== 'number' || !isRight(read)) return undefined;
    return numbers === undefined || numbers.includes(read) ? read : undefined;
  };
};

const WORDS = new Map<string, boolean>([
  ['true', true],
  ['yes', true],
  ['on', true],
  ['1', true],
  ['false', false],
  ['no', false],
  ['off', false],
  ['0', false],
]);

const READERS: Readonly<Record<BaseInputType, Read>> = {
  string: text,
  text,
  // Past 2^53 a number would quietly become its neighbour.
  integer: number(/^[+-]?\d+$/, Number.isSafeInteger),
  float: number(/^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i, Number.isFinite),
  boolean: (value) =>
    typeof value === 'boolean' ? value : WORDS.get(String(value).trim().toLowerCase()),
  select: (value, input) => {
    const word = text(value, input);
    return input.values === undefined || input.values.includes(String(word)) ? word : undefined;
  },
  path,
  file: path,
};

/** A list; JSON of one; text of a command line also as lines, else with commas. A single value of JSON is a list of one. */
function listOf(value: unknown, form: InputForm): readonly unknown[] | undefined {
  if (Array.isArray(value)) return value;
  if (typeof value !== 'string')
    return form === 'json' && typeof value !== 'object' ? [value] : undefined;
  const isJson = /^\s*\[/.test(value);
  const parsed = isJson ? parseJson(value) : undefined;
  if (Array.isArray(parsed)) return parsed;
  if (form === 'json') return isJson ? undefined : [value];
  if (value === '') return [];
  return /\r?\n/.test(value) ? value.replace(/\r?\n$/, '').split(/\r?\n/) : value.split(',');
}
