// Agents as folders: found, listed, loaded, asked, and what is said about those that cannot be.

import { execFileSync } from 'node:child_process';
import * as path from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { type FakeServer, startFakeServer } from '../helpers/fake-server.ts';
import { temporaryFolder } from '../helpers/folder.ts';
import { openaiStream } from '../helpers/openai-replies.ts';
import { runCli } from '../helpers/run.ts';

let server: FakeServer;
afterEach(() => server?.close());

const RESEARCHER = 'system: You look things up.\n\noption: temperature 0.5\n\nendpoint: fake\n';

const WORKFLOW = `tasks:
  lookup:
    description: Looks a word up
    inputs: {word: {type: string, default: none}}
    deps: [shelf]
    command: ["sh", "-c", "cat $DEP_shelf; printf ' %s' \\"$1\\"", "sh", "{{word}}"]
  shelf:
    command: ["printf", "the shelf has"]
`;

async function home(files: Record<string, string>): Promise<Record<string, string>> {
  server = await startFakeServer(openaiStream('It is so.'));
  return {
    'home/.scout/etc/AI/fake.yaml': `backend: openai\nurl: ${server.url}/v1\nmodel: fake-mini\nretry_max: 0\n`,
    'var/jobs/': '',
    ...files,
  };
}

describe('finding', () => {
  test('the first folder with a start chat counts, in the order of the places', async () => {
    const places = ['chats/A', 'chats/Agent/A', 'var/Agent/A', 'Agent/A', 'workflows/A'];
    const files: Record<string, string> = { 'home/.scout/': '' };
    for (const place of places) {
      files[`${place}/start_chat`] = 'system: x\n';
      const { stdout, code } = await runCli(['agent', 'find', 'A'], { files });
      expect([code, stdout.split('\n')[0]]).toEqual([0, place]);
    }
  });

  test('a folder for the workflow alone does not hide the agent of its name', async () => {
    const { stdout } = await runCli(['agent', 'find', 'A'], {
      files: { 'workflows/A/workflow.yaml': WORKFLOW, 'Agent/A/start_chat': 'system: x\n' },
    });
    expect(stdout).toContain('Agent/A\n');
  });

  test('the list has each name once, and no folder without a start chat', async () => {
    const files = {
      'home/.scout/Agent/B/start_chat': 'system: b\n',
      'home/.scout/Agent/A/start_chat': 'system: hidden\n',
      'Agent/A/start_chat': 'system: a\n',
      'Agent/Empty/': '',
    };
    const { stdout } = await runCli(['agent', 'list'], { files });
    expect(stdout).toBe('A  Agent/A\nB  home/.scout/Agent/B\n');
    const { stdout: json } = await runCli(['agent', 'list', '--json'], { files });
    expect(JSON.parse(json).map(({ name }: { name: string }) => name)).toEqual(['A', 'B']);
    const { stdout: names } = await runCli(['completion', '--list', 'agent'], { files });
    expect(names).toBe('A\nB\n');
    expect((await runCli(['agent', 'list'], { files: { 'home/.scout/': '' } })).stderr).toContain(
      'there are no agents',
    );
  });

  test('what an agent is made of is shown, and as JSON', async () => {
    const files = { 'Agent/R/start_chat': RESEARCHER, 'Agent/R/workflow.yaml': WORKFLOW };
    const { stdout } = await runCli(['agent', 'find', './Agent/R'], { files });
    expect(stdout).toMatch(/system {4}You look things up\.\n {2}endpoint {2}fake\n/);
    expect(stdout).toContain('    lookup  Looks a word up\n');
    const { stdout: json } = await runCli(['agent', 'find', 'R', '--json'], { files });
    expect(JSON.parse(json)).toMatchObject({ name: 'R', tasks: [{ name: 'lookup' }, {}] });
  });
});

test('a pipe in place of a start chat is not waited for', async () => {
  const folder = temporaryFolder({ 'home/.scout/': '', 'Agent/Pipe/': '' });
  execFileSync('mkfifo', [path.join(folder, 'Agent/Pipe/start_chat')]);
  const { code, stderr } = await runCli(['agent', 'find', 'Pipe'], { folder });
  expect([code, stderr]).toEqual([3, expect.stringContaining('no start_chat in Agent/Pipe')]);
});

test('what is odd in a start chat is told with its place by `agent find`, and not with -q', async () => {
  const files = { 'Agent/A/start_chat': Buffer.from('system: \xff bad\n', 'latin1') };
  const { code, stderr } = await runCli(['agent', 'find', 'A'], { files });
  expect([code, stderr]).toEqual([
    0,
    expect.stringMatching(/^Agent\/A\/start_chat:1: warning: byte 8 is not UTF-8/),
  ]);
  expect((await runCli(['agent', 'find', 'A', '-q'], { files })).stderr).toBe('');
});

describe('what cannot be used is told with its place, with exit 3, before anything is asked:', () => {
  const rows: readonly [string, string, Record<string, string>, RegExp][] = [
    [
      'an unknown agent, with the nearest names and the places',
      'Researchr',
      { 'Agent/Researcher/start_chat': RESEARCHER },
      /no agent "Researchr"\n.*did you mean "Researcher"\? \(tried workflows\/Researchr, .*chats\/Agent\/Researchr.*\)/,
    ],
    [
      'a folder without a start chat',
      'Bare',
      { 'Agent/Bare/workflow.yaml': WORKFLOW },
      /no start_chat in Agent\/Bare/,
    ],
    [
      'a folder in place of the start chat',
      'Bare',
      { 'Agent/Bare/start_chat/x': '' },
      /no start_chat in Agent\/Bare/,
    ],
    [
      'a block that is never closed',
      'A',
      { 'Agent/A/start_chat': 'system:\n\n[[\nopen\n' },
      /start chat cannot be used: the .* that opens here is never closed \(Agent\/A\/start_chat:3\)/,
    ],
    [
      'an unknown role',
      'A',
      { 'Agent/A/start_chat': 'system: x\n\nsytem: y\n' },
      /unknown role "sytem" \(Agent\/A\/start_chat:3\)\n.*did you mean "system:"/,
    ],
    [
      'a workflow that does not load',
      'A',
      { 'Agent/A/start_chat': RESEARCHER, 'Agent/A/workflow.yaml': 'tasks:\n  x: 3\n' },
      /Agent\/A\/workflow.yaml:2/,
    ],
    [
      'the file in place of its folder',
      'Agent/A/start_chat',
      { 'Agent/A/start_chat': RESEARCHER },
      /"Agent\/A\/start_chat" is a file, and an agent is a folder\n.*name the folder: Agent\/A/,
    ],
    ['a path that leads nowhere', '../x', {}, /no agent at "\.\.\/x"/],
    ['a name with odd characters', 'a b', {}, /"a b" is no name of an agent/],
    ['an empty name', '', {}, /"" is no name of an agent/],
    ['a hidden name', '..', {}, /"\.\." is no name of an agent/],
  ];
  for (const [name, agent, files, expected] of rows)
    test(name, async () => {
      const all = await home(files);
      const { code, stderr } = await runCli(['agent', 'ask', agent, 'Why?'], { files: all });
      expect(stderr).toMatch(expected);
      expect([code, server.requests.length]).toEqual([3, 0]);
    });

  test('a chat that names an unknown agent, at its line', async () => {
    const files = await home({ 'x.chat': 'agent: Nobody\n\nuser: Hi\n' });
    const { code, stderr, read } = await runCli(['ask', 'x.chat'], { files });
    expect([code, server.requests.length]).toEqual([3, 0]);
    expect(stderr).toContain('x.chat:1');
    expect(read('x.chat')).toBe(files['x.chat']);
  });
});

describe('asking', () => {
  test('the start chat goes first, the tasks of the folder are tools, and options are layered', async () => {
    const files = await home({
      'Agent/Researcher/start_chat': `${RESEARCHER}\noption: top_p 0.4\n`,
      'Agent/Researcher/workflow.yaml': WORKFLOW,
    });
    const { code, stdout } = await runCli(
      ['agent', 'ask', 'Researcher', 'option: top_p 0.9\n\nuser: Why?', '-o', 'seed=7'],
      { files },
    );
    expect([code, stdout]).toEqual([0, 'It is so.\n']);
    const { json } = server.requests[0] ?? {};
    expect(json).toMatchObject({ temperature: 0.5, top_p: 0.9, seed: 7 });
    expect(json.messages).toEqual([
      { role: 'system', content: 'You look things up.' },
      { role: 'user', content: 'Why?' },
    ]);
    expect(json.tools.map((tool: { function: { name: string } }) => tool.function.name)).toEqual([
      'lookup',
      'shelf',
    ]);
  });

  test('a call of its task runs as a job of its name, with what it depends on', async () => {
    const files = await home({
      'Agent/Researcher/start_chat': RESEARCHER,
      'Agent/Researcher/workflow.yaml': WORKFLOW,
    });
    server.answer([callOf('lookup', { word: 'kale' }), openaiStream('Kale.')]);
    const { code, stdout } = await runCli(['agent', 'ask', 'Researcher', 'Why?'], { files });
    expect([code, stdout]).toEqual([0, 'Kale.\n']);
    const { messages } = server.requests[1]?.json ?? {};
    expect(messages.at(-1)).toMatchObject({ role: 'tool', content: 'the shelf has kale' });
  });

  test('a chat file gets the new messages alone; the full chat stands beside it', async () => {
    const files = await home({ 'Agent/R/start_chat': RESEARCHER, 'q.chat': 'user: First?\n' });
    const first = await runCli(['agent', 'ask', 'R', '-c', 'q.chat'], { files });
    expect(first.code).toBe(0);
    const chat = first.read('q.chat') ?? '';
    expect(chat).toMatch(/^user: First\?\n\nmeta: .*\n\nassistant:\n\nIt is so\.\n$/);
    expect(first.read('q.chat.files/R.chat')).toMatch(
      /^system:\n\nYou look things up\.\n\noption: temperature 0\.5\n\nendpoint:\n\nfake\n\nuser:\n\nFirst\?\n\nmeta: /,
    );
    await runCli(['agent', 'ask', 'R', 'q.chat', 'Second?'], { folder: first.folder });
    expect(first.read('q.chat')?.startsWith(chat)).toBe(true);
    expect(first.read('q.chat.files/R.chat')).toContain('Second?');
    expect(server.requests[1]?.json.messages.map((each: { role: string }) => each.role)).toEqual([
      'system',
      'user',
      'assistant',
      'user',
    ]);
  });

  test('a chat that names an agent is asked in its name, and compile and -d show its start chat', async () => {
    const files = await home({
      'Agent/R/start_chat': RESEARCHER,
      'x.chat': 'agent: R\n\nuser: Hi\n',
    });
    const { stdout } = await runCli(['compile', '--prompt', 'x.chat'], { files });
    expect(stdout).toContain('You look things up.');
    const dry = await runCli(['agent', 'ask', 'R', '-d', 'Hi'], { files });
    expect([dry.stdout, server.requests.length]).toEqual([
      expect.stringContaining('endpoint:\n\nfake'),
      0,
    ]);
    await runCli(['ask', 'x.chat'], { files });
    expect(server.requests[0]?.json.messages[0].content).toBe('You look things up.');
  });

  test('an agent cannot say where a key goes', async () => {
    const files = await home({
      'Agent/R/start_chat': `${RESEARCHER}\noption: url http://127.0.0.1:1\n`,
    });
    const { code, stderr } = await runCli(['agent', 'ask', 'R', 'Hi'], { files });
    expect([code, stderr]).toEqual([
      2,
      expect.stringContaining('"url" cannot be set in the start chat of an agent'),
    ]);
  });
});

function callOf(name: string, args: unknown) {
  const call = {
    index: 0,
    id: 'call_1',
    function: { name, arguments: JSON.stringify(args) },
  };
  return {
    body: [
      `data: ${JSON.stringify({ id: 'c', model: 'fake-mini', choices: [{ index: 0, delta: { tool_calls: [call] }, finish_reason: null }] })}\n\n`,
      `data: ${JSON.stringify({ id: 'c', model: 'fake-mini', choices: [{ index: 0, delta: {}, finish_reason: 'tool_calls' }], usage: { prompt_tokens: 5, completion_tokens: 2, total_tokens: 7 } })}\n\n`,
      'data: [DONE]\n\n',
    ],
  };
}
