// What a command line means, against a literal made for the purpose.

import { describe, expect, test } from 'vitest';
import { parseCall } from '../../src/cli/arguments.ts';
import { type Call, type CommandSpec, wholeNumber } from '../../src/cli/spec.ts';
import { Failure } from '../../src/errors.ts';

const spec: CommandSpec = {
  path: ['cook'],
  summary: 'Cook something',
  arguments: [
    { name: 'dish', summary: 'What to cook', required: true },
    { name: 'style', summary: 'How', choices: ['raw', 'boiled', 'fried'] },
  ],
  options: [
    { long: 'model', short: 'm', value: 'name', summary: 'Which cook' },
    { long: 'add', short: 'a', value: 'what', repeat: true, summary: 'Add something' },
    { long: 'count', short: 'n', value: 'n', read: wholeNumber('count', 1), summary: 'How many' },
    { long: 'heat', value: 'level', choices: ['low', 'high'], summary: 'How hot' },
    { long: 'dry-run', short: 'd', summary: 'Only say it' },
    { long: 'no-cache', summary: 'Cook again' },
    { long: 'word', value: 'text', mayBeEmpty: true, summary: 'What is written on it' },
    { long: 'salt', short: 's', summary: 'With salt' },
  ],
  details: [],
  examples: [],
  run: async () => 0,
};

interface Meaning {
  readonly arguments?: readonly string[];
  readonly flags?: readonly string[];
  readonly model?: string;
  readonly word?: string;
  readonly add?: readonly string[];
  readonly count?: number;
}

function meaning(call: Call): Meaning {
  const flags = ['dry-run', 'no-cache', 'salt', 'quiet', 'help', 'version'].filter((long) =>
    call.flag(long),
  );
  const [model, add, count] = [call.text('model'), call.list('add'), call.value<number>('count')];
  const word = call.text('word');
  return {
    ...(call.arguments.length > 0 ? { arguments: call.arguments } : {}),
    ...(flags.length > 0 ? { flags } : {}),
    ...(model === undefined ? {} : { model }),
    ...(word === undefined ? {} : { word }),
    ...(add.length > 0 ? { add } : {}),
    ...(count === undefined ? {} : { count }),
  };
}

const understood: readonly (readonly [string, readonly string[], Meaning])[] = [
  ['an argument alone', ['soup'], { arguments: ['soup'] }],
  ['options after arguments', ['soup', '--salt'], { arguments: ['soup'], flags: ['salt'] }],
  [
    'options between arguments',
    ['soup', '-m', 'x', 'raw'],
    { arguments: ['soup', 'raw'], model: 'x' },
  ],
  ['a value behind an equals sign', ['soup', '--model=x=y'], { arguments: ['soup'], model: 'x=y' }],
  ['an empty value that means something', ['soup', '--word='], { arguments: ['soup'], word: '' }],
  ['one of its own', ['soup', '--word', ''], { arguments: ['soup'], word: '' }],
  ['an empty argument', [''], { arguments: [''] }],
  [
    'letters in one word',
    ['soup', '-dsq'],
    { arguments: ['soup'], flags: ['dry-run', 'salt', 'quiet'] },
  ],
  ['a value in the same word as its letter', ['soup', '-mx'], { arguments: ['soup'], model: 'x' }],
  [
    'a value after letters in one word',
    ['soup', '-dm', 'x'],
    { arguments: ['soup'], flags: ['dry-run'], model: 'x' },
  ],
  [
    'the last of two values',
    ['soup', '-m', 'a', '--model', 'b'],
    { arguments: ['soup'], model: 'b' },
  ],
  [
    'values that add up, in order',
    ['soup', '-a', 'x', '--add=y', '-a', 'x'],
    { arguments: ['soup'], add: ['x', 'y', 'x'] },
  ],
  ['what a reader made of a value', ['soup', '-n', '12'], { arguments: ['soup'], count: 12 }],
  [
    'a negation as an option of its own',
    ['soup', '--no-cache'],
    { arguments: ['soup'], flags: ['no-cache'] },
  ],
  [
    'text that looks like an option behind --',
    ['--salt', '--', '-m'],
    { arguments: ['-m'], flags: ['salt'] },
  ],
  ['a second -- as text', ['--', '--'], { arguments: ['--'] }],
  ['a dash as an argument', ['-'], { arguments: ['-'] }],
  ['a dash as a value', ['soup', '-m', '-'], { arguments: ['soup'], model: '-' }],
  [
    'a value that begins with a dash',
    ['soup', '-a', '-5 degrees'],
    { arguments: ['soup'], add: ['-5 degrees'] },
  ],
  ['--help before any other fault', ['--nope', '--help'], { flags: ['help'] }],
  ['--version before any other fault', ['--nope', '--version'], { flags: ['version'] }],
  ['-h without arguments', ['-h'], { flags: ['help'] }],
];

const refused: readonly (readonly [
  string,
  readonly string[],
  string,
  string,
  string | undefined,
])[] = [
  [
    'an unknown option',
    ['soup', '--modle', 'x'],
    'unknown-option',
    'chat cook has no option "--modle"',
    'did you mean "--model"?',
  ],
  [
    'an unknown option with a value',
    ['soup', '--dry-rum=x'],
    'unknown-option',
    'chat cook has no option "--dry-rum"',
    'did you mean "--dry-run"?',
  ],
  [
    'an unknown option like nothing',
    ['soup', '--zzzzz'],
    'unknown-option',
    'chat cook has no option "--zzzzz"',
    'chat cook --help lists its options',
  ],
  [
    'the name of something that every object has',
    ['soup', '--constructor'],
    'unknown-option',
    'chat cook has no option "--constructor"',
    'chat cook --help lists its options',
  ],
  [
    'an unknown letter',
    ['soup', '-x'],
    'unknown-option',
    'chat cook has no option "-x"',
    'chat cook --help lists its options',
  ],
  [
    'an unknown letter among others',
    ['soup', '-dxs'],
    'unknown-option',
    'chat cook has no option "-x"',
    'chat cook --help lists its options',
  ],
  [
    'a question that begins with a dash',
    ['-5 degrees?'],
    'unknown-option',
    'chat cook has no option "-5 degrees?"',
    'put "--" before text that begins with a dash',
  ],
  [
    'a negation that is not spelled out',
    ['soup', '--no-salt'],
    'unknown-option',
    'chat cook has no option "--no-salt"',
    'chat cook --help lists its options',
  ],
  [
    'an option without its value',
    ['soup', '--model'],
    'missing-value',
    '--model needs a value',
    '--model <name>',
  ],
  [
    'an option whose value is empty, as a variable that is not set',
    ['soup', '-m', ''],
    'missing-value',
    '--model needs a value, and what was given is empty',
    '--model <name>, or leave it out',
  ],
  [
    'an option with nothing behind the equals sign',
    ['soup', '--add=', '--add', 'x'],
    'missing-value',
    '--add needs a value, and what was given is empty',
    '--add <what>, or leave it out',
  ],
  [
    'an option whose value is white space',
    ['soup', '--heat', ' '],
    'missing-value',
    '--heat needs a value, and what was given is empty',
    '--heat <level>, or leave it out',
  ],
  [
    'an option whose value is an option',
    ['soup', '-m', '--salt'],
    'missing-value',
    '--model needs a value, and "--salt" is an option',
    '--model=--salt if that is meant',
  ],
  [
    'a flag with a value',
    ['soup', '--salt=yes'],
    'unexpected-value',
    '--salt takes no value, but "yes" was given',
    undefined,
  ],
  [
    'a value that is none of the choices',
    ['soup', '--heat', 'hihg'],
    'bad-value',
    '--heat is one of low, high, not "hihg"',
    'did you mean "high"?',
  ],
  [
    'an argument that is none of the choices',
    ['soup', 'fryed'],
    'bad-value',
    '<style> is one of raw, boiled, fried, not "fryed"',
    'did you mean "fried"?',
  ],
  [
    'a value that its reader refuses',
    ['soup', '-n', '0'],
    'bad-value',
    '--count takes a whole number from 1 on, not "0"',
    undefined,
  ],
  [
    'a missing argument',
    ['--salt'],
    'missing-argument',
    'chat cook needs <dish>: what to cook',
    'chat cook --help',
  ],
  [
    'one argument too many',
    ['soup', 'raw', 'please'],
    'too-many-arguments',
    'chat cook takes at most 2 arguments: "please" is one too many',
    'put quotes around an argument that has spaces in it',
  ],
];

describe('arguments are understood:', () => {
  for (const [name, argv, expected] of understood)
    test(name, async () => {
      expect(meaning(await parseCall(spec, argv))).toEqual(expected);
    });
});

describe('wrong use is refused with a suggestion:', () => {
  for (const [name, argv, code, message, next] of refused)
    test(name, async () => {
      const error = await parseCall(spec, argv).catch((each: unknown) => each);
      expect(error).toBeInstanceOf(Failure);
      expect(error).toMatchObject({ code, message, next, exitCode: 2 });
    });
});

test('arguments that may be repeated have no upper limit', async () => {
  const many = { ...spec, arguments: [{ name: 'dish', summary: 'What', repeat: true as const }] };
  expect((await parseCall(many, ['a', 'b', 'c', 'd'])).arguments).toEqual(['a', 'b', 'c', 'd']);
});

test('a command without arguments says that it takes none', async () => {
  const none = { ...spec, arguments: [] };
  await expect(parseCall(none, ['x'])).rejects.toMatchObject({
    message: 'chat cook takes no arguments: "x" is one too many',
    next: 'chat cook --help',
  });
});

test('asking for an option that the literal does not have is a fault of the program', async () => {
  const call = await parseCall(spec, ['soup']);
  expect(() => call.flag('nope')).toThrow('no option --nope');
});
