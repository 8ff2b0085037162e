// A conversation with thinking and a tool, saved, and continued by a new process: the history that is sent is the same to the byte.

import { readFileSync } from 'node:fs';
import { expect, onTestFinished, test } from 'vitest';
import { parse } from '../../src/chat/parse.ts';
import { type AskHome, askHome } from '../helpers/ask-home.ts';
import type { Script } from '../helpers/fake-server.ts';
import { writeTree } from '../helpers/folder.ts';
import { last, ollamaLines, piece } from '../helpers/ollama-replies.ts';
import { chatChunks, chunk, DONE } from '../helpers/openai-replies.ts';

const SSE = { 'content-type': 'text/event-stream' };

const openaiReplies: readonly Script[] = [
  {
    headers: SSE,
    body: [
      ...chatChunks(['Let me count. '], {
        thinking: 'Four and five, "quoted".\n\n',
        finish: null,
        done: false,
      }),
      chunk({
        tool_calls: [
          { index: 0, id: 'call_0', function: { name: 'add', arguments: '{"a":4,"b":5}' } },
        ],
      }),
      chunk({}, 'tool_calls'),
      DONE,
    ],
  },
  { headers: SSE, body: chatChunks(['It is 9.'], { thinking: 'Nine. ' }) },
  { headers: SSE, body: chatChunks(['It is 10.'], { thinking: 'Ten. ' }) },
];

const ollamaReplies: readonly Script[] = [
  ollamaLines([
    piece({ thinking: 'Four and five, "quoted".\n\n' }),
    piece({ content: 'Let me count. ' }),
    piece({
      tool_calls: [
        { id: 'call_0', function: { index: 0, name: 'add', arguments: { a: 4, b: 5 } } },
      ],
    }),
    last(),
  ]),
  ollamaLines([piece({ thinking: 'Nine. ' }), piece({ content: 'It is 9.' }), last()]),
  ollamaLines([piece({ thinking: 'Ten. ' }), piece({ content: 'It is 10.' }), last()]),
];

const isOllama = (path: string): boolean => path === '/api/chat';

/** Answers in the words of the wire that is spoken, the next reply each time. */
async function home(): Promise<AskHome> {
  const made = await askHome(
    ({ path }, index) => (isOllama(path) ? ollamaReplies : openaiReplies)[index] ?? {},
  );
  onTestFinished(() => made.close());
  const { url } = made.server;
  writeTree(made.folder, {
    'home/.scout/etc/AI/near.yaml': `backend: ollama\nurl: ${url}\nmodel: fake:1b\n`,
    'home/.scout/etc/AI/all.yaml': `url: ${url}/v1\nmodel: m\nreasoning_history: all\n`,
    'home/.scout/etc/AI/turn.yaml': `url: ${url}/v1\nmodel: m\nreasoning_history: turn\n`,
    'home/.scout/etc/AI/gpu.yaml': `backend: vllm\nurl: ${url}\nmodel: m\n`,
    'workflows/Sum.yaml':
      'tasks:\n  add:\n    inputs:\n      a: { type: integer, required: true }\n      b: { type: integer, required: true }\n    command: expr {{a}} + {{b}}\n',
    'talk.chat': 'system: Be brief.\n\ntool: Sum add\n\n',
  });
  return made;
}

async function ask(home: AskHome, endpoint: string, question: string): Promise<string> {
  const run = home.start(['ask', '--no-cache', '-e', endpoint, 'talk.chat', question]);
  const { code } = await run.ended;
  expect(code, run.stderr()).toBe(0);
  return run.stdout();
}

/** The messages of each request as they went out. */
const sent = ({ server }: AskHome): readonly string[] =>
  server.requests.map(({ json }) => JSON.stringify(json.messages));

const goesOn = (before: string | undefined, after: string | undefined): boolean =>
  after?.startsWith(before?.slice(0, -1) ?? 'nothing') === true;

for (const [endpoint, field] of [
  ['near', 'thinking'],
  ['all', 'reasoning_content'],
  ['gpu', 'reasoning_content'],
] as const)
  test(`${endpoint}: a second process sends the same history, thinking with it`, async () => {
    const made = await home();
    expect(await ask(made, endpoint, 'add 4 and 5')).toBe('It is 9.\n');
    expect(await ask(made, endpoint, 'and one more')).toBe('It is 10.\n');
    const [first, second, third] = sent(made);
    expect([goesOn(first, second), goesOn(second, third)]).toEqual([true, true]);
    const thoughts = JSON.parse(third ?? '[]').flatMap(
      (message: Record<string, unknown>) => message[field] ?? [],
    );
    expect(thoughts).toEqual(['Four and five, "quoted".\n\n', 'Nine. ']);
    const kept = parse(readFileSync(made.file('talk.chat'), 'utf8')).map(({ role }) => role);
    expect(kept.filter((role) => role === 'provider_content')).toHaveLength(3);
  });

test('turn: thinking of the turn in progress alone', async () => {
  const made = await home();
  await ask(made, 'turn', 'add 4 and 5');
  await ask(made, 'turn', 'and one more');
  const [, second, third] = sent(made);
  expect(second).toContain('"reasoning_content":"Four');
  expect(third).not.toContain('reasoning_content');
});

for (const [one, other] of [
  ['near', 'all'],
  ['gpu', 'near'],
] as const)
  test(`continued on another backend in the middle: ${one}, then ${other}`, async () => {
    const made = await home();
    await ask(made, one, 'add 4 and 5');
    await ask(made, other, 'and one more');
    const third = sent(made)[2] ?? '';
    expect(third).not.toMatch(/thinking|reasoning_content|quoted/);
    expect(third.match(/call_0/g)).toHaveLength(2);
    expect(third).toContain('It is 9.');
  });
