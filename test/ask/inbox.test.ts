// Notes for a run that goes on: real files, a server on loopback that says what arrived.

import {
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { callsReply, fakeHome, textReply } from '../helpers/agents.ts';
import { type RecordedRequest, type Script, startFakeServer } from '../helpers/fake-server.ts';
import { temporaryFolder, writeTree } from '../helpers/folder.ts';
import { runCli } from '../helpers/run.ts';

const WORKFLOW = `title: Says things
description: For tests.
tasks:
  greet:
    description: Greets somebody.
    inputs: {name: {type: string, required: true}}
    command: ["printf", "Hello {{name}}"]
`;

type Answer = (index: number, folder: string) => Script;

/** Two rounds of calls, then an answer. */
const greetTwice: Answer = (index) =>
  index < 2
    ? callsReply([{ name: 'greet', args: { name: `Ada ${index}` }, id: `c${index}` }])
    : textReply('Done.');

/** A folder with a chat that is asked; `before` runs before each answer of the server. */
async function ask(
  before: (index: number, folder: string) => void,
  options: {
    readonly answer?: Answer;
    readonly chat?: string;
    readonly folder?: string;
    readonly args?: readonly string[];
  } = {},
) {
  const folder = options.folder ?? temporaryFolder();
  const server = await startFakeServer((_: RecordedRequest, index) => {
    before(index, folder);
    return (options.answer ?? greetTwice)(index, folder);
  });
  onTestFinished(() => server.close());
  writeTree(folder, {
    ...fakeHome(server.url),
    'workflows/Say.yaml': WORKFLOW,
    ...(options.folder === undefined
      ? { 'x.chat': options.chat ?? 'tool: Say greet\n\nuser: greet twice\n' }
      : {}),
  });
  const result = await runCli(
    ['ask', '--no-cache', '--jobs', 'jobs', 'x.chat', ...(options.args ?? [])],
    { folder },
  );
  const prompts = server.requests.map(({ json }) => json.messages);
  return { ...result, prompts, folder, inbox: (place = '') => list(folder, place) };
}

const list = (folder: string, place: string): readonly string[] =>
  readdirSync(join(folder, 'x.chat.files', place)).sort();

const drop = (folder: string, files: Readonly<Record<string, string>>) =>
  writeTree(
    folder,
    Object.fromEntries(
      Object.entries(files).map(([name, text]) => [`x.chat.files/inbox/${name}`, text]),
    ),
  );

const users = (prompt: readonly { role: string; content: string }[] | undefined) =>
  prompt?.filter(({ role }) => role === 'user').map(({ content }) => content);

test('notes reach the next request as messages at its end, by name, and are stored nowhere', async () => {
  const { prompts, code, stderr, read, inbox } = await ask((index, folder) => {
    if (index === 0)
      drop(folder, { 'b.txt': 'Second\nline.\n', 'a.md': 'user: First, and no header' });
  });
  expect(code).toBe(0);
  expect(users(prompts[0])).toEqual(['greet twice']);
  expect(prompts[1]?.slice(-3)).toEqual([
    { role: 'tool', tool_call_id: 'c0', content: 'Hello Ada 0' },
    { role: 'user', content: 'user: First, and no header' },
    { role: 'user', content: 'Second\nline.' },
  ]);
  expect(stderr).toContain('added from the inbox: a.md, b.txt\n');
  expect(read('x.chat')).not.toContain('First');
  expect(inbox('inbox')).toEqual([]);
  expect(inbox('inbox_removed')).toEqual(['a.md', 'b.txt']);
});

test('a note stays where it was delivered: each prompt begins with the one before', async () => {
  const { prompts } = await ask((index, folder) => {
    if (index === 0) drop(folder, { 'a.txt': 'Be quick.' });
    if (index === 1) drop(folder, { 'a.txt': 'Be quicker.' });
  });
  expect(prompts).toHaveLength(3);
  expect(prompts[1]?.slice(0, prompts[0]?.length)).toEqual(prompts[0]);
  expect(prompts[2]?.slice(0, prompts[1]?.length)).toEqual(prompts[1]);
  expect(users(prompts[2])).toEqual(['greet twice', 'Be quick.', 'Be quicker.']);
});

test('what was delivered is not delivered again, and what has the name of something delivered is kept beside it', async () => {
  const first = await ask((index, folder) => {
    if (index < 2) drop(folder, { 'a.txt': `Note ${index}.` });
  });
  expect(first.inbox('inbox_removed')).toEqual(['a.txt', 'a.txt.2']);
  const again = await ask(() => {}, {
    folder: first.folder,
    args: ['and now?'],
    answer: () => textReply('Now.'),
  });
  expect(again.code).toBe(0);
  expect(users(again.prompts[0])).toEqual(['greet twice', 'and now?']);
});

test('a note that waits before the run is in its first request, and makes no answer for the cache', async () => {
  const folder = temporaryFolder({
    'x.chat': 'user: what now?\n',
    'x.chat.files/inbox/n': 'Hurry.',
  });
  const server = await startFakeServer(textReply('Here.'));
  onTestFinished(() => server.close());
  writeTree(folder, fakeHome(server.url));
  await runCli(['ask', 'x.chat'], { folder });
  expect(users(server.requests[0]?.json.messages)).toEqual(['what now?', 'Hurry.']);
  writeFileSync(join(folder, 'x.chat'), 'user: what now?\n');
  await runCli(['ask', 'x.chat'], { folder });
  // Without the note it is another question.
  expect(users(server.requests[1]?.json.messages)).toEqual(['what now?']);
});

test('without `inbox` among the strategies nothing is touched', async () => {
  const { prompts, inbox } = await ask(
    (index, folder) => {
      if (index === 0) drop(folder, { 'a.txt': 'Be quick.', abort: '' });
    },
    { args: ['-o', 'prompt_strategies=none'] },
  );
  expect(prompts).toHaveLength(3);
  expect(users(prompts[2])).toEqual(['greet twice']);
  expect(inbox('inbox')).toEqual(['a.txt', 'abort']);
});

describe('what is no note', () => {
  test('links, folders, odd names, bytes and what is too large are left with a warning each, and once', async () => {
    const { prompts, stderr, inbox, code } = await ask((index, folder) => {
      if (index !== 0) return;
      drop(folder, { 'good.txt': 'Good.', 'with\nline.txt': 'x', bytes: 'a\0b', '.hidden': 'x' });
      const place = join(folder, 'x.chat.files/inbox');
      mkdirSync(join(place, 'folder'));
      writeFileSync(join(folder, 'secret.txt'), 'a secret');
      symlinkSync(join(folder, 'secret.txt'), join(place, 'link.txt'));
      writeFileSync(join(place, 'large.txt'), 'x'.repeat(1_000_001));
      writeFileSync(join(place, 'wide.txt'), Buffer.from('\ufeffwide', 'utf16le'));
      writeFileSync(join(place, 'empty.txt'), ' \n');
    });
    expect(code).toBe(0);
    expect(users(prompts[2])).toEqual(['greet twice', 'Good.']);
    expect(inbox('inbox_removed')).toEqual(['good.txt']);
    const told = stderr.split('\n').filter((line) => line.startsWith('warning: the note '));
    expect(told.map((line) => /the note (".*?") is/.exec(line)?.[1]).sort()).toEqual(
      [
        '"bytes"',
        '"folder"',
        '"large.txt"',
        '"link.txt"',
        '"wide.txt"',
        '"with\\nline.txt"',
      ].sort(),
    );
    expect(stderr).toContain('it is a link, and only plain files are delivered');
  });

  test('an inbox that is a link, or that lies behind one, is not looked into', async () => {
    for (const linked of ['x.chat.files', 'x.chat.files/inbox', 'x.chat.files/inbox_removed']) {
      const { prompts, stderr, folder } = await ask((index, folder) => {
        if (index !== 0) return;
        const elsewhere = join(folder, 'elsewhere');
        writeTree(elsewhere, { 'inbox/mine.txt': 'private', 'mine.txt': 'private' });
        if (linked.includes('/')) mkdirSync(join(folder, 'x.chat.files'));
        if (linked.endsWith('removed')) drop(folder, { 'mine.txt': 'private' });
        symlinkSync(elsewhere, join(folder, linked));
      });
      expect(users(prompts[2]), linked).toEqual(['greet twice']);
      expect(stderr, linked).toMatch(/warning: the (?:inbox|note) .* is no plain folder\n/);
      expect(readFileSync(join(folder, 'elsewhere/mine.txt'), 'utf8')).toBe('private');
    }
  });

  test('a note that is changed later is read as it is when it is taken', async () => {
    const { prompts } = await ask((index, folder) => {
      if (index === 0) drop(folder, { 'a.txt': '' });
      if (index === 1) drop(folder, { 'a.txt': 'Filled now.' });
      const place = join(folder, 'x.chat.files/inbox/a.txt');
      if (index < 2) utimesSync(place, 1, 1);
    });
    expect(users(prompts[1])).toEqual(['greet twice']);
    expect(users(prompts[2])).toEqual(['greet twice', 'Filled now.']);
  });
});

describe('a file that says abort', () => {
  for (const name of ['abort', 'abort.txt', 'abort.now.md'])
    test(`${name} stops the run before its next request, once, and what was done is kept`, async () => {
      const { prompts, code, stderr, stdout, read, inbox, folder } = await ask((index, folder) => {
        if (index === 0) drop(folder, { [name]: 'Wrong file!\nmore', 'z.txt': 'For later.' });
      });
      expect({ code, stdout }).toEqual({ code: 130, stdout: '' });
      expect(prompts).toHaveLength(1);
      expect(stderr).toContain(`error: stopped by the file "${name}" in the inbox: Wrong file!`);
      expect(stderr).toContain('kept in x.chat: 1 complete round; ask the chat again to go on');
      expect(read('x.chat')).toContain('Hello Ada 0');
      expect(inbox('inbox')).toEqual(['z.txt']);
      expect(inbox('inbox_removed')).toEqual([name]);
      const again = await ask(() => {}, { folder, answer: () => textReply('Went on.') });
      expect(again.code).toBe(0);
      expect(users(again.prompts[0])).toEqual(['greet twice', 'For later.']);
      expect(again.read('x.chat')).toMatch(/assistant:\n\nWent on\.\n$/);
    });

  test('the events tell a run that was stopped', async () => {
    const { read } = await ask(
      (index, folder) => {
        if (index === 0) drop(folder, { abort: '' });
      },
      { args: ['--events', 'events.jsonl'] },
    );
    const last = JSON.parse(read('events.jsonl')?.trim().split('\n').at(-1) ?? '');
    expect(last).toMatchObject({
      type: 'turn_canceled',
      cancellation_reason: 'stopped by the file "abort" in the inbox',
    });
  });

  test('a file that is called something like it is a note', async () => {
    const { prompts, code } = await ask((index, folder) => {
      if (index === 0) drop(folder, { 'abort-plan.txt': 'Plan B.', aborted: 'No.' });
    });
    expect(code).toBe(0);
    expect(users(prompts[1])).toEqual(['greet twice', 'Plan B.', 'No.']);
  });
});

test('a question without a chat has no inbox', async () => {
  const server = await startFakeServer(textReply('Yes.'));
  onTestFinished(() => server.close());
  const { code, stderr } = await runCli(['ask', 'Is it?'], {
    files: {
      ...fakeHome(server.url),
      'undefined.files/inbox/a.txt': 'x',
      '.files/inbox/a.txt': 'x',
    },
  });
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  expect(users(server.requests[0]?.json.messages)).toEqual(['Is it?']);
});

test('an agent that is asked by another one has an inbox beside its own conversation', async () => {
  const folder = temporaryFolder({
    'home/.scout/Agent/Helper/start_chat': 'system: you help\n',
    'x.chat': 'socialize: true\n\nuser: ask Helper\n',
  });
  let prompts: readonly (readonly { role: string; content: string }[])[] = [];
  const server = await startFakeServer(({ json }) => {
    prompts = [...prompts, json.messages];
    const isHelper = json.messages[0].content === 'you help';
    if (isHelper) return textReply('Helped.');
    if (json.messages.some(({ role }: { role: string }) => role === 'tool'))
      return textReply('Done.');
    writeTree(folder, {
      'x.chat.files/agent.society/Helper/main/agent.chat.files/inbox/a.txt': 'Help fast.',
    });
    const args = { agent: 'Helper', prompt: 'please', conversation: 'main' };
    return callsReply([{ name: 'ask', args }]);
  });
  onTestFinished(() => server.close());
  writeTree(folder, fakeHome(server.url));
  const { code } = await runCli(['ask', '--no-cache', 'x.chat'], { folder });
  const helper = prompts.find((prompt) => prompt[0]?.content === 'you help');
  expect(code).toBe(0);
  expect(users(helper)).toEqual(['please', 'Help fast.']);
});
