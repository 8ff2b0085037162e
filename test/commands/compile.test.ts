// `chat compile`: the compiled chat, the prompt, the request.

import { describe, expect, onTestFinished, test } from 'vitest';
import { startFakeServer } from '../helpers/fake-server.ts';
import { runCli } from '../helpers/run.ts';

const FILES = {
  'main.chat':
    'endpoint: x\n\nimport: base.chat\n\noption: temperature 0.5\n\nfile: notes.txt\n\nuser: q\n',
  'base.chat': 'system: be brief\n',
  'notes.txt': 'note: one\n',
  'home/etc/AI/x.yaml':
    'url: http://127.0.0.1:9/v1\nmodel: m\nkey_env: MY_KEY\nheaders: {x-team: blue}\n',
};
const chat = (...argv: readonly string[]) => runCli(['compile', ...argv], { files: FILES });

test('shows the compiled chat, options in it, as a chat', async () => {
  const { code, stdout, stderr } = await chat('main.chat');
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  expect(stdout).toBe(
    `endpoint:\n\nx\n\nsystem:\n\nbe brief\n\noption: temperature 0.5\n\nuser:\n\n<file name="notes.txt">\nnote: one\n\n</file>\n\nuser:\n\nq\n`,
  );
});

test('as JSON', async () => {
  const { stdout } = await chat('--json', 'main.chat');
  expect(JSON.parse(stdout).map(({ role }: { role: string }) => role)).toEqual([
    'endpoint',
    'system',
    'option',
    'user',
    'user',
  ]);
});

test('reads standard input, names relative to the working directory', async () => {
  const { stdout } = await runCli(['compile', '-'], { files: FILES, stdin: 'import: base.chat\n' });
  expect(stdout).toBe('system:\n\nbe brief\n');
});

describe('on the way to a model', () => {
  const files = { ...FILES, 'home/.scout/etc/AI/x.yaml': FILES['home/etc/AI/x.yaml'] };

  test('the prompt is without options', async () => {
    const { stdout, code } = await runCli(['compile', '--prompt', 'main.chat'], { files });
    expect(code).toBe(0);
    expect(stdout).toMatch(/^system:\n\nbe brief\n\nuser:/);
    expect(stdout).not.toContain('temperature');
  });

  test('the wire form is the body, on one line, without looking up the key', async () => {
    const { stdout, stderr, code } = await runCli(
      ['compile', '--wire', 'main.chat', '-o', 'seed=7'],
      { files },
    );
    expect(code).toBe(0);
    expect(stdout.trimEnd()).not.toContain('\n');
    expect(JSON.parse(stdout)).toMatchObject({ model: 'm', temperature: 0.5, seed: 7 });
    expect(stderr).toBe('for endpoint x (openai, http://127.0.0.1:9/v1), headers: x-team\n');
  });

  test('the wire form is what an ask sends', async () => {
    const server = await startFakeServer({
      body: { choices: [{ message: { content: 'hi' }, finish_reason: 'stop' }] },
    });
    onTestFinished(() => server.close());
    const served = { ...files, 'home/.scout/etc/AI/x.yaml': `url: ${server.url}/v1\nmodel: m\n` };
    const { stdout, folder } = await runCli(['compile', '--wire', 'main.chat'], { files: served });
    expect(server.requests).toHaveLength(0);
    const asked = await runCli(['ask', 'main.chat'], { folder });
    expect(asked).toMatchObject({ code: 0, stderr: '' });
    expect(server.requests[0]?.body.replaceAll(`${folder}/`, '')).toBe(stdout.trimEnd());
  });

  test('a chat that is answered is shown too, with a word on what is missing', async () => {
    const answered = { ...files, 'a.chat': 'endpoint: x\n\nuser: q\n\nassistant: a\n' };
    for (const view of ['--prompt', '--wire']) {
      const { code, stdout, stderr } = await runCli(['compile', view, 'a.chat'], {
        files: answered,
      });
      expect(code).toBe(0);
      expect(stdout).toContain('assistant');
      expect(stderr).toContain(
        'a.chat:5: warning: the last message is an answer: asking needs a question behind it\n',
      );
    }
  });

  test('what a later version will serve is told, line by line', async () => {
    const later =
      'endpoint: x\ntoolkit: shell\nallow_path: here\nallow_read_path: there\nuser: q\n';
    const { code, stderr } = await runCli(['compile', '--wire', '-q', 'l.chat'], {
      files: { ...files, 'l.chat': later },
    });
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    const loud = await runCli(['compile', '--prompt', 'l.chat'], {
      files: { ...files, 'l.chat': later },
    });
    expect(loud.stderr.split('\n').sort()).toEqual([
      '',
      'l.chat:2: warning: "toolkit: shell" has no effect: this version does not serve the role',
      'l.chat:3: warning: "allow_path: here" has no effect: this version does not serve the role',
      'l.chat:4: warning: "allow_read_path: there" has no effect: this version does not serve the role',
    ]);
  });

  test('a key is nowhere to be seen', async () => {
    const { stdout, stderr } = await runCli(
      ['compile', '--wire', 'main.chat', '-o', 'key=KEY-mock-123'],
      {
        files,
        env: { MY_KEY: 'KEY-mock-123' },
      },
    );
    expect(stdout + stderr).not.toContain('KEY-mock-123');
  });
});

describe('bad input ends with the right exit code and says what, where and what next', () => {
  const cases: readonly {
    name: string;
    argv?: readonly string[];
    files: Record<string, string>;
    code: number;
    stderr: string;
  }[] = [
    {
      name: 'a missing chat',
      files: {},
      code: 2,
      stderr:
        'error: cannot read "main.chat": no such file\n  next: check the name, and the folder that it is seen from\n',
    },
    {
      name: 'a folder where a chat is meant',
      files: { 'main.chat/': '' },
      code: 2,
      stderr: 'error: cannot read "main.chat": it is a folder\n',
    },
    {
      name: 'a missing import',
      files: { 'main.chat': 'user: q\n\nimport: bse.chat\n', 'base.chat': '' },
      code: 2,
      stderr:
        'error: cannot find "bse.chat" (import) (main.chat:3)\n  next: did you mean "base.chat"? (tried bse.chat, chats/bse.chat, home/.scout/chats/bse.chat, ',
    },
    {
      name: 'a cycle of imports',
      files: { 'main.chat': 'import: main.chat\n' },
      code: 2,
      stderr:
        'error: chats import each other: main.chat → main.chat (main.chat:1)\n  next: take out one of these imports\n',
    },
    {
      name: 'an unknown role on the way to a model',
      argv: ['--prompt'],
      files: { 'main.chat': 'usr: q\n' },
      code: 2,
      stderr:
        'error: unknown role "usr" (main.chat:1)\n  next: did you mean "user:"? if it is text, write `\\usr:`\n',
    },
    {
      name: 'an unknown endpoint',
      argv: ['--prompt'],
      files: { 'main.chat': 'endpoint: lokal\nuser: q\n' },
      code: 3,
      stderr: 'error: no endpoint "lokal" (main.chat:1)\n  next: did you mean "local"?',
    },
    {
      name: 'bad YAML',
      argv: ['--wire', '-e', 'x'],
      files: { 'main.chat': 'user: q\n', 'etc/AI/x.yaml': 'url: a: b\n' },
      code: 3,
      stderr: 'error: the endpoint file is no valid YAML: ',
    },
    {
      name: 'a bad option',
      argv: ['--wire', '-e', 'local'],
      files: { 'main.chat': 'option: temperature abc\nuser: q\n' },
      code: 2,
      stderr: 'error: the option "temperature" takes a number from 0 on, not "abc" (main.chat:1)\n',
    },
    {
      name: 'an option that is none, also where it is not used',
      argv: ['-o', 'temperature'],
      files: { 'main.chat': 'user: q\n' },
      code: 2,
      stderr: 'error: -o takes key=value, not "temperature" (command line)\n',
    },
    {
      name: 'two views at once',
      argv: ['--wire', '--prompt'],
      files: { 'main.chat': 'user: q\n' },
      code: 2,
      stderr: 'error: --prompt and --wire are two views: give one of them\n',
    },
    {
      name: 'a task',
      files: { 'main.chat': 'exec_task: Evil run\n' },
      code: 3,
      stderr: 'error: there is no workflow "Evil" (main.chat:1)\n',
    },
  ];
  for (const { name, argv = [], files, code, stderr } of cases)
    test(name, async () => {
      const result = await runCli(['compile', ...argv, 'main.chat'], {
        files: { 'home/.scout/': '', ...files },
      });
      expect(result.stdout).toBe('');
      expect(result.stderr.slice(0, stderr.length)).toBe(stderr);
      expect(result.stderr.trimEnd().split('\n').length).toBeLessThanOrEqual(2);
      expect(result.code).toBe(code);
    });
});
