// A Messages answer as it arrives: whole, cut at any byte, by gateways that leave things out, and with errors in it.

import { describe, expect, test } from 'vitest';
import type { ReplyEvent } from '../../src/backends/types.ts';
import { ask, CLOCK, SIZE, THOUGHT } from '../helpers/anthropic-asks.ts';
import {
  anthropicError,
  anthropicStream,
  blockEvents,
  blockStart,
  blockStop,
  delta,
  ending,
  event,
  messageEvents,
  start,
} from '../helpers/anthropic-replies.ts';
import { blocksOf, callsOf, finishOf } from '../helpers/asking.ts';
import type { Answers } from '../helpers/fake-server.ts';

/** As the documentation of the protocol shows it: a ping between, one event without its name. */
const LAMPS = [
  start({
    id: 'msg_fake_0001',
    usage: {
      input_tokens: 12,
      cache_creation_input_tokens: 0,
      cache_read_input_tokens: 2048,
      output_tokens: 1,
    },
  }),
  blockStart(0, { type: 'text', text: '' }),
  event({ type: 'ping' }),
  delta(0, { type: 'text_delta', text: 'Three ' }).replace(/^event: .*\n/, ''),
  delta(0, { type: 'text_delta', text: 'lamps.' }),
  blockStop(0),
  ...ending(),
];

const LAMP_EVENTS: readonly ReplyEvent[] = [
  { kind: 'response-id', id: 'msg_fake_0001' },
  { kind: 'served', model: 'claude-fake-1' },
  { kind: 'text', text: 'Three lamps.' },
  { kind: 'usage', tokens: { pt: 2060, ct: 6, tt: 2066, cct: 2048, cwt: 0 } },
  { kind: 'finish', reason: { reason: 'stop' } },
];

/** Thinking and two calls, the second without any piece of arguments. */
const TOOLS = [
  start({ usage: { input_tokens: 300, output_tokens: 2 } }),
  ...blockEvents(THOUGHT, 0),
  blockStart(1, { ...SIZE, input: {} }),
  delta(1, { type: 'input_json_delta', partial_json: '' }),
  delta(1, { type: 'input_json_delta', partial_json: '{"path":"no' }),
  delta(1, { type: 'input_json_delta', partial_json: 'tes.txt"}' }),
  blockStop(1),
  blockStart(2, CLOCK),
  blockStop(2),
  ...ending({
    stop: 'tool_use',
    endUsage: { output_tokens: 41, output_tokens_details: { thinking_tokens: 9 } },
  }),
];

describe('an answer', () => {
  test('of text: its events in order', async () => {
    const { events, failure, warnings } = await ask({ body: LAMPS });
    expect([events, failure, warnings]).toEqual([LAMP_EVENTS, undefined, []]);
  });

  test('with thinking and two calls: the calls come at the end, the blocks as received', async () => {
    const { events, thinking } = await ask({ body: TOOLS });
    expect(thinking).toBe(THOUGHT.thinking);
    expect(events.slice(3)).toEqual([
      { kind: 'tool-call', call: { id: 'toolu_a', name: 'file_size', arguments: SIZE.input } },
      { kind: 'tool-call', call: { id: 'toolu_b', name: 'clock', arguments: {} } },
      { kind: 'provider-content', blocks: [THOUGHT, SIZE, CLOCK] },
      { kind: 'usage', tokens: { pt: 300, ct: 41, tt: 341, rt: 9 } },
      { kind: 'finish', reason: { reason: 'tool_calls' } },
    ]);
  });

  const forms: readonly [string, (body: string) => string, number?][] = [
    ['every byte a read of its own', (body) => body, 1],
    ['three bytes at a time', (body) => body, 3],
    ['CR LF', (body) => body.replaceAll('\n', '\r\n'), 1],
    ['CR', (body) => body.replaceAll('\n', '\r'), 1],
    ['no names of events', (body) => body.replace(/^event: .*\n/gm, '')],
    ['no space after "data:"', (body) => body.replaceAll('data: ', 'data:')],
    [
      'comments and keep-alives between',
      (body) => body.replaceAll('\n\n', '\n\n: still here\n\nid: 7\n\n:\n'),
    ],
    ['no empty line after the last event', (body) => body.trimEnd()],
  ];
  for (const [name, change, cut] of forms)
    test(`${name}: the same events`, async () => {
      for (const plain of [LAMPS, TOOLS]) {
        const body = change(plain.join(''));
        const other = await ask(cut === undefined ? { body } : { body, cut });
        expect(other.events).toEqual((await ask({ body: plain })).events);
        expect(other.failure).toBeUndefined();
      }
    });

  test('that is no stream but one object', async () => {
    const message = {
      id: 'msg_fake_2',
      type: 'message',
      role: 'assistant',
      model: 'claude-fake-1',
      content: [THOUGHT, { type: 'text', text: 'Looking.' }, SIZE],
      stop_reason: 'tool_use',
      usage: { input_tokens: 5, cache_read_input_tokens: 10, output_tokens: 7 },
    };
    for (const settings of [{}, { stream: false }]) {
      const { events, text, thinking, failure, server } = await ask({ body: message }, settings);
      expect([text, thinking, failure]).toEqual(['Looking.', THOUGHT.thinking, undefined]);
      expect(server.requests[0]?.json.stream).toBe(settings.stream ?? true);
      expect(events.slice(-4)).toEqual([
        { kind: 'tool-call', call: { id: 'toolu_a', name: 'file_size', arguments: SIZE.input } },
        { kind: 'provider-content', blocks: message.content },
        { kind: 'usage', tokens: { pt: 15, ct: 7, tt: 22, cct: 10 } },
        { kind: 'finish', reason: { reason: 'tool_calls' } },
      ]);
    }
  });
});

describe('characters cut between two reads turn into replacement marks', () => {
  const text = 'Žluť 🐌 hotovo';
  const body = Buffer.from(messageEvents([text]).join(''));

  test('cut inside characters, and at every byte', async () => {
    for (const cut of [[body.indexOf('Ž') + 1, body.indexOf('🐌') + 2], 1])
      expect((await ask({ body, cut })).text).toBe(text);
  });

  test('one truly bad byte is one mark', async () => {
    const bad = Buffer.from(body);
    bad[bad.indexOf('🐌') - 1] = 0xff;
    expect((await ask({ body: bad })).text).toBe('Žluť\uFFFD🐌 hotovo');
  });
});

describe('pings, unknown events and chunks of unexpected shape', () => {
  test('are passed over, one that is no JSON is told once', async () => {
    const odd = [
      event({ type: 'weather' }),
      'data: null\n\n',
      'data: 7\n\n',
      'data: []\n\n',
      'data: {"choices":[]}\n\n',
      'data: {"type":"content_block_delta"}\n\n',
      'data: {"type":"content_block_delta","index":0,"delta":null}\n\n',
      'data: {"type":"content_block_delta","index":0,"delta":{"type":"glow_delta","glow":1}}\n\n',
      'data: {"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":null}}\n\n',
      'data: {"type":"message_delta"}\n\n',
      'data: {"type":"message_start"}\n\n',
      'data: : still here\n\n',
      'data: : still here\n\n',
    ];
    const { text, failure, warnings, events } = await ask({
      body: LAMPS.flatMap((each, index) => (index === 0 || index > 4 ? [each] : [each, ...odd])),
    });
    expect([text, failure]).toEqual(['Three lamps.', undefined]);
    expect(warnings).toEqual(['left out of the answer: an event that is no JSON (": still here")']);
    expect(finishOf(events)).toEqual([{ reason: 'stop' }]);
  });

  test('a block of a kind that nobody knows is given back, not shown', async () => {
    const search = { type: 'server_tool_use', id: 'srv_1', name: 'web_search', input: { q: 'x' } };
    const found = { type: 'web_search_tool_result', tool_use_id: 'srv_1', content: [{ url: 'u' }] };
    const { events, text } = await ask(anthropicStream([search, found, 'Found.']));
    expect(text).toBe('Found.');
    expect(blocksOf(events)).toEqual([search, found, { type: 'text', text: 'Found.' }]);
    expect(callsOf(events)).toEqual([]);
  });

  test('a block whose start was left out', async () => {
    const body = TOOLS.filter((each) => !each.includes('"content_block_start","index":0'));
    const { events } = await ask({ body });
    expect(blocksOf(events)[0]).toEqual(THOUGHT);
  });

  test('a block that starts with its text', async () => {
    const body = [
      start(),
      blockStart(0, { type: 'text', text: 'Whole ' }),
      delta(0, { type: 'text_delta', text: 'at once' }),
      ...ending(),
    ];
    expect((await ask({ body })).text).toBe('Whole at once');
  });
});

describe('a stream that ends with no end mark', () => {
  const open = messageEvents(['Three ', 'lamps'], { stop: null, done: false });

  test('a stop reason is an end', async () => {
    const body = [...open, ...ending({ done: false })];
    const { text, failure, events } = await ask({ body });
    expect([text, failure]).toEqual(['Three lamps', undefined]);
    expect(finishOf(events)).toEqual([{ reason: 'stop' }]);
  });

  test('a stop reason before the connection breaks too', async () => {
    const body = [...open, ...ending({ done: false }), { wait: 20 }];
    expect((await ask({ body, ending: 'reset' })).failure).toBeUndefined();
  });

  test('and so is the last event without a stop reason', async () => {
    const { failure, events } = await ask({ body: [...open, event({ type: 'message_stop' })] });
    expect(failure).toBeUndefined();
    expect(finishOf(events)).toEqual([{ reason: 'stop' }]);
  });

  for (const cut of ['end', 'close', 'reset'] as const)
    test(`neither, ending in ${cut}: a dropped stream, not asked again here`, async () => {
      const { text, failure, server } = await ask({ body: [...open, { wait: 20 }], ending: cut });
      expect(text).toBe('Three lamps');
      expect(failure).toMatchObject({ code: 'stream-dropped', exitCode: 4 });
      expect(failure?.facts).toMatchObject({ kind: 'stream_dropped', attempts: 1 });
      expect(server.requests.length).toBe(1);
    });

  test('no event at all is asked again, then an error that quotes what came', async () => {
    const { failure, server } = await ask({ body: 'nothing here' }, { retry_max: 2 });
    expect(server.requests.length).toBe(3);
    expect(failure?.message).toContain('nothing here');
  });
});

describe('errors', () => {
  const overload = event({
    type: 'error',
    error: { type: 'overloaded_error', message: 'fake overload' },
    request_id: 'req_fake_3',
  });

  test('inside a 200 before anything was shown: asked again', async () => {
    const { text, retries, server } = await ask([{ body: [start(), overload] }, { body: LAMPS }]);
    expect([text, server.requests.length]).toEqual(['Three lamps.', 2]);
    expect(retries[0]?.message).toMatch(/529 \(overloaded\): fake overload$/);
  });

  test('inside a 200 after a shown delta, or after an empty block has begun: a dropped stream', async () => {
    for (const begun of [LAMPS.slice(0, 4), LAMPS.slice(0, 2)]) {
      const { failure, server } = await ask([{ body: [...begun, overload] }, { body: LAMPS }]);
      expect(failure?.code).toBe('stream-dropped');
      expect(server.requests.length).toBe(1);
    }
  });

  test('an error object in place of a stream', async () => {
    const body = { type: 'error', error: { type: 'api_error', message: 'upstream gone' } };
    const { text, server } = await ask([{ body }, { body: LAMPS }]);
    expect([text, server.requests.length]).toEqual(['Three lamps.', 2]);
  });

  const rows: readonly [string, Answers, number, string, RegExp][] = [
    ['a web page', { status: 502, body: '<html><h1>nope</h1>' }, 2, 'retry_exhausted', /nope/],
    ['plain text', { status: 401, body: 'bad key' }, 1, 'auth', /401 .*bad key/],
    ['an empty body', { status: 503, body: '' }, 2, 'retry_exhausted', /503/],
    [
      'a string for an error',
      { status: 429, body: { error: 'slow' } },
      2,
      'retry_exhausted',
      /slow/,
    ],
    ['a log-in page', { body: '<html><title>Log in</title>' }, 1, 'protocol', /Log in/],
    ['no permission', anthropicError(403, 'not yours', 'permission_error'), 1, 'auth', /not yours/],
    ['too large', anthropicError(413, 'too big', 'request_too_large'), 1, 'bad_request', /too big/],
    [
      'a prompt that is too long',
      anthropicError(400, 'prompt is too long: 210000 tokens > 200000 maximum'),
      1,
      'bad_request',
      /210,000 tokens, and 200,000 fit/,
    ],
    [
      'thinking of another conversation',
      anthropicError(400, 'messages.1.content.0: Invalid `signature` in `thinking` block'),
      1,
      'bad_request',
      /signature/,
    ],
  ];
  for (const [name, answers, requests, kind, message] of rows)
    test(`${name}`, async () => {
      const { failure, server } = await ask(answers, { retry_max: 1, thinking: 'low' });
      expect(server.requests.length).toBe(requests);
      expect(failure?.facts.kind).toBe(kind);
      expect(failure?.message).toMatch(message);
    });

  test('the server says how long to wait', async () => {
    const slow = { status: 429, headers: { 'retry-after': '0' }, body: { error: 'slow' } };
    const { text, retries } = await ask([slow, { body: LAMPS }]);
    expect([text, retries[0]?.delay]).toEqual(['Three lamps.', 0]);
    const long = { status: 429, headers: { 'retry-after': '86400' }, body: { error: 'slow' } };
    expect((await ask(long)).failure?.message).toMatch(/wants a wait of 24 hours$/);
  });
});
