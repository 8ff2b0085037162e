// A failure as text: what, where, what next, in two lines at most.

import { describe, expect, test } from 'vitest';
import { report, toJson, toLines } from '../../src/cli/report.ts';
import {
  configFailure,
  Failure,
  Interruption,
  providerFailure,
  usageFailure,
} from '../../src/errors.ts';

const lines: readonly (readonly [string, Failure, readonly string[]])[] = [
  ['what alone', usageFailure('x', 'it went wrong'), ['error: it went wrong']],
  [
    'what, where and what next',
    usageFailure('x', 'cannot import "contxt.chat": no such chat', {
      at: { file: 'notes/plan.chat', line: 12 },
      next: 'did you mean "context.chat"?',
    }),
    [
      'error: cannot import "contxt.chat": no such chat (notes/plan.chat:12)',
      '  next: did you mean "context.chat"?',
    ],
  ],
  [
    'more facts beside what to do next',
    configFailure('x', 'no endpoint "loca"', {
      at: '--endpoint',
      detail: ['tried a.yaml', 'tried b.yaml'],
      next: 'chat endpoint list',
    }),
    [
      'error: no endpoint "loca" (--endpoint)',
      '  next: chat endpoint list (tried a.yaml; tried b.yaml)',
    ],
  ],
  [
    'facts alone',
    configFailure('x', 'nothing found', { at: { line: 3 }, detail: ['tried a', 'tried b'] }),
    ['error: nothing found (line 3)', '  tried a; tried b'],
  ],
  [
    'a message of several lines on one line',
    providerFailure('x', 'the server said:\n\n  no\n', { next: 'wait\nand see' }),
    ['error: the server said: no', '  next: wait and see'],
  ],
  [
    'control characters of other people as pictures',
    providerFailure('x', 'bad name "\x1b]0;owned\x07\x1b[2J" in \u202ereply'),
    ['error: bad name "␛]0;owned␇␛[2J" in <U+202E>reply'],
  ],
];

describe('a failure in lines:', () => {
  for (const [name, failure, expected] of lines)
    test(name, () => expect(toLines(failure)).toEqual(expected));

  test('with colour only the labels are coloured', () => {
    const failure = usageFailure('x', 'wrong', { next: 'right' });
    expect(toLines(failure, true)).toEqual([
      '\x1b[1;31merror:\x1b[0m wrong',
      '  \x1b[1mnext:\x1b[0m right',
    ]);
  });
});

describe('a failure as JSON:', () => {
  test('has what is known, on one line', () => {
    const failure = providerFailure('refused', 'the server refused\nus', {
      at: { file: 'a.chat', line: 2 },
      next: 'check the key',
      facts: { status: 401, attempts: 1, code: 'not this one' },
    });
    const text = toJson(failure);
    expect(text).not.toContain('\n');
    expect(JSON.parse(text)).toEqual({
      error: {
        code: 'refused',
        message: 'the server refused\nus',
        at: { file: 'a.chat', line: 2 },
        next: 'check the key',
        exit: 4,
        status: 401,
        attempts: 1,
      },
    });
  });

  test('holds no character that a terminal would obey, and loses none', () => {
    const message = 'x\x1b[2J\x9b31m\u2028\u202e\x7f';
    const text = toJson(usageFailure('x', message));
    expect(text).toMatch(/^[\x20-\x7e]*$/);
    expect(JSON.parse(text).error.message).toBe(message);
  });
});

describe('report', () => {
  const told = (error: unknown, debug = false) => {
    const notes: string[] = [];
    const output = {
      note: (text: string) => notes.push(text),
      stderr: { terminal: false, colour: false, columns: 80 },
    };
    const code = report(
      error,
      { ...output, note: (text) => void output.note(text) },
      { json: false, debug },
    );
    return { code, text: notes.join('\n') };
  };

  const codes: readonly (readonly [string, unknown, number, RegExp])[] = [
    ['a failure ends with its own code', configFailure('x', 'no key'), 3, /^error: no key$/],
    [
      'an unexpected exception ends with 1 and says whose fault it is',
      new TypeError('x is not a function'),
      1,
      /^error: unexpected TypeError: x is not a function\n {2}next: .*--debug/,
    ],
    [
      'a limit on addresses (ulimit -v) is no fault of the program',
      new RangeError('WebAssembly.Instance(): Out of memory: Cannot allocate Wasm memory'),
      1,
      /^error: the system gives this program no more memory: .*\n {2}next: .*`ulimit -v`/,
    ],
    ['what is thrown need not be an error', 'text', 1, /^error: unexpected text\n/],
    ['Ctrl-C ends with 130 and needs no words', new Interruption('SIGINT'), 130, /^$/],
    ['TERM ends with 143 and needs no words', new Interruption('SIGTERM'), 143, /^$/],
    ['a closed terminal ends like TERM', new Interruption('SIGHUP'), 143, /^$/],
    [
      'an error that Ctrl-C caused is Ctrl-C',
      new Error('aborted', { cause: new Interruption('SIGINT') }),
      130,
      /^$/,
    ],
    [
      'a stopped run that has something to tell is heard',
      new Failure({
        code: 'stopped',
        message: 'stopped; two rounds are saved',
        exitCode: 130,
        cause: new Interruption('SIGINT'),
      }),
      130,
      /^error: stopped; two rounds are saved$/,
    ],
  ];
  for (const [name, error, code, text] of codes)
    test(name, () => {
      const result = told(error);
      expect(result.code).toBe(code);
      expect(result.text).toMatch(text);
    });

  test('the stack, and those of the causes, follow only with debug', () => {
    const error = usageFailure('x', 'outer', { cause: new Error('inner') });
    expect(told(error).text).not.toContain('report.test.ts');
    expect(told(error, true).text).toMatch(
      /^error: outer\nFailure: outer\n {4}at [\s\S]*report\.test\.ts[\s\S]*\ncaused by: Error: inner\n/,
    );
  });
});
