// Command lines from end to end in this process: what stands on which stream, and the exit code.

import { describe, expect, test } from 'vitest';
import { runCli } from '../helpers/run.ts';

interface Refusal {
  readonly argv: readonly string[];
  readonly stderr: string;
}

const wrongUse: readonly Refusal[] = [
  {
    argv: ['pirnt', 'x.chat'],
    stderr: 'error: there is no command "chat pirnt"\n  next: did you mean "chat print"?\n',
  },
  {
    argv: ['hlep'],
    stderr: 'error: there is no command "chat hlep"\n  next: did you mean "chat help"?\n',
  },
  {
    argv: ['qqqq'],
    stderr: 'error: there is no command "chat qqqq"\n  next: "chat --help" lists the commands\n',
  },
  {
    argv: ['constructor'],
    stderr:
      'error: there is no command "chat constructor"\n  next: "chat --help" lists the commands\n',
  },
  {
    argv: ['notes.chat'],
    stderr: 'error: there is no command "chat notes.chat"\n  next: chat ask notes.chat\n',
  },
  {
    argv: ['endpoint'],
    stderr: 'error: "chat endpoint" needs one of: list, test\n  next: chat endpoint --help\n',
  },
  {
    argv: ['endpoint', 'lits'],
    stderr:
      'error: there is no command "chat endpoint lits"\n  next: did you mean "chat endpoint list"?\n',
  },
  {
    argv: ['--nope'],
    stderr: 'error: chat has no option "--nope"\n  next: chat --help lists its options\n',
  },
  {
    argv: ['--verison'],
    stderr: 'error: chat has no option "--verison"\n  next: did you mean "--version"?\n',
  },
  {
    argv: ['--color', 'blue', 'help'],
    stderr: 'error: --color is one of auto, always, never, not "blue"\n',
  },
  {
    argv: ['help', 'pritn'],
    stderr: 'error: there is no help about "pritn"\n  next: did you mean "print"?\n',
  },
  {
    argv: ['agent'],
    stderr: 'error: "chat agent" needs one of: ask, list, find\n  next: chat agent --help\n',
  },
  {
    argv: ['prov'],
    stderr:
      'error: chat prov needs <path>: a chat, a job (its path, or Workflow/task/name), or a folder with some\n  next: chat prov --help\n',
  },
  {
    argv: ['task'],
    stderr:
      'error: "chat task" needs one of: list, run, serve, info, status, clean, log\n  next: chat task --help\n',
  },
];

describe('wrong use ends with 2, a message on standard error and nothing on standard output:', () => {
  for (const { argv, stderr } of wrongUse)
    test(`chat ${argv.join(' ')}`, async () => {
      const result = await runCli(argv);
      expect(result).toMatchObject({ code: 2, stdout: '', stderr });
    });
});

const shown: readonly (readonly [readonly string[], RegExp])[] = [
  [[], /^Usage: chat <command>/],
  [['--help'], /^Usage: chat <command>/],
  [['-h'], /^Usage: chat <command>/],
  [['-v', '--help'], /^Usage: chat <command>/],
  [['help'], /^Usage: chat <command>/],
  [['--version'], /^scout-chat \d+\.\d+\.\d+\n$/],
  [['help', '--version'], /^scout-chat \d+\.\d+\.\d+\n$/],
  [['help', 'help'], /^Usage: chat help /],
  [['help', '--help'], /^Usage: chat help /],
  [['--color', 'never', 'help', '--help'], /^Usage: chat help /],
  [['endpoint', '--help'], /^Usage: chat endpoint <command>/],
  [['help', 'endpoint'], /^Usage: chat endpoint <command>/],
  [['endpoint', '--debug', 'list', '--help'], /^Usage: chat endpoint list/],
  [['help', 'endpoint', 'list'], /^Usage: chat endpoint list/],
  [['help', 'chat', 'ask'], /^Usage: chat ask /],
  [['help', 'chat-endpoint-list(1)'], /^Usage: chat endpoint list/],
  [['help', 'chat-format(5)'], /^chat-format - /],
  [['help', 'format'], /^chat-format - /],
  [['help', 'endpoints'], /^chat-endpoints - /],
  [['help', 'errors'], /^chat-errors - /],
  [['help', 'chat'], /^chat - /],
  [['help', '--markdown'], /^# Commands\n\n\| command \|/],
  [['agent', '--help'], /^Usage: chat agent <command>/],
  [['prov', '-h'], /^Usage: chat prov /],
];

describe('what was asked for stands on standard output, with 0 and no other word:', () => {
  for (const [argv, stdout] of shown)
    test(`chat ${argv.join(' ')}`, async () => {
      const result = await runCli(argv);
      expect(result).toMatchObject({ code: 0, stderr: '' });
      expect(result.stdout).toMatch(stdout);
    });
});

test('no line of help or of a topic is wider than 80 columns', async () => {
  for (const argv of [
    ['--help'],
    ['help', 'format'],
    ['help', 'endpoints'],
    ['help', 'errors'],
    ['help', 'chat'],
    ['endpoint', '--help'],
  ]) {
    const { stdout } = await runCli(argv);
    expect(stdout.split('\n').filter((line) => line.length > 80)).toEqual([]);
  }
});

describe('an error with --json is one object on standard error', () => {
  test('also when the command line itself is wrong', async () => {
    const { code, stdout, stderr } = await runCli(['print', '--json', '--nope']);
    expect([code, stdout]).toEqual([2, '']);
    expect(JSON.parse(stderr)).toEqual({
      error: {
        code: 'unknown-option',
        message: 'chat print has no option "--nope"',
        next: 'chat print --help lists its options',
        exit: 2,
      },
    });
  });

  test('but not when --json is text', async () => {
    expect((await runCli(['endpoint', 'lits', '--', '--json'])).stderr).toMatch(/^error: /);
  });
});

const colours: readonly (readonly [string, readonly string[], boolean, boolean])[] = [
  ['a terminal has colour', [], true, true],
  ['a pipe has none', [], false, false],
  ['--color always colours a pipe', ['--color', 'always'], false, true],
  ['--color=always too', ['--color=always'], false, true],
  ['--color never keeps a terminal plain', ['--color', 'never'], true, false],
  ['--color auto leaves a terminal as it is', ['--color', 'auto'], true, true],
];

describe('colour of errors:', () => {
  for (const [name, options, terminal, coloured] of colours)
    test(name, async () => {
      const { stderr } = await runCli([...options, 'hlep'], terminal ? { terminal: {} } : {});
      expect(stderr.includes('\x1b[')).toBe(coloured);
    });
});

test('--debug adds the stack', async () => {
  expect((await runCli(['hlep', '--debug'])).stderr).toMatch(/\n {4}at .*overview\.ts/);
});

test('--quiet mutes notes, not errors', async () => {
  const { stderr, read } = await runCli(['help', '--man', 'pages', '--quiet']);
  expect([stderr, read('pages/chat.1')?.slice(0, 3)]).toEqual(['', '.\\"']);
  expect((await runCli(['help', '--man', 'pages'])).stderr).toMatch(/^wrote \d+ pages to pages\n$/);
  expect((await runCli(['--quiet', 'hlep'])).stderr).toMatch(/^error: /);
});

describe('help on a narrow terminal is as wide as the terminal, and says the same:', () => {
  for (const argv of [
    ['--help'],
    ['ask', '--help'],
    ['help', 'prov'],
    ['task', '--help'],
    ['help', 'format'],
    ['help', 'endpoints'],
  ])
    test(argv.join(' '), async () => {
      const wide = await runCli(argv, {});
      const narrow = await runCli(argv, { terminal: { columns: 40 } });
      const words = (text: string) => text.split(/\s+/).sort();
      expect(words(narrow.stdout)).toEqual(words(wide.stdout));
      // What is typed stands in both as it is, and a word that is longer than a line is not broken.
      const verbatim = new Set(wide.stdout.split('\n'));
      const long = narrow.stdout
        .split('\n')
        .filter((line) => line.length > 40 && line.trim().includes(' '));
      expect(long.filter((line) => !verbatim.has(line))).toEqual([]);
      expect(narrow.stdout.split('\n').length).toBeGreaterThan(wide.stdout.split('\n').length);
    });

  test('and on a wide one as wide as in a pipe', async () => {
    const wide = await runCli(['ask', '--help'], { terminal: { columns: 200 } });
    expect(wide.stdout).toBe((await runCli(['ask', '--help'], {})).stdout);
  });
});
