// `chat print` from its command line to what it writes.

import { describe, expect, test } from 'vitest';
import { print as chatText } from '../../src/chat/print.ts';
import { cells } from '../../src/terminal/width.ts';
import { runCli } from '../helpers/run.ts';

const FILES = {
  'a.chat':
    'system: be kind\nuser:\n\nWhat?\nassistant:\n\n**This** and\n\\user: that\n\nuser: And then?\n\nassistant:\n\nLater.\n',
  'question.chat': 'user: What?\n',
  'dos.chat': '\ufeffuser:\r\n\r\nx\r\ny\r\n',
  'returns.chat': 'user:\n\nx\r\r\r\ny\r\r\nz\n\n[[ a\nb\r]]\r\nc\r',
  'open.chat': 'user:\n\n```\nx\n',
  'wide.chat': Uint8Array.from([0xff, 0xfe, 0x61, 0x00]),
  'bad.chat': Uint8Array.from([0x61, 0x0a, 0xff, 0x0a]),
  'escape.chat': 'user: a\u001b[2Jb\n',
  'messages.json': '[{"role":"user","content":"a: b"},{"role":"user","content":{"x":[1]}}]',
  'wrong.json': '[{"role":"Not a role"}]',
  'faulty.chat': 'usr: a\nimport: gone.chat\nUser: b\n',
  'folder/': '',
};

const print = (...argv: readonly string[]) => runCli(['print', ...argv], { files: FILES });

describe('forms', () => {
  for (const [name, argv, stdout] of [
    [
      'chat text in its normal form',
      ['a.chat'],
      'system:\n\nbe kind\n\nuser:\n\nWhat?\n\nassistant:\n\n**This** and\n\\user: that\n\nuser:\n\nAnd then?\n\nassistant:\n\nLater.\n',
    ],
    ['line ends and byte order mark are normal', ['dos.chat'], 'user:\n\nx\ny\n'],
    ['JSON', ['--json', 'question.chat'], '[\n{"role":"user","content":"What?"}\n]\n'],
    ['from JSON', ['--from-json', 'messages.json'], 'user:\n\n\\a: b\n\nuser:\n\n{"x":[1]}\n'],
    ['one line a message', ['--brief', 'question.chat'], 'user: What? (5 characters, a4949e2c)\n'],
    ['some roles whole', ['--expand', 'user, system', 'question.chat'], 'user:\n\nWhat?\n\n'],
    [
      'Markdown',
      ['--markdown', '--last', 'a.chat'],
      '## User\n\nAnd then?\n\n## Assistant\n\nLater.\n',
    ],
    ['the last exchange', ['--last', 'a.chat'], 'user:\n\nAnd then?\n\nassistant:\n\nLater.\n'],
    ['the answer alone', ['--answer', 'a.chat'], 'Later.\n'],
    [
      'the answer as JSON',
      ['--answer', '--json', 'a.chat'],
      '[\n{"role":"assistant","content":"Later."}\n]\n',
    ],
    ['the exact bytes in a pipe', ['escape.chat'], 'user:\n\na\u001b[2Jb\n'],
  ] as const) {
    test(name, async () => {
      expect(await print(...argv)).toMatchObject({ code: 0, stdout, stderr: '' });
    });
  }

  test('standard input', async () => {
    const result = await runCli(['print', '-'], { stdin: 'user: x\n' });
    expect(result).toMatchObject({ code: 0, stdout: 'user:\n\nx\n' });
  });

  for (const file of ['a.chat', 'dos.chat', 'returns.chat'])
    test(`printing the result of ${file} again changes nothing`, async () => {
      const once = await print(file);
      const twice = await runCli(['print', '-'], { stdin: once.stdout });
      expect(twice.stdout).toBe(once.stdout);
      const json = await print('--json', file);
      const back = await runCli(['print', '--from-json', '-'], { stdin: json.stdout });
      expect(back.stdout).toBe(once.stdout);
    });
});

describe('on a terminal', () => {
  test('control characters are shown instead of sent', async () => {
    for (const form of [[], ['--json'], ['--brief'], ['--markdown'], ['--answer', '--json']]) {
      const { code, stdout } = await runCli(['print', ...form, 'x.chat'], {
        files: { 'x.chat': 'user: q\nassistant: a\u001b[2Jb\n' },
        terminal: { colour: false },
      });
      expect(code).toBe(0);
      expect(stdout).not.toContain('\u001b');
      expect(stdout.length).toBeGreaterThan(0);
    }
  });

  test('Markdown is rendered', async () => {
    const { stdout } = await runCli(['print', '--markdown', 'a.chat'], {
      files: FILES,
      terminal: {},
    });
    expect(stdout).toContain('This');
    expect(stdout).not.toContain('**This**');
  });
});

describe('warnings', () => {
  test('an unclosed block, with its line', async () => {
    expect(await print('open.chat')).toMatchObject({
      code: 0,
      stdout: 'user:\n\n\\```\nx\n',
      stderr: expect.stringMatching(/^open\.chat:3: warning: the code fence .* never closed/),
    });
  });

  test('bytes that are not UTF-8, with their offset', async () => {
    expect(await print('bad.chat')).toMatchObject({
      code: 0,
      stdout: 'user:\n\na\n\ufffd\n',
      stderr: expect.stringMatching(/^bad\.chat:2: warning: byte 2 is not UTF-8/),
    });
  });
});

describe('--check', () => {
  test('finds nothing', async () => {
    expect(await print('--check', 'a.chat')).toMatchObject({ code: 0, stdout: '', stderr: '' });
    expect(await print('--check', '--json', 'a.chat')).toMatchObject({ code: 0, stdout: '[]\n' });
  });

  test('a line a finding', async () => {
    const { code, stdout } = await print('--check', 'faulty.chat');
    expect(code).toBe(1);
    expect(stdout.split('\n').map((line) => line.split(' ').slice(0, 3).join(' '))).toEqual([
      'faulty.chat:1: unknown role',
      'faulty.chat:2: "gone.chat" (import)',
      'faulty.chat:3: "User:" is',
      '',
    ]);
  });

  test('as JSON', async () => {
    const { code, stdout } = await print('--check', '--json', 'faulty.chat');
    expect(code).toBe(1);
    expect(JSON.parse(stdout)).toMatchObject([
      { file: 'faulty.chat', line: 1, code: 'unknown-role' },
      { file: 'faulty.chat', line: 2, code: 'missing-include' },
      { file: 'faulty.chat', line: 3, code: 'header-like' },
    ]);
  });

  test('names are looked for beside the file', async () => {
    const { code } = await runCli(['print', '--check', 'folder/x.chat'], {
      files: { 'folder/x.chat': 'file: y.txt\n', 'folder/y.txt': '' },
    });
    expect(code).toBe(0);
  });

  test('bytes that are not UTF-8 are findings', async () => {
    expect(await print('--check', 'bad.chat')).toMatchObject({
      code: 1,
      stdout: expect.stringMatching(/^bad\.chat:2: byte 2/),
    });
  });
});

describe('wrong use', () => {
  for (const [name, argv, code, stderr] of [
    ['a missing file', ['gone.chat'], 2, 'gone.chat'],
    ['a folder', ['folder'], 2, 'folder'],
    ['no file', [], 2, 'file'],
    ['UTF-16', ['wide.chat'], 2, 'UTF-16'],
    ['no JSON', ['--from-json', 'a.chat'], 2, 'as messages'],
    ['a role that no header can hold', ['--from-json', 'wrong.json'], 2, '"Not a role"'],
    ['no answer', ['--answer', 'question.chat'], 1, 'holds no answer'],
    ['two forms', ['--json', '--brief', 'a.chat'], 2, '--json and --brief'],
    ['two other forms', ['--markdown', '--expand', 'user', 'a.chat'], 2, '--markdown and --expand'],
    ['two selections', ['--last', '--answer', 'a.chat'], 2, '--last and --answer'],
    ['JSON to JSON', ['--from-json', '--json', 'messages.json'], 2, '--from-json and --json'],
    ['a form of a check', ['--check', '--brief', 'a.chat'], 2, '--check and --brief'],
    ['a check of JSON', ['--check', '--from-json', 'messages.json'], 2, '--check and --from-json'],
  ] as const) {
    test(name, async () => {
      const result = await print(...argv);
      expect(result).toMatchObject({ code, stdout: '', stderr: expect.stringContaining(stderr) });
      expect(result.stderr.trim().split('\n').length).toBeLessThanOrEqual(2);
    });
  }
});

test('on a terminal the overview has one line a message, however narrow it is', async () => {
  const chat = chatText(
    [
      ['user', 'word '.repeat(40)],
      ['user', '表'.repeat(80)],
      ['function_call_output', 'x'.repeat(5000)],
      ['user', 'short'],
    ].map(([role = '', content = '']) => ({ role, content })),
  );
  for (const columns of [60, 80, 200]) {
    const { stdout } = await runCli(['print', '--brief', 'a.chat'], {
      files: { 'a.chat': chat },
      terminal: { columns, colour: false },
    });
    const lines = stdout.trimEnd().split('\n');
    expect(lines.length).toBe(4);
    for (const line of lines) expect(cells(line)).toBeLessThanOrEqual(columns);
    expect(lines[3]).toMatch(/^user: short \(5 characters, /);
  }
});
