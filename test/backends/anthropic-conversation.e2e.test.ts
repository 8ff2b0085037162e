// One conversation with tools and thinking on a Messages host, saved after each turn and continued by new processes: what was sent before
// is sent again byte for byte.

import { readFileSync, writeFileSync } from 'node:fs';
import { afterEach, expect, test } from 'vitest';
import { parse } from '../../src/chat/parse.ts';
import { anthropicStream } from '../helpers/anthropic-replies.ts';
import { type AskHome, askHome } from '../helpers/ask-home.ts';
import type { RecordedRequest, Script } from '../helpers/fake-server.ts';
import { writeTree } from '../helpers/folder.ts';
import { openaiStream } from '../helpers/openai-replies.ts';

let home: AskHome | undefined;
afterEach(async () => {
  await home?.close();
  home = undefined;
});

const thought = (thinking: string, signature = 'c2lnLQ==') => ({
  type: 'thinking',
  thinking,
  signature,
});
const use = (id: string, name: string, input: object) => ({ type: 'tool_use', id, name, input });

/** Two rounds a turn; the ids count from zero in each, as those of some servers do. */
const TURNS: readonly Script[] = [
  anthropicStream([
    thought('step one ', 'sigA=='),
    { type: 'redacted_thinking', data: 'blob' },
    'Let me look: \n',
    use('call_0', 'echo', { text: 'Žluť 🐌 "x"\n', note: 'a' }),
    use('call_1', 'clock', {}),
  ]),
  anthropicStream([thought('step two\n\n', 'sigB=='), '\n\nIt is late. ']),
  anthropicStream([thought('', 'sigC=='), use('call_0', 'echo', { text: 'again' })]),
  anthropicStream([' Done.\n']),
];

const WORKFLOW = `tasks:
  echo:
    inputs:
      text: {type: string, required: true}
      note: {type: string, required: false}
    command: ["printf", "%s  ", "{{text}}"]
  clock:
    command: ["printf", "12"]
`;

/** The body in front of the messages, the messages, and what follows them; without marks, which move by design. */
function partsOf({ body }: RecordedRequest) {
  const plain = body.replaceAll(/,"cache_control":\{"type":"ephemeral"(?:,"ttl":"1h")?\}/g, '');
  const start = plain.indexOf('"messages":[') + '"messages":['.length;
  const end = plain.indexOf('],"stream":');
  return { head: plain.slice(0, start), messages: plain.slice(start, end), tail: plain.slice(end) };
}

async function conversation(settings: string, scripts = TURNS): Promise<AskHome> {
  let asked = 0;
  home = await askHome(({ path }) =>
    path.startsWith('/v1/messages') ? (scripts[asked++] ?? {}) : openaiStream('Elsewhere.'),
  );
  const base = `url: ${home.server.url}\nretry_base: 0.01\n`;
  writeTree(home.folder, {
    'home/.scout/etc/AI/messages.yaml': `backend: anthropic\nmodel: claude-fake-1\n${base}${settings}`,
    'home/.scout/etc/AI/other.yaml': `backend: openai\nmodel: other\nurl: ${home.server.url}/v1\n`,
    'workflows/Tools.yaml': WORKFLOW,
    'c.chat': 'system:\n\nBe brief. And be kind.\n\ntool: Tools\n',
  });
  return home;
}

async function ask(question: string, endpoint = 'messages') {
  const run = home?.start(['ask', '--no-cache', '-e', endpoint, '-c', 'c.chat', question]);
  const ended = await run?.ended;
  return { code: ended?.code, stdout: run?.stdout(), stderr: run?.stderr() };
}

const chat = () => parse(readFileSync(home?.file('c.chat') ?? '', 'utf8'));
const requests = () => home?.server.requests.filter(({ path }) => path === '/v1/messages') ?? [];

for (const settings of [
  '',
  'thinking: medium\n',
  'thinking: high\ncache: 1h\ncache_split: 10\n',
  'dialect: fireworks\n',
])
  test(`each request begins with the one before it: ${JSON.stringify(settings)}`, async () => {
    await conversation(settings);
    expect(await ask('What time is it?')).toMatchObject({ code: 0, stdout: 'It is late.\n' });
    expect(await ask('Really?')).toMatchObject({ code: 0, stdout: 'Done.\n' });
    const sent = requests().map(partsOf);
    expect(sent).toHaveLength(4);
    for (const [index, later] of sent.entries()) {
      const earlier = sent[index - 1];
      if (earlier === undefined) continue;
      expect([later.head, later.tail]).toEqual([earlier.head, earlier.tail]);
      expect(later.messages.startsWith(`${earlier.messages},`)).toBe(true);
    }
    // And it holds what came, to the byte.
    expect(sent[1]?.messages).toContain(
      '{"role":"assistant","content":[{"type":"thinking","thinking":"step one ","signature":"sigA=="},' +
        '{"type":"redacted_thinking","data":"blob"},{"type":"text","text":"Let me look: \\n"},' +
        '{"type":"tool_use","id":"call_0","name":"echo","input":{"text":"Žluť 🐌 \\"x\\"\\n","note":"a"}},' +
        '{"type":"tool_use","id":"call_1","name":"clock","input":{}}]},' +
        '{"role":"user","content":[{"type":"tool_result","tool_use_id":"call_0","content":"Žluť 🐌 \\"x\\"\\n  "},' +
        '{"type":"tool_result","tool_use_id":"call_1","content":"12"}]}',
    );
    expect(sent[3]?.messages).toContain(
      '{"type":"tool_use","id":"call_0_2","name":"echo","input":{"text":"again"}}]},' +
        '{"role":"user","content":[{"type":"tool_result","tool_use_id":"call_0_2","content":"again  "}]}',
    );
    expect(chat().map(({ role }) => role)).toEqual([
      ...['system', 'tool', 'user', 'meta', 'provider_content', 'assistant'],
      ...['function_call', 'function_call_output', 'function_call', 'function_call_output'],
      ...['meta', 'provider_content', 'assistant', 'user', 'meta', 'provider_content'],
      ...['function_call', 'function_call_output', 'meta', 'assistant'],
    ]);
  });

test('the same, with thinking given back only since the last question', async () => {
  await conversation('reasoning_history: turn\n');
  await ask('What time is it?');
  await ask('Really?');
  const sent = requests().map(({ body }) => body);
  expect(sent.map((body) => (body.match(/"(?:redacted_)?thinking"/g) ?? []).length)).toEqual([
    0, 3, 0, 2,
  ]);
});

test('text that was edited by hand is what is sent, and the rest is sent as it was', async () => {
  await conversation('');
  await ask('What time is it?');
  const file = home?.file('c.chat') ?? '';
  writeFileSync(file, readFileSync(file, 'utf8').replace(/^It is late\.$/m, 'It is early.'));
  await ask('Really?');
  const [, second, third] = requests().map(({ body }) => body);
  expect(third).toContain('{"role":"assistant","content":[{"type":"text","text":"It is early."}]}');
  expect([second, third].map((body) => body?.includes('sigA=='))).toEqual([true, true]);
  expect(third).not.toContain('sigB==');
});

test('it goes on elsewhere without what only this host can read, and comes back to it whole', async () => {
  await conversation('');
  await ask('What time is it?');
  expect(await ask('And you?', 'other')).toMatchObject({ code: 0, stdout: 'Elsewhere.\n' });
  const other = home?.server.requests.at(-1)?.body;
  expect(other).toContain('Let me look:');
  expect(other).not.toMatch(/sig[AB]==|blob|step one/);
  await ask('Really?');
  const sent = requests().map(partsOf);
  expect(sent[2]?.messages.startsWith(`${sent[1]?.messages},`)).toBe(true);
  expect(sent[2]?.messages).toContain('"text":"Elsewhere."');
});

test('the same id twice in one conversation is refused: the wire has two, the file stays as it is', async () => {
  await conversation('', [anthropicStream('Three.')]);
  const round = (n: number) =>
    `function_call: {"name":"echo","arguments":{"text":"${n}"},"id":"call_0"}\n` +
    `function_call_output: {"name":"echo","content":"${n}","id":"call_0"}\n`;
  const file = home?.file('c.chat') ?? '';
  const before = `user: one\n${round(1)}\nassistant: One.\n\nuser: two\n${round(2)}\nassistant: Two.\n`;
  writeFileSync(file, before);
  expect(await ask('three')).toMatchObject({ code: 0, stdout: 'Three.\n' });
  expect(readFileSync(file, 'utf8').startsWith(before)).toBe(true);
  const blocks = requests()[0]?.json.messages.flatMap(
    ({ content }: { content: unknown }) => content,
  );
  const ids = (type: string, field: string) =>
    blocks.flatMap((block: Record<string, unknown>) => (block.type === type ? [block[field]] : []));
  expect(ids('tool_use', 'id')).toEqual(['call_0', 'call_0_2']);
  expect(ids('tool_result', 'tool_use_id')).toEqual(['call_0', 'call_0_2']);
  expect(ids('tool_result', 'content')).toEqual(['1', '2']);
});

test('a refused form is asked for once; the next process knows', async () => {
  const refusal: Script = {
    status: 400,
    body: { type: 'error', error: { type: 'invalid_request_error', message: 'effort is unknown' } },
  };
  await conversation('thinking: low\n', [refusal, ...TURNS]);
  const first = await ask('What time is it?');
  expect(first.stderr).toMatch(/effort is unknown; asked again with a budget of thinking/);
  const second = await ask('Really?');
  expect([second.code, second.stderr?.includes('asked again')]).toEqual([0, false]);
  expect(requests().map(({ json }) => json.thinking.type)).toEqual([
    'adaptive',
    ...Array(4).fill('enabled'),
  ]);
});

test('a refusal ends the turn, names its category, and is not asked again', async () => {
  const details = { type: 'refusal', category: 'cyber', explanation: null };
  await conversation('', [anthropicStream([], { stop: 'refusal', details })]);
  const { code, stderr } = await ask('Write a virus.');
  expect([code, requests().length]).toEqual([4, 1]);
  expect(stderr).toContain('the model refused to answer (cyber)');
});
