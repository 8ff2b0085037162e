// However a stream is cut into reads, and whatever its line ends are, the same events come out.

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { readStream, type StreamItem } from '../../src/backends/http/sse.ts';
import { readLines } from '../../src/backends/http/value-lines.ts';
import { readValues } from '../../src/backends/http/values.ts';
import { addEvent } from '../../src/backends/joined.ts';
import { readOllama } from '../../src/backends/ollama/stream.ts';
import { readReply } from '../../src/backends/openai/stream.ts';
import { wireNames } from '../../src/backends/tool-names.ts';
import type { ReplyEvent } from '../../src/backends/types.ts';
import { askContext, fakeEndpoint } from '../helpers/asking.ts';
import { cutBytes } from '../helpers/fake-server.ts';
import { RUNS } from '../helpers/nasty.ts';
import { last, piece } from '../helpers/ollama-replies.ts';
import { chatChunks, chunk, DONE, event, USAGE } from '../helpers/openai-replies.ts';

const DEEP = { timeout: 3_600_000 };
const check = <T extends unknown[]>(property: fc.IAsyncProperty<T>) =>
  fc.assert(property, { numRuns: RUNS });

async function* reads(bytes: Uint8Array, cuts: readonly number[]): AsyncGenerator<Uint8Array> {
  yield* cutBytes(
    bytes,
    cuts.map((cut) => cut % (bytes.length + 1)),
  );
}

async function all<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const result: Item[] = [];
  for await (const item of items) result.push(item);
  return result;
}

/** How a text is cut into events depends on how it arrived. */
async function joined(events: AsyncIterable<ReplyEvent>): Promise<ReplyEvent[]> {
  const result: ReplyEvent[] = [];
  for await (const event of events) addEvent(result, event);
  return result;
}

function replyTo(body: AsyncIterable<Uint8Array>): Promise<ReplyEvent[]> {
  const context = askContext();
  const site = { endpoint: fakeEndpoint('http://x'), url: new URL('http://x'), sent: 0 };
  const batches = readValues(body, site, context.warn);
  const clock = { ...context.clock, id: () => 'id' };
  const answer = { site, headers: {}, batches, begun() {}, ended() {} };
  return joined(readReply(answer, { ...context, clock }));
}

const calls = (delta: unknown) => chunk({ tool_calls: [delta] });
const TRANSCRIPTS: readonly string[] = [
  chatChunks(['Žluť ', '🐌 ', 'hotovo\r\n', ' \u2028'], { usage: USAGE, thinking: 'hm 🐌' }).join(
    '',
  ),
  [
    ': keep-alive\n\nevent: ping\nid: 7\ndata: {"type":"ping"}\n\n',
    chunk({ role: 'assistant', content: null, reasoning: 'Two.' }),
    calls({ index: 0, id: 'a', function: { name: 'look', arguments: '' } }),
    calls({ index: 1, id: 'b', function: { name: 'look', arguments: '{"k":' } }),
    calls({ index: 0, function: { arguments: '{"k":"ž"}' } }),
    calls({ index: 1, function: { arguments: '"b"}' } }),
    chunk({}, 'tool_calls'),
    DONE,
  ].join(''),
  `data: {"choices":\ndata: [{"index":0,"delta":{"content":"over lines"}}]}\n\n${event({ choices: [{ finish_reason: 'stop' }] })}`,
  JSON.stringify({
    choices: [{ message: { content: 'whole 🐌' }, finish_reason: 'stop' }],
    usage: USAGE,
  }),
];

const cuts = fc.array(fc.nat({ max: 5_000 }), { maxLength: 40 });

test('a transcript gives the same events however it is cut', DEEP, async () => {
  const expected = await Promise.all(
    TRANSCRIPTS.map((text) => replyTo(reads(Buffer.from(text), []))),
  );
  expect(expected.every((events) => events.at(-1)?.kind === 'finish')).toBe(true);
  await check(
    fc.asyncProperty(
      fc.nat({ max: TRANSCRIPTS.length - 1 }),
      fc.constantFrom('\n', '\r\n', '\r'),
      fc.constantFrom('', '\uFEFF'),
      cuts,
      async (index, end, mark, places) => {
        const text = mark + (TRANSCRIPTS[index] ?? '').replaceAll('\n', end);
        expect(await replyTo(reads(Buffer.from(text), places))).toEqual(expected[index]);
      },
    ),
  );
});

const LINES: readonly string[] = [
  [
    piece({ thinking: 'hm 🐌' }),
    piece({ content: 'Žluť \u2028' }),
    piece({ content: 'x\r\n' }),
    last(),
  ],
  [
    piece({ tool_calls: [{ id: 'a', function: { name: 'look', arguments: { k: 'ž' } } }] }),
    piece({ tool_calls: [{ function: { name: 'look', arguments: '{"k":"b"}' } }] }),
    last({ prompt_eval_count: undefined }),
  ],
].map((lines) => lines.map((line) => `${JSON.stringify(line)}\n`).join(''));

function ollamaReplyTo(body: AsyncIterable<Uint8Array>): Promise<ReplyEvent[]> {
  const context = askContext();
  const site = { endpoint: fakeEndpoint('http://x'), url: new URL('http://x'), sent: 0 };
  const batches = readLines(body, site, context.warn);
  const answer = { site, headers: {}, batches, begun() {}, ended() {} };
  const clock = { ...context.clock, id: () => 'id' };
  const options = { names: wireNames([]), keepReasoning: true, onPrompt: async () => {} };
  return joined(readOllama(answer, { ...context, clock }, options));
}

test('lines of JSON give the same events however they are cut', DEEP, async () => {
  const expected = await Promise.all(
    LINES.map((text) => ollamaReplyTo(reads(Buffer.from(text), []))),
  );
  expect(expected.every((events) => events.at(-1)?.kind === 'finish')).toBe(true);
  await check(
    fc.asyncProperty(
      fc.nat({ max: LINES.length - 1 }),
      fc.constantFrom('\n', '\r\n', '\n\n'),
      fc.constantFrom('', '\uFEFF'),
      cuts,
      async (index, end, mark, places) => {
        const text = mark + (LINES[index] ?? '').replaceAll('\n', end);
        expect(await ollamaReplyTo(reads(Buffer.from(text), places))).toEqual(expected[index]);
      },
    ),
  );
});

/** The format read the plain way: whole text, line by line. */
function plainly(text: string): StreamItem[] {
  const items: StreamItem[] = [];
  let data: string[] = [];
  let name = '';
  for (const line of `${text}\n\n`.replace(/^\uFEFF/, '').split(/\r\n|\r|\n/)) {
    const [field = '', value = ''] = line.split(/:([\s\S]*)/);
    const trimmed = value.startsWith(' ') ? value.slice(1) : value;
    if (line === '') {
      if (data.length > 0)
        items.push({ kind: 'event', data: data.join('\n'), ...(name === '' ? {} : { name }) });
      data = [];
      name = '';
    } else if (field === 'data') data.push(trimmed);
    else if (field === 'event') name = trimmed;
    else if (!['', 'id', 'retry'].includes(field)) items.push({ kind: 'line', text: line });
  }
  return items;
}

test('any bytes are read as the format says, and never stop the reader', DEEP, async () => {
  const piece = fc.constantFrom(
    ...[
      'data',
      'event',
      'id',
      'retry',
      ':',
      ' ',
      '\n',
      '\r',
      '\r\n',
      'x',
      '{"a":1}',
      '🐌',
      '\u2028',
      '\0',
      'error',
      '\uFEFF',
    ],
  );
  await check(
    fc.asyncProperty(fc.array(piece, { maxLength: 40 }), cuts, async (pieces, places) => {
      const text = pieces.join('');
      const items = (
        await all(readStream(reads(Buffer.from(text), places), () => new Error('too long')))
      ).flat();
      expect(items).toEqual(plainly(text));
    }),
  );
});
