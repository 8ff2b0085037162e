import { describe, expect, test } from 'vitest';
import { type ToolInputs, toolInputs, toolNames, toolSpec } from '../../src/workflows/schema.ts';
import type { Task, TaskInput } from '../../src/workflows/types.ts';

const inputs: readonly TaskInput[] = [
  { name: 'word', type: 'string', description: 'The word', required: true },
  { name: 'count', type: 'integer', description: 'How often', required: false, default: 3 },
  { name: 'share', type: 'float', description: '', required: false },
  { name: 'sure', type: 'boolean', description: '', required: false, default: false },
  { name: 'size', type: 'select', description: '', required: true, values: ['s', 'm'] },
  { name: 'names', type: 'string_array', description: '', required: false, default: ['a'] },
  { name: 'sizes', type: 'select_array', description: 'Many', required: false, values: ['s', 'm'] },
  { name: 'place', type: 'path', description: '', required: false },
  { name: 'table', type: 'file', description: '', required: false },
];

const make = (workflow: string, name: string, rest: Partial<Task> = {}): Task => ({
  workflow,
  name,
  description: 'Measures.',
  inputs,
  deps: [],
  result: 'json',
  exec: false,
  returnPath: false,
  run: () => undefined,
  ...rest,
});

const task = make('Lab', 'measure');

test('a tool has types, enums, defaults, what is required, and descriptions', () => {
  expect(toolSpec(task)).toEqual({
    name: 'measure',
    description: 'Measures.',
    parameters: {
      type: 'object',
      properties: {
        word: { type: 'string', description: 'The word' },
        count: { type: 'integer', description: 'How often', default: 3 },
        share: { type: 'number' },
        sure: { type: 'boolean', default: false },
        size: { type: 'string', enum: ['s', 'm'] },
        names: { type: 'array', items: { type: 'string' }, default: ['a'] },
        sizes: { type: 'array', items: { type: 'string', enum: ['s', 'm'] }, description: 'Many' },
        place: { type: 'string', description: 'A path' },
        table: { type: 'string', description: 'The path of a file' },
      },
      required: ['word', 'size'],
    },
  });
  expect(toolSpec(make('Lab', 'x', { description: '', inputs: [] }))).toEqual({
    name: 'x',
    description: 'Task x of Lab',
    parameters: { type: 'object', properties: {} },
  });
});

const HIDDEN: readonly {
  name: string;
  given: ToolInputs;
  shown: readonly string[];
  required?: readonly string[];
}[] = [
  {
    name: 'named inputs are the only ones',
    given: { only: ['word', 'count'] },
    shown: ['word', 'count'],
    required: ['word'],
  },
  {
    name: 'a fixed input is hidden, the others stay',
    given: { fixed: { word: 'w', size: 's', names: 'a,b' } },
    shown: ['count', 'share', 'sure', 'sizes', 'place', 'table'],
  },
  { name: 'named and fixed', given: { only: ['count'], fixed: { word: 'w' } }, shown: ['count'] },
  { name: 'none', given: { none: true, fixed: { word: 'w' } }, shown: [] },
];

describe('of the inputs', () => {
  for (const { name, given, shown, required } of HIDDEN)
    test(name, () => {
      const { parameters } = toolSpec(task, given);
      expect(Object.keys(parameters.properties as object)).toEqual(shown);
      expect(parameters.required).toEqual(required);
    });

  test('an unknown one is refused, and a fixed value of the wrong type', () => {
    expect(() => toolSpec(task, { only: ['wrod'] })).toThrow('Lab/measure has no input "wrod"');
    expect(() => toolSpec(task, { fixed: { constructor: 'x' } })).toThrow(
      'has no input "constructor"',
    );
    expect(() => toolSpec(task, { fixed: { count: 'many' } })).toThrow(
      'input "count" cannot be "many"',
    );
  });
});

describe('the inputs of a call', () => {
  const fixed: ToolInputs = {
    fixed: { word: 'nil, {{x}}', names: 'a,b' },
    only: ['count', 'size'],
  };

  test('are what the model set with what is fixed; text stays text', () => {
    expect(toolInputs(task, fixed, { count: '5', size: 's' })).toEqual({
      word: 'nil, {{x}}',
      names: ['a', 'b'],
      count: 5,
      size: 's',
      sure: false,
    });
  });

  for (const name of ['word', 'share', 'names', 'nothing'])
    test(`"${name}", which it was not shown, is refused`, () => {
      expect(() => toolInputs(task, fixed, { size: 's', [name]: 'x' })).toThrow(
        `there is no input "${name}"`,
      );
    });

  test('that are wrong say what is right', () => {
    expect(() => toolInputs(task, fixed, { count: 1 })).toThrow(
      'input "size" is required: one of s, m',
    );
  });
});

const long = (letter: string) => `${'a'.repeat(80)}${letter}`;

const NAMES: readonly {
  name: string;
  tasks: readonly Task[];
  taken?: readonly string[];
  names: readonly (string | RegExp)[];
}[] = [
  { name: 'the task’s own', tasks: [make('A', 'x'), make('B', 'y')], names: ['x', 'y'] },
  {
    name: 'with its workflow when another has it',
    tasks: [make('A', 'x'), make('B', 'x'), make('C', 'x')],
    names: ['x', 'B_x', 'C_x'],
  },
  {
    name: 'the same for the same task',
    tasks: [make('A', 'x'), make('B', 'x'), make('A', 'x')],
    names: ['x', 'B_x', 'x'],
  },
  {
    name: 'none that something else has',
    tasks: [make('A', 'x')],
    taken: ['x', 'A_x'],
    names: [/^A_x_[0-9a-f]{8}$/],
  },
  {
    name: 'clean and still different',
    tasks: [make('A', 'läsa'), make('A', 'lösa')],
    names: [/^l_sa_[0-9a-f]{8}$/, /^l_sa_[0-9a-f]{8}$/],
  },
  {
    name: 'short and still different',
    tasks: [make('A', long('x')), make('A', long('y'))],
    names: [/^a{55}_[0-9a-f]{8}$/, /^a{55}_[0-9a-f]{8}$/],
  },
  {
    name: 'clean with the workflow',
    tasks: [make('A', 'x'), make('Ä', 'x')],
    names: ['x', /^__x_[0-9a-f]{8}$/],
  },
];

describe('names of tools:', () => {
  for (const { name, tasks, taken, names } of NAMES)
    test(name, () => {
      const found = toolNames(tasks, taken);
      for (const [index, expected] of names.entries())
        if (typeof expected === 'string') expect(found[index]).toBe(expected);
        else expect(found[index]).toMatch(expected);
      for (const each of found) expect(each).toMatch(/^[A-Za-z0-9_-]{1,64}$/);
      const different = new Set(tasks.map((each) => `${each.workflow}/${each.name}`));
      expect(new Set(found).size).toBe(different.size);
      expect(toolNames(tasks, taken)).toEqual(found);
    });
});
