// Answers of the Responses protocol against a real server: whole transcripts cut at every byte, and what real users met in such streams.

import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import type { ReplyEvent } from '../../src/backends/types.ts';
import { blocksOf, callsOf, tokensOf } from '../helpers/asking.ts';
import { ask, finish, last } from '../helpers/responses-asks.ts';
import {
  called,
  event,
  message,
  reasoning,
  responsesEvents,
  responsesStream,
  responsesWhole,
} from '../helpers/responses-replies.ts';

/** Without what depends on the server's address. */
const comparable = (events: readonly ReplyEvent[]) =>
  events.map((each) =>
    each.kind === 'provider-content' ? { ...each, blocks: each.blocks.slice(1) } : each,
  );

const transcript = (name: string) =>
  readFileSync(new URL(`../../fixtures/backends/responses/${name}.sse`, import.meta.url), 'utf8');

describe('a transcript', () => {
  test('of a text', async () => {
    const { events, failure } = await ask({ body: transcript('text') });
    expect(failure).toBe(undefined);
    expect(events.filter(({ kind }) => kind !== 'provider-content')).toEqual([
      { kind: 'response-id', id: 'resp_own1' },
      { kind: 'served', model: 'fake-5' },
      { kind: 'text', text: 'Blue kite' },
      { kind: 'usage', tokens: { pt: 18, ct: 2, tt: 20, cct: 0, cwt: 0, rt: 0 } },
      finish('stop'),
    ]);
  });

  test('of reasoning and a call', async () => {
    const { events, thinking } = await ask({ body: transcript('call') });
    expect(thinking).toBe('Look it up.');
    expect(callsOf(events)).toEqual([{ id: 'call_own2', name: 'count', arguments: { shelf: 3 } }]);
    expect(tokensOf(events)).toEqual([{ pt: 40, ct: 30, tt: 70, rt: 20 }]);
    expect(last(events)).toEqual(finish('tool_calls'));
    // Only the whole item holds what counts; that of the beginning is not complete.
    expect(blocksOf(events).slice(1)).toEqual([
      {
        id: 'rs_own2',
        type: 'reasoning',
        summary: [{ type: 'summary_text', text: 'Look it up.' }],
        encrypted_content: 'c2VhbGVk',
      },
      { type: 'function_call', id: 'call_own2' },
    ]);
  });

  for (const name of ['text', 'call'])
    for (const [how, change] of [
      ['as it is', (body: string) => body],
      ['with CR LF', (body: string) => body.replaceAll('\n', '\r\n')],
      ['without "event:" lines', (body: string) => body.replace(/^event:.*\n/gm, '')],
      ['without a space after "data:"', (body: string) => body.replaceAll('data: ', 'data:')],
      ['without its last empty line', (body: string) => body.trimEnd()],
    ] as const)
      test(`${name}, ${how}, every byte a read of its own`, async () => {
        const plain = await ask({ body: transcript(name) });
        const other = await ask({ body: change(transcript(name)), cut: 1 });
        expect(other.failure).toBe(undefined);
        expect(comparable(other.events)).toEqual(comparable(plain.events));
      });

  test('as one JSON object although a stream was asked for', async () => {
    const output = [reasoning('rs_1', 'Think.'), message('Blue kite'), called('k1', 'look', '{}')];
    const streamed = await ask(responsesStream(output));
    const whole = await ask(responsesWhole(output));
    expect(whole.text).toBe('Blue kite');
    const joined = (events: readonly ReplyEvent[]) =>
      comparable(events).filter(({ kind }) => kind !== 'text' && kind !== 'thinking');
    expect(joined(whole.events)).toEqual(joined(streamed.events));
  });
});

describe('characters cut between two reads turn into replacement marks', () => {
  const text = 'Žluť 🐌 hotovo';
  const body = Buffer.from(responsesEvents([message(text)]).join(''));
  const snail = body.indexOf('🐌');

  test('cut inside characters', async () => {
    const heard = await ask({ body, cut: [body.indexOf('Ž') + 1, snail + 2] });
    expect([heard.text, heard.warnings]).toEqual([text, []]);
  });

  test('one truly bad byte is one mark', async () => {
    // Only the piece that is shown is spoilt: what is repeated later does not show it again.
    const bad = Buffer.from(responsesEvents([message('Blue ? kite')]).join(''));
    for (let at = bad.indexOf('?'); at >= 0; at = bad.indexOf('?', at + 1)) bad[at] = 0xff;
    const { text: heard, failure } = await ask({ body: bad });
    expect([heard, failure]).toEqual(['Blue \uFFFD kite', undefined]);
  });
});

describe('comments, keep-alives, pings and unknown events reach the JSON reader', () => {
  test('all are passed over, one that is no JSON is told once', async () => {
    const [created = '', ...rest] = responsesEvents([message('Blue kite')]);
    const { text, failure, warnings } = await ask({
      body: [
        ': still here\n\n',
        created,
        ':\n\nid: 7\n\n',
        'event: ping\ndata: {"type":"ping"}\n\n',
        'event: keepalive\ndata: {"type":"keepalive","sequence_number":3}\n\n',
        'event: weather\ndata: {"type":"response.weather.delta","delta":"rain"}\n\n',
        'data: : still here\n\n',
        ...rest,
        'data: [DONE]\n\n',
      ],
    });
    expect([text, failure]).toEqual(['Blue kite', undefined]);
    expect(warnings).toEqual(['left out of the answer: an event that is no JSON (": still here")']);
  });
});

describe('a stream that ends with no end mark', () => {
  const events = responsesEvents([message('Blue kite')]);

  test('the last event is the end, whatever becomes of the connection', async () => {
    for (const ending of ['hang', 'reset', 'close'] as const) {
      const { text, events: heard } = await ask({ body: [...events, { wait: 5 }], ending });
      expect([text, last(heard)]).toEqual(['Blue kite', finish('stop')]);
    }
  });

  test('without a last event, whole items and [DONE] are a whole answer', async () => {
    const { text, failure } = await ask({ body: [...events.slice(0, -1), 'data: [DONE]\n\n'] });
    expect([text, failure]).toEqual(['Blue kite', undefined]);
  });

  for (const ending of ['end', 'close', 'reset'] as const)
    test(`cut after some text (${ending}): what came is handed on, and it is no answer`, async () => {
      const { text, failure } = await ask({ body: [...events.slice(0, 3), { wait: 5 }], ending });
      expect([text, failure?.facts.kind]).toEqual(['Blue ', 'stream_dropped']);
    });

  test('nothing at all is asked again, then told as empty', async () => {
    const again = await ask([{ body: '' }, responsesStream('Blue')]);
    expect(again.text).toBe('Blue');
    const { failure } = await ask({ body: '' }, { retry_max: 1 });
    expect(failure?.message).toContain('gave an empty answer');
  });
});

describe('events of unexpected shape crash the reader', () => {
  test('they are passed over', async () => {
    const odd = [
      'null',
      '7',
      '[]',
      '{}',
      '{"type":null}',
      '{"type":"response.output_text.delta"}',
      '{"type":"response.output_text.delta","delta":null,"output_index":0}',
      '{"type":"response.output_item.added","output_index":0}',
      '{"type":"response.output_item.added","output_index":0,"item":null}',
      '{"type":"response.output_item.done","output_index":5,"item":7}',
      '{"type":"response.in_progress","response":null}',
    ];
    const [created = '', ...rest] = responsesEvents([message('Blue kite')]);
    const body = [created, ...odd.map((data) => `data: ${data}\n\n`), ...rest];
    const { text, failure, events } = await ask({ body });
    expect([text, failure, last(events)]).toEqual(['Blue kite', undefined, finish('stop')]);
  });

  test('an answer without a response in its last event is one all the same', async () => {
    const body = [
      ...responsesEvents([message('Blue')]).slice(0, -1),
      event({ type: 'response.completed' }),
    ];
    const { text, events } = await ask({ body });
    expect([text, tokensOf(events), last(events)]).toEqual(['Blue', [], finish('stop')]);
  });

  test('text that no piece brought comes from the whole item, or from the last event', async () => {
    const without = (kind: RegExp) => ({
      body: responsesEvents([reasoning('rs', 'Think.'), message('Blue kite')]).filter(
        (each) => !kind.test(each),
      ),
    });
    for (const kind of [/delta/, /delta|output_item/, /"delta":"kite"/]) {
      const { text, thinking } = await ask(without(kind));
      expect([text, thinking]).toEqual(['Blue kite', 'Think.']);
    }
  });

  test('items that are all numbered 0 stay apart', async () => {
    const output = [called('k1', 'one', '{"a":1}'), called('k2', 'two', '{"b":2}')];
    const body = responsesEvents(output).map((each) => each.replaceAll('_index":1', '_index":0'));
    expect(callsOf((await ask({ body })).events)).toEqual([
      { id: 'k1', name: 'one', arguments: { a: 1 } },
      { id: 'k2', name: 'two', arguments: { b: 2 } },
    ]);
  });
});

describe('error bodies that are not JSON, and JSON where a stream was asked for', () => {
  const page = `<html><h1>nope</h1>${'x'.repeat(200_000)}</html>`;
  const rows: readonly [string, Parameters<typeof ask>[0], RegExp, number][] = [
    [
      'a web page with 502',
      { status: 502, body: page },
      /502 \(bad gateway\): a web page, "nope"/,
      2,
    ],
    [
      'plain text with 401',
      { status: 401, body: 'bad key' },
      /401 \(not authorized\): bad key$/,
      1,
    ],
    ['nothing with 503', { status: 503, body: '' }, /503 \(unavailable\)/, 2],
    ['an error that is a text', { status: 429, body: '{"error":"slow"}' }, /429 .*: slow/, 2],
    ['a log-in page with 200', { body: page }, /sent no answer/, 1],
    ['JSON of something else', { body: { choices: [] } }, /sent no answer of this protocol/, 1],
  ];
  for (const [name, answer, words, requests] of rows)
    test(name, async () => {
      const { failure, server } = await ask(answer, { retry_max: 1 });
      expect(failure?.message).toMatch(words);
      expect(failure?.message.length).toBeLessThan(400);
      expect(server.requests).toHaveLength(requests);
    });
});
