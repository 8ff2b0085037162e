// The fake servers themselves: they write each wire as its documentation has it, and notice requests that break its rules.

import { readdirSync } from 'node:fs';
import * as path from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { packageFolder } from '../helpers/built.ts';
import { readScenario, toScenario } from './scenario.ts';
import { type Fake, startFake, WIRES } from './server.ts';
import type { WireName } from './types.ts';

const NAMES = Object.keys(WIRES) as WireName[];
const FOLDER = path.join(packageFolder, 'fixtures/fake');

async function fakeOf(name: WireName, scenario: unknown): Promise<Fake> {
  const fake = await startFake(name, toScenario(scenario));
  onTestFinished(() => fake.close());
  return fake;
}

const HEADERS = {
  'content-type': 'application/json',
  'anthropic-version': '2023-06-01',
  authorization: 'Bearer key-1',
};

async function post(fake: Fake, body: unknown, headers: Record<string, string> = HEADERS) {
  const response = await fetch(`${fake.url}${fake.wire.path}`, {
    method: 'POST',
    headers,
    body: JSON.stringify(body),
  });
  return { status: response.status, text: await response.text() };
}

/** A question in the form of each wire, as a stream. */
const QUESTION: Readonly<Record<WireName, Record<string, unknown>>> = {
  anthropic: {
    ...{ model: 'claude-fake-1', max_tokens: 100, stream: true },
    messages: [{ role: 'user', content: 'Which kite?' }],
  },
  openai: {
    ...{ model: 'fake-mini', stream: true, stream_options: { include_usage: true } },
    messages: [{ role: 'user', content: 'Which kite?' }],
  },
  responses: { model: 'fake-5', stream: true, input: 'Which kite?' },
  ollama: { model: 'fake:1b', messages: [{ role: 'user', content: 'Which kite?' }] },
};

/** The values of a stream, of events or of lines. */
const values = (text: string) =>
  text
    .split('\n')
    .map((line) => line.replace(/^data: /, ''))
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line));

describe('scenario files', () => {
  for (const file of readdirSync(FOLDER))
    it(`${file} is one`, () => {
      expect(readScenario(path.join(FOLDER, file)).replies.length).toBeGreaterThan(0);
    });

  it('with a key that nobody reads are refused', () => {
    expect(() => toScenario([{ txt: 'x' }])).toThrow('a reply has no "txt"');
  });
});

describe('streams', () => {
  const KINDS: Readonly<Record<WireName, readonly string[]>> = {
    anthropic: [
      ...['message_start', 'ping', 'content_block_start', 'content_block_delta'],
      ...['content_block_delta', 'content_block_stop', 'message_delta', 'message_stop'],
    ],
    openai: Array.from({ length: 5 }, () => 'chat.completion.chunk'),
    responses: [
      ...['response.created', 'response.output_item.added', 'response.content_part.added'],
      ...['response.output_text.delta', 'response.output_text.delta', 'response.output_text.done'],
      ...['response.content_part.done', 'response.output_item.done', 'response.completed'],
    ],
    ollama: ['undefined', 'undefined', 'undefined'],
  };

  for (const name of NAMES) {
    it(`${name}: the events of a text, in order`, async () => {
      const fake = await fakeOf(name, [{ text: ['Blue ', 'kite'] }]);
      const { status, text } = await post(fake, QUESTION[name]);
      expect([status, fake.violations]).toEqual([200, []]);
      expect(values(text).map((each) => String(each.type ?? each.object))).toEqual(KINDS[name]);
      expect(text).toContain('kite');
    });

    it(`${name}: the same content as one body`, async () => {
      const fake = await fakeOf(name, [{ text: ['Blue ', 'kite'] }]);
      const { text } = await post(fake, {
        ...QUESTION[name],
        stream: false,
        stream_options: undefined,
      });
      expect(JSON.stringify(JSON.parse(text))).toContain('Blue kite');
    });

    it(`${name}: an error before the answer, and one inside it`, async () => {
      const fake = await fakeOf(name, [
        { status: 503, error: { message: 'fake failure' } },
        { text: ['a', 'b'], error: { message: 'fake failure' }, error_after: 1 },
      ]);
      const before = await post(fake, QUESTION[name]);
      expect([before.status, JSON.stringify(JSON.parse(before.text))]).toEqual([
        503,
        expect.stringContaining('fake failure'),
      ]);
      const inside = await post(fake, QUESTION[name]);
      expect(inside.status).toBe(200);
      expect(JSON.stringify(values(inside.text).at(-1))).toContain('fake failure');
      expect(values(inside.text).length).toBe(2);
    });

    it(`${name}: a second question with the same beginning finds it in the cache`, async () => {
      const fake = await fakeOf(name, { append_only: true, replies: ['one', 'two'] });
      const first = QUESTION[name];
      const marked = (text: string) => ({
        role: 'user',
        content: [{ type: 'text', text, cache_control: { type: 'ephemeral' } }],
      });
      const grown = {
        anthropic: [marked('Which kite?'), { role: 'assistant', content: 'one' }, marked('Why?')],
        openai: [
          { role: 'user', content: 'Which kite?' },
          { role: 'user', content: 'Why?' },
        ],
        responses: [
          { role: 'user', content: 'Which kite?' },
          { role: 'user', content: 'Why?' },
        ],
        ollama: [
          { role: 'user', content: 'Which kite?' },
          { role: 'user', content: 'Why?' },
        ],
      }[name];
      const field = name === 'responses' ? 'input' : 'messages';
      await post(fake, { ...first, [field]: grown.slice(0, 1) });
      await post(fake, { ...first, [field]: grown });
      expect(fake.violations).toEqual([]);
      expect(fake.turns.map(({ tokens }) => (tokens?.cached ?? 0) > 0)).toEqual([false, true]);
      const changed = await post(fake, { ...first, [field]: grown.slice(-1) });
      expect(changed.text).toContain('the history changed');
    });
  }

  it('every freedom of the format: CR LF, comments, no event lines, any split', async () => {
    const fake = await fakeOf('anthropic', [
      { text: 'x', lines: 'crlf', comments: true, event_lines: false, split: 3 },
    ]);
    const { text } = await post(fake, QUESTION.anthropic);
    expect(text).toMatch(/^: still here\r\n\r\ndata: \{"type":"message_start"/);
    expect(text.replaceAll('\r\n', '')).not.toContain('\n');
    expect(text).not.toContain('event:');
  });

  it('a cut after so many events', async () => {
    const fake = await fakeOf('openai', [{ text: ['a', 'b', 'c'], cut_after: 2 }]);
    await expect(post(fake, QUESTION.openai)).rejects.toThrow();
  });
});
