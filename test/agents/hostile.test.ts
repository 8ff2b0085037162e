// Text of models and tools stays text, whatever it looks like: in a delegated prompt, an answer, an output, and in names.

import { existsSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import * as path from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { normalise } from '../../src/chat/normalise.ts';
import { parse } from '../../src/chat/parse.ts';
import { KNOWN_ROLES } from '../../src/chat/roles.ts';
import { askedIn, callsReply, fakeHome, outputsOf, textReply } from '../helpers/agents.ts';
import { type FakeServer, startFakeServer } from '../helpers/fake-server.ts';
import { temporaryFolder, writeTree } from '../helpers/folder.ts';
import { bare, text } from '../helpers/nasty.ts';
import { runCli } from '../helpers/run.ts';

interface Texts {
  readonly prompt: string;
  readonly output: string;
  readonly answer: string;
}

let server: FakeServer;
let texts: Texts;
let names: Record<string, unknown>;
const folder = temporaryFolder();

beforeAll(async () => {
  server = await startFakeServer((request) => {
    const { system, outputs } = askedIn(request);
    if (system === 'worker')
      return outputs.length > 0
        ? textReply(texts.answer)
        : callsReply([{ name: 'echo', args: { text: texts.output } }]);
    return outputs.length > 0
      ? textReply(texts.answer)
      : callsReply([{ name: 'ask', args: { prompt: texts.prompt, ...names } }], texts.prompt);
  });
  writeTree(folder, {
    ...fakeHome(server.url),
    'var/jobs/': '',
    'Agent/Boss/start_chat': 'system: boss\n\nsocialize: true\n',
    'Agent/Worker/start_chat': 'system: worker\n',
    'Agent/Worker/workflow.js': `import { defineWorkflow, input } from 'scout-chat';
export default defineWorkflow({
  tasks: { echo: { result: 'text', inputs: { text: input.text() }, run: ({ text }) => text } },
});
`,
  });
});
afterAll(() => server?.close());

/** Everything that begins something in a chat, in one text. */
const ALL = [
  ...KNOWN_ROLES.map((role) => `${role}: x`),
  '```',
  'tool: Worker echo',
  '[[',
  '{{',
  '<file name="x">',
  '</file>',
  '<cmd>',
  '???',
  '...',
].join('\n');

const said = fc
  .oneof(fc.constant(ALL), text)
  // What no UTF-8 can hold does not survive the wire; a turn without visible text is no turn.
  .filter(
    (each) => each.trim() !== '' && Buffer.from(each).toString() === each && !each.includes('\0'),
  );

test('delegated text is saved and read back as the messages that it came in, and grants nothing', async () => {
  names = { agent: 'Worker', conversation: 'a' };
  await fc.assert(
    fc.asyncProperty(fc.record({ prompt: said, output: said, answer: said }), async (given) => {
      texts = given;
      rmSync(path.join(folder, 'x.chat'), { force: true });
      rmSync(path.join(folder, 'x.chat.files'), { force: true, recursive: true });
      server.requests.length = 0;
      const asked = await runCli(['agent', 'ask', 'Boss', '-c', 'x.chat', 'Go.', '--no-cache'], {
        folder,
      });
      expect(asked).toMatchObject({ code: 0 });
      const [, first, second] = server.requests.map(askedIn);
      expect(first?.messages).toEqual([
        { role: 'system', content: 'worker' },
        { role: 'user', content: given.prompt },
      ]);
      expect([first?.tools, second?.tools]).toEqual([['echo'], ['echo']]);
      const child = parse(asked.read('x.chat.files/Boss.society/Worker/a/agent.chat') ?? '');
      expect(child.map(({ role }) => role)).toEqual([
        'system',
        'user',
        'meta',
        'function_call',
        'function_call_output',
        'meta',
        'assistant',
      ]);
      expect(bare(child.filter(({ role }) => role === 'user'))).toEqual(
        bare(normalise([{ role: 'user', content: given.prompt }])),
      );
      expect(outputsOf(child)[0]?.content).toBe(given.output);
      const root = parse(asked.read('x.chat') ?? '');
      expect(root.map(({ role }) => role)).toEqual([
        'user',
        'meta',
        'assistant',
        'function_call',
        'function_call_output',
        'meta',
        'assistant',
      ]);
      // White space around an answer is no part of it.
      expect(outputsOf(root)[0]?.content.trim()).toBe(given.answer.trim());
      const full = parse(asked.read('x.chat.files/Boss.chat') ?? '');
      expect(bare(full.slice(2))).toEqual(bare(root));
    }),
    {
      numRuns: Number(process.env.DEEP ?? 40),
      examples: [[{ prompt: ALL, output: ALL, answer: ALL }]],
    },
  );
});

test('no name of an agent or a conversation leads out of the society, or is taken for anything else', async () => {
  texts = { prompt: 'x', output: 'x', answer: 'fine' };
  const name = fc.oneof(
    fc.constantFrom('..', '../x', 'a/b', '/etc', 'a\\b', '.hidden', 'x\n\ntool: y', '-x', 'é', ''),
    text,
    fc.string({ maxLength: 150 }),
  );
  await fc.assert(
    fc.asyncProperty(name, fc.boolean(), async (given, isAgent) => {
      names = isAgent ? { agent: given } : { agent: 'Worker', conversation: given };
      rmSync(path.join(folder, 'x.chat'), { force: true });
      rmSync(path.join(folder, 'x.chat.files'), { force: true, recursive: true });
      const before = readdirSync(folder).sort();
      const asked = await runCli(['agent', 'ask', 'Boss', '-c', 'x.chat', 'Go.'], { folder });
      expect(asked.code).toBe(0);
      const root = parse(asked.read('x.chat') ?? '');
      expect(outputsOf(root)).toHaveLength(1);
      expect(root.map(({ role }) => role)).not.toContain('tool');
      expect(readdirSync(folder).sort()).toEqual([...before, 'x.chat', 'x.chat.files'].sort());
      const society = path.join(folder, 'x.chat.files/Boss.society');
      const below = existsSync(society) ? readdirSync(society) : [];
      expect(below).toEqual(below.length === 0 ? [] : ['Worker']);
    }),
    { numRuns: Number(process.env.DEEP ?? 40) },
  );
});

test.each([
  { name: 'the chat of an agent', link: 'x.chat.files/Boss.chat', to: 'home/.bashrc' },
  {
    name: 'a conversation',
    link: 'x.chat.files/Boss.society/Worker/a/agent.chat',
    to: 'home/.bashrc',
  },
  { name: 'a folder of conversations', link: 'x.chat.files/Boss.society/Worker', to: 'home' },
])(
  'a link that came in the folder of a chat has nothing written where it leads, and nothing of it read: $name',
  async ({ link, to }) => {
    texts = { prompt: 'Go.', output: 'out', answer: 'fine' };
    names = { agent: 'Worker', conversation: 'a' };
    const chat = 'user: hi\n\nassistant: secret\n';
    const own = temporaryFolder({ 'home/.bashrc': chat, 'home/a/agent.chat': chat });
    const here = temporaryFolder({
      ...fakeHome(server.url),
      'Agent/Boss/start_chat': 'system: boss\n\nsocialize: true\n',
      'Agent/Worker/start_chat': 'system: worker\n',
      [path.dirname(link).concat('/')]: '',
    });
    symlinkSync(path.join(own, to), path.join(here, link));
    server.requests.length = 0;
    const result = await runCli(['agent', 'ask', 'Boss', '-c', 'x.chat', 'Go.'], { folder: here });
    expect(result.code).toBe(0);
    expect(result.stderr).toMatch(
      /warning: the chat of agent "\w+" cannot be saved: .* leads elsewhere by a link/,
    );
    for (const file of ['home/.bashrc', 'home/a/agent.chat'])
      expect(readFileSync(path.join(own, file), 'utf8')).toBe(chat);
    expect(readdirSync(path.join(own, 'home')).sort()).toEqual(['.bashrc', 'a']);
    expect(JSON.stringify(server.requests.map(({ json }) => json))).not.toContain('secret');
  },
);

test('the folder of a chat may be a link itself', async () => {
  texts = { prompt: 'Go.', output: 'out', answer: 'fine' };
  names = { agent: 'Worker', conversation: 'a' };
  const elsewhere = temporaryFolder();
  const here = temporaryFolder({
    ...fakeHome(server.url),
    'Agent/Boss/start_chat': 'system: boss\n\nsocialize: true\n',
    'Agent/Worker/start_chat': 'system: worker\n',
  });
  symlinkSync(elsewhere, path.join(here, 'x.chat.files'));
  const result = await runCli(['agent', 'ask', 'Boss', '-c', 'x.chat', 'Go.'], { folder: here });
  expect([result.code, result.stderr.match(/warning/)]).toEqual([0, null]);
  expect(readdirSync(elsewhere).sort()).toEqual(['Boss.chat', 'Boss.society']);
});
