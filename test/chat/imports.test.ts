// Chats that take from other chats.

import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Message } from '../../src/types.ts';
import { compileFile, compileMessages, failureOf, placeOf, plain } from '../helpers/compiling.ts';
import { type Tree, temporaryFolder } from '../helpers/folder.ts';
import { vectors } from '../helpers/vectors.ts';

interface Case {
  readonly kind: 'fixture' | 'imports' | 'files';
  readonly name: string;
  readonly files: Tree;
  readonly messages: readonly Message[];
  readonly result?: readonly Message[];
  readonly message?: string;
}

describe('vectors', () => {
  const [fixture, ...cases] = vectors<{ imports_files: Case[] }>('options.json').imports_files;
  for (const { name, messages, result } of cases)
    test(name, async () => {
      const folder = temporaryFolder(fixture?.files);
      const placed = JSON.parse(JSON.stringify({ messages, result }).replaceAll('ROOT', folder));
      const work = compileMessages(folder, placed.messages, join(folder, 'main.chat'));
      if (result !== undefined) expect(plain((await work).chat)).toEqual(placed.result);
      else expect(await failureOf(work)).toMatchObject({ code: 'not-found', exitCode: 2 });
    });
});

const contents = async (files: Tree, file = 'main.chat') =>
  (await compileFile(temporaryFolder(files), file)).chat.map(({ content }) => content);

test('options of an imported chat hold where it is imported', async () => {
  const folder = temporaryFolder({
    'opt.chat': 'model: m1\n\noption: temperature 1\n\nuser: q\n',
    'main.chat': 'import: opt.chat\n',
  });
  const { chat } = await compileFile(folder, 'main.chat');
  expect(plain(chat)).toEqual([
    { role: 'model', content: 'm1' },
    { role: 'option', content: 'temperature 1' },
    { role: 'user', content: 'q' },
  ]);
  expect(chat[2]?.origin).toEqual({ file: 'opt.chat', line: 5 });
});

test('a name is tried beside its file, then in the working directory, then in the chats folders', async () => {
  const files = {
    'notes/main.chat': 'import: one\nimport: two\nimport: three\nimport: four\n',
    'notes/one': 'user: beside',
    one: 'user: not this',
    two: 'user: working directory',
    'chats/two': 'user: not this',
    'chats/three': 'user: own chats',
    'home/chats/three': 'user: not this',
    'home/chats/four': 'user: home chats',
  };
  expect(await contents(files, 'notes/main.chat')).toEqual([
    'beside',
    'working directory',
    'own chats',
    'home chats',
  ]);
});

test('continue and last take the last message that says something', async () => {
  const files = {
    'a.chat': 'user: q\n\nassistant: answer\n\nmeta: pt=1\n\nprevious_response_id: r1\n\nskip: x\n',
    'main.chat': 'continue: a.chat\nlast: a.chat\n',
  };
  expect(await contents(files)).toEqual(['answer', 'answer']);
});

test('a missing import says where it was looked for and what is near', async () => {
  const folder = temporaryFolder({
    'notes/main.chat': 'user: a\n\nimport: contxt.chat\n',
    'notes/context.chat': '',
  });
  const failure = await failureOf(compileFile(folder, 'notes/main.chat'));
  expect(failure).toMatchObject({ code: 'not-found', exitCode: 2 });
  expect(placeOf(failure)).toBe('notes/main.chat:3');
  expect(failure.next).toBe('did you mean "context.chat"?');
  expect(failure.detail[0]).toContain(
    `tried ${folder}/notes/contxt.chat, ${folder}/contxt.chat, ${folder}/chats/contxt.chat, ${folder}/home/chats/contxt.chat`,
  );
});

test('the place of a mistake in an imported chat is its own', async () => {
  const folder = temporaryFolder({
    'main.chat': 'import: a.chat\n',
    'a.chat': 'user: q\n\nimport: none\n',
  });
  expect(placeOf(await failureOf(compileFile(folder, 'main.chat')))).toBe('a.chat:3');
});

describe('import loops, and diamonds that are not loops', () => {
  test('a chat that imports itself', async () => {
    const folder = temporaryFolder({ 'main.chat': 'user: a\n\nimport: main.chat\n' });
    const failure = await failureOf(compileFile(folder, 'main.chat'));
    expect(failure).toMatchObject({ code: 'import-cycle', exitCode: 2 });
    expect(failure.message).toContain('main.chat → main.chat');
    expect(placeOf(failure)).toBe('main.chat:3');
  });

  test('a loop over another spelling of the path', async () => {
    const folder = temporaryFolder({
      'a.chat': 'import: b.chat\n',
      'b.chat': 'import: ./x/../a.chat\n',
      'x/': '',
    });
    const failure = await failureOf(compileFile(folder, 'a.chat'));
    expect(failure.message).toBe('chats import each other: a.chat → b.chat → a.chat');
  });

  test('a loop over a link', async () => {
    const folder = temporaryFolder({ 'a.chat': 'import: link.chat\n' });
    symlinkSync('a.chat', join(folder, 'link.chat'));
    expect((await failureOf(compileFile(folder, 'a.chat'))).message).toContain(
      'a.chat → link.chat',
    );
  });

  test('a diamond brings in its base where it is named each time', async () => {
    const files = {
      'main.chat': 'import: l.chat\nimport: r.chat\n',
      'l.chat': 'import: base.chat\nuser: l\n',
      'r.chat': 'import: base.chat\nuser: r\n',
      'base.chat': 'user: base\n',
    };
    expect(await contents(files)).toEqual(['base', 'l', 'base', 'r']);
  });

  test('a chain of 3,000 works', async () => {
    const files: Record<string, string> = { '3000.chat': 'user: end\n' };
    for (let link = 0; link < 3000; link++)
      files[`${link}.chat`] = `import: ${link + 1}.chat\nuser: ${link}\n`;
    const chat = await contents(files, '0.chat');
    expect(chat).toHaveLength(3001);
    expect(chat[0]).toBe('end');
    expect(chat.at(-1)).toBe('0');
  });

  test('imports that double at each of 40 levels end with an error', async () => {
    const files: Record<string, string> = { '40.chat': 'user: end\n' };
    for (let level = 0; level < 40; level++)
      files[`${level}.chat`] = `import: ${level + 1}.chat\n`.repeat(2);
    const failure = await failureOf(compileFile(temporaryFolder(files), '0.chat'));
    expect(failure).toMatchObject({ code: 'too-many-messages', exitCode: 2 });
  });
});

describe('bad input', () => {
  const cases: readonly {
    name: string;
    files: Tree;
    line: string;
    code: string;
    message: RegExp;
  }[] = [
    {
      name: 'a folder where a chat is meant',
      files: { 'main.chat': 'import: d\n', 'd/': '' },
      line: 'main.chat:1',
      code: 'is-folder',
      message: /is a folder/,
    },
    {
      name: 'a picture where a chat is meant',
      files: { 'main.chat': 'import: p\n', p: new Uint8Array([0x89, 0x50, 0, 0, 0xff]) },
      line: 'main.chat:1',
      code: 'not-text',
      message: /is not text/,
    },
    {
      name: 'a chat in UTF-16',
      files: { 'main.chat': 'import: u\n', u: Buffer.from('\ufeffuser: x', 'utf16le') },
      line: 'u:1',
      code: 'not-utf-8',
      message: /UTF-16/,
    },
    {
      name: 'an import without a name',
      files: { 'main.chat': 'user: q\n\nimport:\n\nuser: r\n' },
      line: 'main.chat:3',
      code: 'no-name',
      message: /names nothing/,
    },
    {
      name: 'a remote address without leave',
      files: { 'main.chat': 'import: https://host.example/a.chat\n' },
      line: 'main.chat:1',
      code: 'remote-not-allowed',
      message: /is a remote address/,
    },
    {
      name: 'an address of another kind',
      files: { 'main.chat': 'import: ftp://host.example/a\n' },
      line: 'main.chat:1',
      code: 'not-found',
      message: /cannot find/,
    },
    {
      name: 'a config line without a value',
      files: { 'main.chat': 'config: key\n' },
      line: 'main.chat:1',
      code: 'bad-config',
      message: /a key and a value/,
    },
  ];
  for (const { name, files, line, code, message } of cases)
    test(name, async () => {
      const failure = await failureOf(compileFile(temporaryFolder(files), 'main.chat'));
      expect(failure).toMatchObject({ code, exitCode: 2, message: expect.stringMatching(message) });
      expect(placeOf(failure)).toBe(line);
    });
});

test('a chat with a byte order mark and CRLF line ends means the same as a plain one', async () => {
  const files = {
    'main.chat': 'import: marked.chat\n',
    'marked.chat':
      '\ufeffsystem: be brief\r\nendpoint: local\r\n\r\nuser:\r\n\r\nhello\r\nthere\r\n',
  };
  const { chat } = await compileFile(temporaryFolder(files), 'main.chat');
  expect(plain(chat)).toEqual([
    { role: 'system', content: 'be brief' },
    { role: 'endpoint', content: 'local' },
    { role: 'user', content: 'hello\nthere' },
  ]);
});

test('config goes to the run and out of the chat', async () => {
  const folder = temporaryFolder({ 'main.chat': 'config: max_rounds 5 ask local\nuser: q\n' });
  const { chat, configured } = await compileFile(folder, 'main.chat');
  expect(chat).toHaveLength(1);
  expect(configured).toEqual([
    {
      key: 'max_rounds',
      value: '5',
      tokens: ['ask', 'local'],
      origin: { file: 'main.chat', line: 1 },
    },
  ]);
});

describe('tasks and jobs where none may be run or read', () => {
  for (const role of ['task', 'inline_task', 'exec_task', 'job', 'inline_job', 'step'])
    test(`${role} is an error with its place`, async () => {
      const folder = temporaryFolder({ 'main.chat': `user: q\n\n${role}: Flow do x=1\n` });
      const failure = await failureOf(compileFile(folder, 'main.chat'));
      expect(failure.exitCode).toBe(2);
      expect(failure.message).toMatch(/are not (run|read) here|needs a job/);
      expect(placeOf(failure)).toBe('main.chat:3');
    });

  test('with no-run, tasks are listed and stay', async () => {
    const folder = temporaryFolder({ 'main.chat': 'user: q\n\nexec_task: Flow do x=1\n' });
    const { chat, warnings } = await compileFile(folder, 'main.chat', { noRun: true });
    expect(chat.map(({ role }) => role)).toEqual(['user', 'exec_task']);
    expect(warnings).toEqual([
      {
        code: 'task-not-run',
        message: 'would run exec_task: Flow do x=1',
        origin: { file: 'main.chat', line: 3 },
      },
    ]);
  });
});
