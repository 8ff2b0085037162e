// What a question is made of: templates, standard input, files in place of a mark.

import { describe, expect, test } from 'vitest';
import { type RunOptions, runCli } from '../helpers/run.ts';

const FILES = {
  'explain.txt': 'Explain: ???\n',
  'short.txt': 'Be short.\n',
  'a.txt': 'x ??? ... $& y\n',
};

const dry = (args: readonly string[], rest: RunOptions = {}) =>
  runCli(['ask', '-d', ...args], { files: FILES, ...rest });

describe('a template', () => {
  for (const [name, args, stdin, question] of [
    ['takes the question in its place', ['-t', 'explain.txt', 'why?'], undefined, 'Explain: why?'],
    ['takes standard input for it', ['-t', 'explain.txt'], 'why ??? $&\n', 'Explain: why ??? $&'],
    [
      'without a place comes first',
      ['-t', 'short.txt', 'why?'],
      undefined,
      'Be short.\n\nuser:\n\nwhy?',
    ],
  ] as const)
    test(name, async () => {
      const { code, stdout } = await dry(args, stdin === undefined ? {} : { stdin });
      expect({ code, stdout }).toEqual({ code: 0, stdout: `user:\n\n${question}\n` });
    });

  test('is not asked with its place empty', async () => {
    const { code, stdout, stderr } = await dry(['-t', 'explain.txt']);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toBe(
      'error: the template "explain.txt" has a place for a question (???)\n  next: give the question as an argument, or on standard input\n',
    );
  });

  test('that is not there is an error with the folders that were looked into, each once', async () => {
    const { code, stderr } = await dry(['-t', 'nope', 'why?']);
    expect(code).toBe(2);
    expect(stderr).toContain('error: no such template "nope" (--template)\n');
    const [, list = ''] = /looked for it, also with \.chat, in (.*)\)/.exec(stderr) ?? [];
    const places = list.split(', ');
    expect(places).toContain('questions');
    expect(places).toEqual([...new Set(places)]);
  });
});

describe('standard input', () => {
  test('with bytes that are not UTF-8 is read with a warning', async () => {
    const { code, stdout, stderr } = await dry(['what?'], {
      stdin: Buffer.from('caf\xe9\n', 'latin1'),
    });
    expect(code).toBe(0);
    expect(stdout).toContain('<file name="stdin">\ncaf\ufffd\n');
    expect(stderr).toMatch(/^standard input:1: warning: byte 3 is not UTF-8/);
  });

  for (const args of [['what?'], ['-'], ['this: ...'], []])
    test(`that is no text is refused (${args[0] ?? 'no question'})`, async () => {
      const { code, stdout, stderr } = await dry(args, {
        stdin: Buffer.from([0x89, 0x50, 0, 0, 1, 0, 7]),
      });
      expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
      expect(stderr).toContain(
        'error: standard input is not text: it holds NUL bytes\n  next: images',
      );
    });
});

test('a file in place of ... is never searched for marks again', async () => {
  const { stdout } = await dry(['-f', 'a.txt', 'see ... and ...']);
  expect(stdout).toBe('user:\n\nsee x ??? ... $& y\n and ...\n');
});

describe('--json beside what has standard output too:', () => {
  test('a dry run prints the messages as JSON', async () => {
    const { code, stdout } = await dry(['--json', 'system: short\n\nwhy?']);
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toEqual([
      { role: 'system', content: 'short' },
      { role: 'user', content: 'why?' },
    ]);
  });

  test('events there as well are refused before anything is asked', async () => {
    const { code, stdout, stderr } = await runCli(['ask', '--json', '--events', '-', 'why?']);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(JSON.parse(stderr).error.code).toBe('options-conflict');
  });
});
