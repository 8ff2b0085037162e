// Faults around tool calls and histories that users met, over every wire and through the whole program.

import { describe, expect, it } from 'vitest';
import type { WireName } from '../fake/types.ts';
import { askChat, type ChatOptions, fakeFor } from './asking.ts';
import { WIRE_NAMES } from './home.ts';

const FILES = {
  'workflows/Look.yaml': `tasks:
  look:
    description: Looks
    inputs:
      key: {type: string, default: none}
      dry: {type: boolean, default: false}
    command: ["printf", "%s/%s", "{{key}}", "{{dry}}"]
  nothing:
    command: ["true"]
`,
  'empty.txt': '',
  ...Object.fromEntries(
    Array.from({ length: 6 }, (_, index) => [`f${index}.txt`, `file ${index}\n`]),
  ),
};

/** A picture of one pixel. */
const DOT = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==',
  'base64',
);

const TOOLS = 'tool: Look\n\n';

const call = (name: string, given: unknown, id: string) =>
  `function_call: ${JSON.stringify({ name, arguments: given, id })}\n\n`;
const output = (name: string, content: unknown, id: string) =>
  `function_call_output: ${JSON.stringify({ name, id, content })}\n\n`;

/** Asks over a fake that refuses wrong requests, and expects none. */
async function ask(wire: WireName, scenario: unknown, chat: string, rest: ChatOptions = {}) {
  const fake = await fakeFor(wire, scenario);
  const run = await askChat(wire, fake.url, { chat, files: FILES, ...rest });
  expect(fake.violations).toEqual([]);
  // Nothing that stood in the file is ever rewritten.
  expect(run.text.startsWith(chat)).toBe(true);
  const outputs = run.chat
    .filter(({ role }) => role === 'function_call_output')
    .map(({ content }) => JSON.parse(content));
  const calls = run.chat
    .filter(({ role }) => role === 'function_call')
    .map(({ content }) => JSON.parse(content));
  return { ...run, fake, outputs, calls };
}

const looks = (part: Record<string, unknown>) => ({
  content: [{ call: { name: 'look', ...part } }],
});

describe.each(WIRE_NAMES)('over %s', (wire) => {
  describe('a call without arguments', () => {
    const forms: Readonly<Record<string, Record<string, unknown>>> = {
      'an empty text': { fragments: [''] },
      'white space': { fragments: ['  '] },
      null: { fragments: ['null'] },
      'an empty object in two pieces': { fragments: ['{', '}'] },
      'an empty object': { arguments: {} },
      'nothing at all': { fragments: [] },
    };
    for (const [name, form] of Object.entries(forms))
      it(`${name}: runs with its defaults, and is kept as {}`, async () => {
        const { code, calls, outputs, stdout } = await ask(
          wire,
          [looks(form), 'Done.'],
          `${TOOLS}user: Look.\n`,
        );
        expect([code, stdout]).toEqual([0, 'Done.\n']);
        expect(calls.map((each) => each.arguments)).toEqual([{}]);
        expect(outputs.map(({ content }) => content)).toEqual(['none/false']);
      });
  });

  it('arguments that come in pieces are run once, whole', async () => {
    const fragments = ['{"key":', '"b', '.txt"', ',"dry":true}'];
    const { calls, outputs } = await ask(
      wire,
      [{ ...looks({ fragments }), pause: 5 }, 'Done.'],
      `${TOOLS}user: Look.\n`,
    );
    expect(calls.map((each) => each.arguments)).toEqual([{ key: 'b.txt', dry: true }]);
    expect(outputs.map(({ content }) => content)).toEqual(['b.txt/true']);
  });

  it('arguments that are no object are told to the model, and nothing runs', async () => {
    const { code, outputs, stdout } = await ask(
      wire,
      [looks({ fragments: ['4', '2'] }), 'Done.'],
      `${TOOLS}user: Look.\n`,
    );
    expect([code, stdout]).toEqual([0, 'Done.\n']);
    expect(outputs.length).toBe(1);
    expect(outputs[0].exception).toBeDefined();
  });

  it('calls of an answer that breaks off are neither run nor kept', async () => {
    const cut = { ...looks({ arguments: { key: 'a' } }), cut_after: 3, ending: 'close' };
    const { code, calls } = await ask(wire, [cut], `${TOOLS}user: Look.\n`, {
      fields: { retry_max: 0 },
    });
    // Ollama sends a call whole; its third event is the end.
    expect([code, calls.length]).toEqual(wire === 'ollama' ? [5, expect.anything()] : [4, 0]);
  });

  it('the same id twice in one conversation', async () => {
    const chat = `user: One.\n\n${call('look', { key: 'a' }, 'call_0')}${output('look', 'A', 'call_0')}assistant: First.\n\nuser: Two.\n\n${call('look', { key: 'b' }, 'call_0')}${output('look', 'B', 'call_0')}assistant: Second.\n\nuser: And?\n`;
    const { code, fake, text } = await ask(wire, ['Fine.', 'Fine.'], chat);
    expect(code).toBe(0);
    const again = await askChat(wire, fake.url, { chat, files: FILES });
    const [one, two] = fake.requests.filter(({ path }) => path === fake.wire.path);
    expect([again.code, fake.violations, two?.body]).toEqual([0, [], one?.body]);
    expect(one?.body).toMatch(/"a\\?".*"A".*"b\\?".*"B"/);
    expect(text).toContain('call_0');
  });

  describe('a history that is not whole', () => {
    const cases: readonly (readonly [string, string, RegExp])[] = [
      [
        'a call without its output',
        `user: One.\n\n${call('look', {}, 'k1')}user: Go on.\n`,
        /k1|look/,
      ],
      [
        'an output without its call',
        `user: One.\n\n${output('look', 'gone', 'k9')}user: Go on.\n`,
        /function_call_output/,
      ],
      [
        'two calls and one output',
        `user: One.\n\n${call('look', {}, 'k1')}${call('look', { key: 'x' }, 'k2')}${output('look', 'there', 'k2')}user: Go on.\n`,
        /k1|look/,
      ],
    ];
    for (const [name, chat, told] of cases)
      it(`${name}: goes out repaired, with a warning; nothing runs again`, async () => {
        const { code, stderr, outputs, fake } = await ask(wire, ['Fine.'], chat);
        expect([code, stderr]).toEqual([0, expect.stringMatching(/warning/)]);
        expect(stderr).toMatch(told);
        expect(outputs.length).toBe(chat.split('function_call_output').length - 1);
        expect(fake.requests.at(-1)?.body).not.toContain('"gone"');
      });
  });

  it('empty and blank messages', async () => {
    const chat = `user: One.\n\nassistant:\n\nuser:  \n\nuser: Two.\n\n${call('nothing', {}, 'k1')}${output('nothing', '', 'k1')}assistant:\n\nfile: empty.txt\n\nuser: Three.\n`;
    const { code, answer } = await ask(wire, ['Fine.'], chat);
    expect([code, answer]).toEqual([0, 'Fine.']);
  });

  it('a tool that says nothing', async () => {
    const made = { content: [{ call: { name: 'nothing' } }] };
    const { code, outputs } = await ask(wire, [made, 'Done.'], `${TOOLS}user: Look.\n`);
    expect([code, outputs.length]).toEqual([0, 1]);
  });

  it('a chat with nothing to ask is an error before any request', async () => {
    const { code, fake, text } = await ask(wire, ['Never.'], 'system: Be brief.\n');
    expect([code, fake.requests.length, text]).toEqual([2, 0, 'system: Be brief.\n']);
  });

  it('many blocks that could be marked', async () => {
    const files = Array.from({ length: 6 }, (_, index) => `file: f${index}.txt\n\n`).join('');
    const turns = Array.from(
      { length: 5 },
      (_, index) => `user: Q${index}\n\nassistant: A${index}\n\n`,
    );
    const chat = `system: One.\n\nsystem: Two.\n\n${TOOLS}${files}${turns.join('')}user: And?\n`;
    const { code, fake } = await ask(wire, ['Fine.'], chat);
    expect(code).toBe(0);
    if (wire === 'anthropic')
      expect(fake.requests.at(-1)?.body.split('cache_control').length).toBeGreaterThan(2);
  });

  it('names and ids of other providers in the history', async () => {
    const long = 'n'.repeat(90);
    const names = ['notes.read', 'notes/read', 'läsa', `${long}a`, `${long}b`];
    const pairs = names.map(
      (name, index) =>
        call(name, {}, `id.${index}:ö`) + output(name, `out ${index}`, `id.${index}:ö`),
    );
    const { code } = await ask(wire, ['Fine.'], `user: One.\n\n${pairs.join('')}user: And?\n`);
    expect(code).toBe(0);
  });

  it('a picture in the question, and again in the next one', async () => {
    const files = { ...FILES, 'dot.png': DOT };
    const chat = 'image: dot.png\n\nuser: What is it?\n';
    const { code, fake, text } = await ask(wire, ['A dot.', 'Still.'], chat, { files });
    const again = await askChat(wire, fake.url, { chat: `${text}\nuser: And now?\n`, files });
    expect([code, again.code, again.answer, fake.violations]).toEqual([0, 0, 'Still.', []]);
    const bodies = fake.turns.map(({ request }) => request.body);
    expect(bodies.map((body) => body.includes(DOT.toString('base64')))).toEqual(
      // What the server keeps is not sent again.
      wire === 'responses' ? [true, false] : [true, true],
    );
  });

  for (const name of ['no_such', 'Look'])
    it(`a call of the unknown tool ${name}: the model is told, the loop goes on`, async () => {
      const reply = { content: [{ call: { name, arguments: { key: 'a' } } }] };
      const { code, outputs, calls, stdout } = await ask(
        wire,
        [reply, 'Done.'],
        `${TOOLS}user: Look.\n`,
      );
      expect([code, stdout, calls.length]).toEqual([0, 'Done.\n', 1]);
      expect(outputs[0]?.exception).toMatch(name);
    });

  it('a model that calls for ever meets the limit', async () => {
    const { code, stderr, fake } = await ask(
      wire,
      [looks({ arguments: { key: 'a' } })],
      `${TOOLS}user: Look.\n`,
      { fields: { max_rounds: 3 } },
    );
    expect([code, fake.turns.length]).toEqual([5, 3]);
    expect(stderr).toContain('max_rounds');
  });
});
