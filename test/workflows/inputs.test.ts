import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { Failure } from '../../src/errors.ts';
import { checkFiles, readInputs } from '../../src/workflows/inputs.ts';
import type { Task, TaskInput } from '../../src/workflows/types.ts';
import { createFiles } from '../../src/world/files.ts';
import { temporaryFolder } from '../helpers/folder.ts';

function taskWith(...inputs: readonly Partial<TaskInput>[]): Task {
  return {
    workflow: 'Lab',
    name: 'measure',
    description: '',
    inputs: inputs.map((input) => ({
      name: 'a',
      type: 'string',
      description: '',
      required: true,
      ...input,
    })),
    deps: [],
    result: 'json',
    exec: false,
    returnPath: false,
    run: () => undefined,
  };
}

/** What each type makes of what is given; `error` is the end of the message. */
const VALUES: readonly {
  type: TaskInput['type'];
  form: 'text' | 'json';
  given: unknown;
  value?: unknown;
  error?: string;
  values?: readonly string[];
}[] = [
  { type: 'string', form: 'text', given: ' a ', value: ' a ' },
  { type: 'string', form: 'text', given: '', value: '' },
  { type: 'string', form: 'text', given: '5', value: '5' },
  { type: 'string', form: 'json', given: 'nil', value: 'nil' },
  { type: 'string', form: 'json', given: 5, value: '5' },
  { type: 'string', form: 'json', given: true, value: 'true' },
  { type: 'string', form: 'json', given: { a: 1 }, error: 'cannot be {"a":1}: it takes text' },
  { type: 'string', form: 'json', given: ['a'], error: 'cannot be ["a"]: it takes text' },
  { type: 'text', form: 'text', given: 'a\nb', value: 'a\nb' },
  { type: 'integer', form: 'text', given: ' -7 ', value: -7 },
  { type: 'integer', form: 'text', given: '+7', value: 7 },
  { type: 'integer', form: 'json', given: '7', value: 7 },
  { type: 'integer', form: 'json', given: 7.0, value: 7 },
  { type: 'integer', form: 'json', given: 7.5, error: 'cannot be 7.5: it takes a whole number' },
  {
    type: 'integer',
    form: 'text',
    given: '7.0',
    error: 'cannot be "7.0": it takes a whole number',
  },
  { type: 'integer', form: 'text', given: '1e3', error: 'it takes a whole number' },
  { type: 'integer', form: 'text', given: '0x10', error: 'it takes a whole number' },
  { type: 'integer', form: 'text', given: '', error: 'it takes a whole number' },
  {
    type: 'integer',
    form: 'text',
    given: 'three',
    error: 'cannot be "three": it takes a whole number',
  },
  {
    type: 'integer',
    form: 'text',
    given: '9007199254740993',
    error: 'it takes a whole number, at most 9007199254740991 on either side of 0',
  },
  { type: 'integer', form: 'json', given: true, error: 'it takes a whole number' },
  { type: 'float', form: 'text', given: '.5e-3', value: 0.0005 },
  { type: 'float', form: 'json', given: '2', value: 2 },
  { type: 'float', form: 'text', given: 'NaN', error: 'it takes a number' },
  { type: 'float', form: 'text', given: 'Infinity', error: 'it takes a number' },
  { type: 'float', form: 'text', given: '1e999', error: 'it takes a number' },
  { type: 'float', form: 'json', given: Number.NaN, error: 'it takes a number' },
  { type: 'boolean', form: 'text', given: 'Yes', value: true },
  { type: 'boolean', form: 'text', given: '0', value: false },
  { type: 'boolean', form: 'json', given: 'true', value: true },
  { type: 'boolean', form: 'json', given: false, value: false },
  { type: 'boolean', form: 'text', given: 'maybe', error: 'it takes true or false' },
  { type: 'boolean', form: 'text', given: 'constructor', error: 'it takes true or false' },
  { type: 'select', form: 'text', given: 'b', value: 'b', values: ['a', 'b'] },
  { type: 'select', form: 'json', given: 1, value: '1', values: ['1'] },
  { type: 'select', form: 'text', given: 'nil', value: 'nil', values: ['nil', 'b'] },
  { type: 'select', form: 'text', given: 'B', error: 'it takes one of a, b', values: ['a', 'b'] },
  { type: 'path', form: 'text', given: 'x y', value: 'x y' },
  { type: 'path', form: 'json', given: 5, error: 'it takes a path' },
  { type: 'file', form: 'text', given: '', error: 'it takes the path of a file' },
  { type: 'string_array', form: 'text', given: 'a,b c', value: ['a', 'b c'] },
  { type: 'string_array', form: 'text', given: 'a, b\nc\n', value: ['a, b', 'c'] },
  { type: 'string_array', form: 'text', given: '["a,b", "c"]', value: ['a,b', 'c'] },
  { type: 'string_array', form: 'text', given: '[a,b', value: ['[a', 'b'] },
  { type: 'string_array', form: 'text', given: '', value: [] },
  { type: 'string_array', form: 'text', given: ['a,b'], value: ['a,b'] },
  { type: 'string_array', form: 'json', given: '["a,b"]', value: ['a,b'] },
  { type: 'string_array', form: 'json', given: 'a,b', value: ['a,b'] },
  { type: 'string_array', form: 'json', given: '["a", ', error: 'it takes a list of texts' },
  { type: 'string_array', form: 'json', given: { a: 1 }, error: 'it takes a list of texts' },
  { type: 'integer_array', form: 'json', given: ['1', 2], value: [1, 2] },
  { type: 'integer_array', form: 'json', given: 3, value: [3] },
  {
    type: 'integer_array',
    form: 'text',
    given: '1,x',
    error: 'cannot be "1,x": it takes a list of whole numbers',
  },
  {
    type: 'select_array',
    form: 'json',
    given: ['a', 'c'],
    error: 'it takes a list of a, b',
    values: ['a', 'b'],
  },
  { type: 'boolean_array', form: 'text', given: 'true,no', value: [true, false] },
];

describe('a value', () => {
  for (const { type, form, given, value, error, values } of VALUES)
    test(`${type} from ${form} ${JSON.stringify(given) ?? given}`, () => {
      const task = taskWith({ type, ...(values === undefined ? {} : { values }) });
      const read = () => readInputs(task, { a: given }, form);
      if (error === undefined) expect(read()).toEqual({ a: value });
      else expect(read).toThrow(error);
    });
});

describe('inputs', () => {
  const task = taskWith(
    { name: 'word', description: 'W' },
    { name: 'count', type: 'integer', required: false, default: 3 },
    { name: 'names', type: 'string_array', required: false },
  );

  test('that are not given have their default, or are left out', () => {
    expect(readInputs(task, { word: 'w' })).toEqual({ word: 'w', count: 3 });
    expect(readInputs(task, { word: 'w', count: null, names: undefined })).toEqual({
      word: 'w',
      count: 3,
    });
    expect(readInputs(task, { word: 'w', count: 'nil', names: 'nil' }, 'text')).toEqual({
      word: 'w',
      count: 3,
    });
  });

  test('are the same when they are read again', () => {
    const once = readInputs(task, { word: 'nil,x', count: '4', names: 'a,b' }, 'text');
    expect(readInputs(task, once)).toEqual(once);
  });

  test('that are wrong, missing or unknown are all told at once', () => {
    const failure = (() => {
      try {
        return readInputs(task, { count: 'x', cuont: 1, __proto__: 1 });
      } catch (error) {
        return error;
      }
    })();
    expect(failure).toBeInstanceOf(Failure);
    expect(failure).toMatchObject({
      code: 'bad-input',
      exitCode: 2,
      at: 'Lab/measure',
      message:
        'input "word" is required: text; input "count" cannot be "x": it takes a whole number; there is no input "cuont"',
      next: 'its inputs: word (text); count (a whole number, optional); names (a list of texts, optional)',
    });
  });

  test('that are called like something that every object has hold what was given, or nothing', () => {
    const odd = taskWith(
      { name: 'constructor', required: false },
      { name: 'toString', required: false },
    );
    const values = readInputs(odd, { toString: 'x' });
    expect([values.constructor, values.toString]).toEqual([undefined, 'x']);
  });

  test('that only nil is given for are missing when they are required', () => {
    expect(() => readInputs(task, { word: 'nil' }, 'text')).toThrow('input "word" is required');
  });

  test('of a check are told what it says', () => {
    const checked = taskWith({
      type: 'integer',
      check: (value) => (value === 7 ? 'seven is odd' : undefined),
    });
    expect(readInputs(checked, { a: '6' })).toEqual({ a: 6 });
    expect(() => readInputs(checked, { a: '7' })).toThrow('input "a" cannot be "7": seven is odd');
  });

  test('that are long are not shown whole', () => {
    expect(() => readInputs(taskWith({ type: 'integer' }), { a: 'x'.repeat(5000) })).toThrow(
      /… \(5002 characters\)/,
    );
  });
});

describe('files of inputs', () => {
  const folder = temporaryFolder({ 'a.txt': '', 'd/': '' });
  const world = { files: createFiles(), cwd: folder };
  const task = taskWith(
    { type: 'file' },
    { name: 'more', type: 'file_array' },
    { name: 'p', type: 'path' },
  );

  test('are taken from the working directory, and are there', async () => {
    await checkFiles(task, { a: 'a.txt', more: [join(folder, 'a.txt')], p: 'not there' }, world);
  });

  for (const [given, found] of [
    ['gone.txt', 'nothing is there'],
    ['d', 'a folder is there'],
    ['/dev/null', 'no plain file is there'],
  ] as const)
    test(`${given}: ${found}`, async () => {
      const failed = checkFiles(task, { a: 'a.txt', more: ['a.txt', given] }, world);
      await expect(failed).rejects.toMatchObject({
        exitCode: 2,
        message: `input "more" cannot be "${given}": it takes the path of a file`,
        detail: [expect.stringContaining(found)],
      });
    });
});
