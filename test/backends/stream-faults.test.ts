// What real users met in streams of the Chat Completions protocol: each input against a real server, each with what must come of it.

import { describe, expect, test } from 'vitest';
import { openai } from '../../src/backends/openai/backend.ts';
import type { ReplyEvent } from '../../src/backends/types.ts';
import { askBackend, callsOf, fakeEndpoint, fakeRequest } from '../helpers/asking.ts';
import type { Answers } from '../helpers/fake-server.ts';
import {
  chatChunks,
  chunk,
  DONE,
  event,
  openaiStream,
  openaiWhole,
  USAGE,
} from '../helpers/openai-replies.ts';
import { served } from '../helpers/served.ts';

async function ask(answers: Answers, settings: Record<string, unknown> = {}) {
  const server = await served(answers);
  const asked = await askBackend(
    openai,
    fakeRequest(fakeEndpoint(`${server.url}/v1`, { settings })),
  );
  return { ...asked, server };
}

const last = (events: readonly ReplyEvent[]) => events.at(-1);

describe('characters cut between two reads turn into replacement marks', () => {
  const text = 'Žluť 🐌 hotovo';
  const body = Buffer.from(chatChunks(text).join(''));
  const snail = body.indexOf('🐌');

  test('cut inside characters', async () => {
    const { text: heard } = await ask({ body, cut: [body.indexOf('Ž') + 1, snail + 2] });
    expect(heard).toBe(text);
  });

  test('every byte a read of its own', async () => {
    const { text: heard, failure } = await ask({ body, cut: 1 });
    expect([heard, failure]).toEqual([text, undefined]);
  });

  test('one truly bad byte is one mark', async () => {
    const bad = Buffer.from(body);
    const at = snail - 1;
    bad[at] = 0xff;
    const { text: heard, failure } = await ask({ body: bad });
    expect([heard, failure]).toEqual(['Žluť\uFFFD🐌 hotovo', undefined]);
  });
});

describe('a stream without a space after "data:" looks empty', () => {
  test('one space is taken off, the rest stays', async () => {
    const body =
      'data:{"choices":[{"index":0,"delta":{"content":" two"}}]}\n\ndata:  {"x":1}\n\ndata:[DONE]\n\n';
    const { text, failure, events } = await ask({ body });
    expect([text, failure]).toEqual([' two', undefined]);
    expect(last(events)).toEqual({ kind: 'finish', reason: { reason: 'stop' } });
  });
});

describe('line ends', () => {
  const body = chatChunks(['Blue ', 'kite'], { usage: USAGE }).join('');
  for (const [name, end] of [
    ['CR LF', '\r\n'],
    ['CR', '\r'],
  ] as const)
    test(`${name}, whole and cut at every byte`, async () => {
      const other = body.replaceAll('\n', end);
      const plain = await ask({ body });
      expect((await ask({ body: other })).events).toEqual(plain.events);
      expect((await ask({ body: other, cut: 1 })).events).toEqual(plain.events);
    });

  test('a byte order mark before the first event', async () => {
    expect((await ask({ body: `\uFEFF${body}`, cut: 1 })).text).toBe('Blue kite');
  });

  test('no empty line after the last event', async () => {
    const { text, failure } = await ask({ body: body.replace(`${DONE}`, 'data: [DONE]') });
    expect([text, failure]).toEqual(['Blue kite', undefined]);
  });
});

describe('comments, keep-alives, pings and unknown events reach the JSON reader', () => {
  test('all are passed over, one that is no JSON is told once', async () => {
    const [role = '', one = '', two = '', finish = ''] = chatChunks(['Blue ', 'kite']);
    const { text, failure, warnings } = await ask({
      body: [
        ': still here\n\n',
        role,
        ':\n\n',
        one,
        'id: 7\n\n',
        'event: ping\ndata: {"type":"ping"}\n\n',
        'event: weather\ndata: {"type":"weather"}\n\n',
        'retry: 10\n\n',
        'data: : still here\n\n',
        'data: : still here\n\n',
        two,
        ':\n',
        finish,
        DONE,
      ],
    });
    expect([text, failure]).toEqual(['Blue kite', undefined]);
    expect(warnings).toEqual(['left out of the answer: an event that is no JSON (": still here")']);
  });
});

describe('a stream that ends with no end mark', () => {
  const texts = chatChunks(['Blue ', 'kite'], { finish: null, done: false });

  test('a finish without [DONE] is a whole answer', async () => {
    const { text, failure, events } = await ask({ body: [...texts, chunk({}, 'stop')] });
    expect([text, failure]).toEqual(['Blue kite', undefined]);
    expect(last(events)).toMatchObject({ kind: 'finish', reason: { reason: 'stop' } });
  });

  test('a finish before the connection breaks is a whole answer', async () => {
    const body = [...texts, chunk({}, 'stop'), { wait: 20 }];
    const { text, failure } = await ask({ body, ending: 'reset' });
    expect([text, failure]).toEqual(['Blue kite', undefined]);
  });

  test('[DONE] without a finish is a whole answer', async () => {
    const { text, failure } = await ask({ body: [...texts, DONE] });
    expect([text, failure]).toEqual(['Blue kite', undefined]);
  });

  for (const ending of ['end', 'close', 'reset'] as const)
    test(`neither, ending in ${ending}, is a dropped stream and not asked again here`, async () => {
      const { text, failure, server } = await ask({ body: [...texts, { wait: 20 }], ending });
      expect(text).toBe('Blue kite');
      expect(failure).toMatchObject({ code: 'stream-dropped', exitCode: 4 });
      expect(failure?.facts).toMatchObject({ kind: 'stream_dropped', attempts: 1 });
      expect(server.requests.length).toBe(1);
    });

  test('a cut in the middle of an event drops the stream and delivers none of that event', async () => {
    const { text, failure } = await ask({
      body: [...texts, 'data: {"choices":[{"del'],
      ending: 'close',
    });
    expect(text).toBe('Blue kite');
    expect(failure?.facts.kind).toBe('stream_dropped');
  });

  test('no event at all is an empty answer, asked again while retries remain', async () => {
    const { failure, server, retries, events } = await ask({ body: [] }, { retry_max: 2 });
    expect(failure).toMatchObject({ exitCode: 4, code: 'bad-reply' });
    expect(failure?.message).toMatch(/gave an empty answer \(3 attempts\)$/);
    expect(failure?.facts).toMatchObject({ kind: 'retry_exhausted', cause_kind: 'protocol' });
    expect([server.requests.length, retries.length, events]).toEqual([3, 2, []]);
  });

  test('a break before anything was shown is asked again, and leaves no trace', async () => {
    const { text, events, retries } = await ask([
      { body: texts.slice(0, 1), ending: 'close' },
      openaiStream('whole', { id: 'second' }),
    ]);
    expect(text).toBe('whole');
    expect(retries.map(({ kind }) => kind)).toEqual(['connection']);
    expect(events.filter(({ kind }) => kind === 'response-id')).toEqual([
      { kind: 'response-id', id: 'second' },
    ]);
  });
});

describe('chunks of unexpected shape stop the reader', () => {
  test('they are passed over, or used for the counts', async () => {
    const odd = [
      { usage: { prompt_tokens: 3 } },
      { choices: [] },
      { choices: [{ index: 0 }] },
      { choices: [{ index: 0, delta: null }] },
      { choices: [{ index: 0, delta: { content: null, tool_calls: null, role: '' } }] },
      { choices: null },
      { choices: 'x' },
      { choices: [null, 7] },
      { choices: [{ index: 1, delta: { content: 'another choice' } }] },
      { choices: [{ index: 0, delta: { content: 5, tool_calls: [null, 3, {}] } }] },
      null,
      7,
      [],
      'text',
    ].map(event);
    const { text, events, failure } = await ask({
      body: [...odd, chunk({ content: 'fine' }), ...odd, chunk({}, 'stop')],
    });
    expect([text, failure]).toEqual(['fine', undefined]);
    expect(events).toContainEqual({ kind: 'usage', tokens: { pt: 3 } });
  });

  test('a refusal in words is not an answer', async () => {
    const { text, events } = await ask({
      body: [chunk({ refusal: 'I will ' }), chunk({ refusal: 'not.' }), chunk({}, 'stop'), DONE],
    });
    expect(text).toBe('');
    expect(last(events)).toEqual({
      kind: 'finish',
      reason: { reason: 'refusal', detail: 'I will not.' },
    });
  });

  test('content as a list of parts is read, thinking apart', async () => {
    const content = [
      { type: 'thinking', thinking: [{ type: 'text', text: 'hm' }] },
      { type: 'text', text: 'yes' },
    ];
    const { text, thinking } = await ask({ body: [chunk({ content }), chunk({}, 'stop')] });
    expect([text, thinking]).toEqual(['yes', 'hm']);
  });
});

describe('JSON where a stream was asked for, and other things in its place', () => {
  test('one whole answer is accepted', async () => {
    const { text, thinking, events, failure } = await ask(
      openaiWhole('Blue kite', { thinking: 'sky' }),
    );
    expect([text, thinking, failure]).toEqual(['Blue kite', 'sky', undefined]);
    expect(events.map(({ kind }) => kind)).toEqual([
      'response-id',
      'served',
      'thinking',
      'text',
      'provider-content',
      'usage',
      'finish',
    ]);
  });

  test('a whole answer after white space, cut at every byte', async () => {
    const whole = openaiWhole('Žluť');
    const { text } = await ask({ body: ` \n\n${JSON.stringify(whole.body, null, 2)}`, cut: 1 });
    expect(text).toBe('Žluť');
  });

  test('a log-in page with status 200 is told in one line and not asked again', async () => {
    const { failure, server } = await ask({
      headers: { 'content-type': 'text/html' },
      body: `<!DOCTYPE html><html><head><title>Please\n log in</title></head>${'<p>x</p>'.repeat(9000)}`,
    });
    expect(failure?.message).toMatch(
      /^127\.0\.0\.1:\d+ sent no answer: a web page, "Please log in"$/,
    );
    expect(failure?.facts).toMatchObject({ kind: 'protocol', retryable: false });
    expect(server.requests.length).toBe(1);
  });

  test('plain text with status 200 is quoted', async () => {
    const { failure } = await ask({ body: 'upstream is asleep\n' }, { retry_max: 0 });
    expect(failure?.message).toMatch(/gave an empty answer: upstream is asleep$/);
  });

  test('stream: false asks for one answer and reads it', async () => {
    const { text, server } = await ask(openaiWhole('Blue kite'), { stream: false });
    expect(text).toBe('Blue kite');
    expect(server.requests[0]?.json).toMatchObject({ stream: false });
    expect(server.requests[0]?.json).not.toHaveProperty('stream_options');
  });
});

describe('an error inside a status of 200', () => {
  const gateway = {
    ...{
      id: 'gen-3',
      provider: 'FakeCo',
      choices: [{ index: 0, delta: { content: '' }, finish_reason: 'error' }],
    },
    error: {
      code: 502,
      message: 'Provider returned error',
      metadata: { provider_name: 'FakeCo', raw: 'upstream reset' },
    },
  };

  test('as the first event is asked again like the status', async () => {
    const { text, retries } = await ask([
      { body: [': OPENROUTER PROCESSING\n\n', event(gateway)] },
      openaiStream('fine'),
    ]);
    expect(text).toBe('fine');
    expect(retries[0]).toMatchObject({ attempt: 1, maxRetries: 5, kind: 'server' });
    expect(retries[0]?.message).toContain('Provider returned error (FakeCo: upstream reset)');
  });

  test('after output is a dropped stream', async () => {
    const { text, failure } = await ask({ body: [chunk({ content: 'Blue' }), event(gateway)] });
    expect(text).toBe('Blue');
    expect(failure?.facts).toMatchObject({ kind: 'stream_dropped', cause_kind: 'server' });
  });

  test('of a kind that is not worth it is not asked again', async () => {
    const { failure, server } = await ask({
      body: [event({ error: { code: 400, message: 'no such thing' } })],
    });
    expect(failure?.facts).toMatchObject({ kind: 'bad_request', status: 400 });
    expect(server.requests.length).toBe(1);
  });

  test('as an "error:" line between the events', async () => {
    const { retries, text } = await ask([
      { body: ['error: {"code":503,"message":"loading model"}\n\n'] },
      openaiStream('fine'),
    ]);
    expect([text, retries.length]).toEqual(['fine', 1]);
    expect(retries[0]?.message).toContain('loading model');
  });

  test('as bare JSON on a connection that stays open', async () => {
    const { retries, text } = await ask([
      {
        body: ['{"error":{"message":"overloaded",', '"type":"overloaded_error"}}'],
        ending: 'hang',
      },
      openaiStream('fine'),
    ]);
    expect([text, retries.length]).toEqual(['fine', 1]);
  });

  test('as bare JSON after a comment', async () => {
    const { retries } = await ask([
      { body: ': wait\n\n{\n "error": {\n  "message": "late",\n  "code": 500\n }\n}\n' },
      openaiStream('fine'),
    ]);
    expect(retries[0]?.message).toContain('late');
  });
});

describe('tool calls', () => {
  const call = (delta: unknown) => chunk({ tool_calls: [delta] });
  const one = (args: unknown) =>
    call({ index: 0, id: 'k1', type: 'function', function: { name: 'count', arguments: args } });

  for (const [name, args] of [
    ['an empty text', ''],
    ['null', null],
    ['absent', undefined],
    ['white space', '  '],
    ['an empty object as text', '{}'],
    ['an object', {}],
    ['null as text', 'null'],
  ] as const)
    test(`without arguments crash the JSON reader: ${name}`, async () => {
      const { events } = await ask({ body: [one(args), chunk({}, 'tool_calls'), DONE] });
      expect(callsOf(events)).toEqual([{ id: 'k1', name: 'count', arguments: {} }]);
      expect(last(events)).toEqual({ kind: 'finish', reason: { reason: 'tool_calls' } });
    });

  test('with an object for arguments', async () => {
    const { events } = await ask({ body: [one({ a: 1 }), chunk({}, 'tool_calls')] });
    expect(callsOf(events)[0]?.arguments).toEqual({ a: 1 });
  });

  test('run before their arguments are complete: an empty object first', async () => {
    const { events } = await ask({
      body: [
        one('{}'),
        { wait: 20 },
        call({ index: 0, function: { arguments: '{"path":"b.txt",' } }),
        call({ index: 0, function: { arguments: '"dry":true}' } }),
        chunk({}, 'tool_calls'),
        DONE,
      ],
    });
    expect(callsOf(events)).toEqual([
      { id: 'k1', name: 'count', arguments: { path: 'b.txt', dry: true } },
    ]);
  });

  test('run before their arguments are complete: digits of a number', async () => {
    const { events } = await ask({
      body: [
        one('4'),
        { wait: 20 },
        call({ index: 0, function: { arguments: '2' } }),
        chunk({}, 'stop'),
      ],
    });
    expect(callsOf(events)).toEqual([{ id: 'k1', name: 'count', arguments: '42' }]);
  });

  test('of a stream that breaks are not there at all', async () => {
    const { events, failure } = await ask({ body: [one('{"a":1}')], ending: 'close' });
    expect(callsOf(events)).toEqual([]);
    expect(failure?.facts.kind).toBe('stream_dropped');
  });

  test('of an answer that was cut at its limit are not used', async () => {
    const { events, warnings } = await ask({ body: [one('{}'), chunk({}, 'length'), DONE] });
    expect(callsOf(events)).toEqual([]);
    expect(last(events)).toEqual({ kind: 'finish', reason: { reason: 'length' } });
    expect(warnings).toHaveLength(1);
  });

  test('whose fragments interleave are joined by index, in its order', async () => {
    const { events, thinking } = await ask({
      body: [
        chunk({ role: 'assistant', content: null, reasoning_content: 'Two lookups.' }),
        call({ index: 1, id: 'b', function: { name: 'lookup', arguments: '{"k":' } }),
        call({ index: 0, id: 'a', function: { name: 'lookup', arguments: '' } }),
        call({ index: 0, function: { arguments: '{"k":"a"}' } }),
        call({ index: 1, function: { arguments: '"b"}' } }),
        chunk({}, 'tool_calls'),
        DONE,
      ],
    });
    expect(thinking).toBe('Two lookups.');
    expect(callsOf(events)).toEqual([
      { id: 'a', name: 'lookup', arguments: { k: 'a' } },
      { id: 'b', name: 'lookup', arguments: { k: 'b' } },
    ]);
  });

  test('without an index, or all with the same one, are told apart by id', async () => {
    for (const index of [undefined, 0]) {
      const { events } = await ask({
        body: [
          call({ index, id: 'a', function: { name: 'x', arguments: '{"n":1}' } }),
          call({ index, id: 'b', function: { name: 'y', arguments: '{"n":' } }),
          ...(index === undefined
            ? [
                call({ id: 'b', function: { arguments: '2' } }),
                call({ function: { arguments: '}' } }),
              ]
            : [call({ index: 1, function: { arguments: '2}' } })]),
          chunk({}, 'tool_calls'),
        ],
      });
      expect(callsOf(events).map((each) => [each.id, each.name, each.arguments])).toEqual([
        ['a', 'x', { n: 1 }],
        ['b', 'y', { n: 2 }],
      ]);
    }
  });

  test('without an id get one that is used once', async () => {
    const { events } = await ask({
      body: [
        call({ index: 0, function: { name: 'x' } }),
        call({ index: 1, function: { name: 'x' } }),
        chunk({}, 'stop'),
      ],
    });
    const ids = callsOf(events).map(({ id }) => id);
    expect(new Set(ids).size).toBe(2);
    expect(ids.every((id) => id.startsWith('call_'))).toBe(true);
  });

  test('of a whole answer are read too', async () => {
    const { events } = await ask({
      body: {
        id: 'x',
        choices: [
          {
            message: {
              content: null,
              tool_calls: [{ id: 'a', function: { name: 'x', arguments: '{"n":1}' } }],
            },
            finish_reason: 'tool_calls',
          },
        ],
      },
    });
    expect(callsOf(events)).toEqual([{ id: 'a', name: 'x', arguments: { n: 1 } }]);
  });
});

describe('token counts', () => {
  const withUsage = async (...usages: unknown[]) => {
    const { events, warnings } = await ask({
      body: [
        ...usages.slice(0, -1).map((usage) => chunk({ content: 'x' }, null, { usage })),
        chunk({}, 'stop'),
        event({ choices: [], usage: usages.at(-1) }),
        DONE,
      ],
    });
    const usage = events.find(({ kind }) => kind === 'usage');
    return { tokens: usage?.kind === 'usage' ? usage.tokens : undefined, warnings };
  };

  test('running totals are added up twice: later ones replace earlier ones', async () => {
    const { tokens } = await withUsage(
      { prompt_tokens: 100, completion_tokens: 1 },
      { prompt_tokens: 100, completion_tokens: 5, total_tokens: null },
      { prompt_tokens: 100, completion_tokens: 9, total_tokens: 109 },
    );
    expect(tokens).toEqual({ pt: 100, ct: 9, tt: 109 });
  });

  test('values that are no sane numbers spread into sums: texts are read, the rest is named', async () => {
    const { tokens, warnings } = await withUsage({
      prompt_tokens: '10',
      completion_tokens: -7,
      total_tokens: 'NaN',
      prompt_tokens_details: { cached_tokens: 1.5 },
    });
    expect(tokens).toEqual({ pt: 10 });
    expect(warnings).toEqual([
      'odd token counts of the provider are not counted: completion_tokens: -7, total_tokens: "NaN", cached_tokens: 1.5',
    ]);
  });

  test('two meanings of input tokens: cached ones are inside the prompt count here', async () => {
    const { tokens } = await withUsage({
      prompt_tokens: 100,
      completion_tokens: 10,
      total_tokens: 110,
      prompt_tokens_details: { cached_tokens: 40 },
      completion_tokens_details: { reasoning_tokens: 4 },
    });
    expect(tokens).toEqual({ pt: 100, ct: 10, tt: 110, cct: 40, rt: 4 });
  });

  test('that are not there are not made up', async () => {
    expect((await withUsage(null)).tokens).toBeUndefined();
  });
});

describe('what else comes with an answer', () => {
  test('thinking under either name, and no line ends before the first text', async () => {
    const { text, thinking } = await ask({
      body: [
        chunk({ reasoning: 'One ' }),
        chunk({ reasoning_content: 'two', reasoning: 'two' }),
        chunk({ content: '\n' }),
        chunk({ content: '\n\n  kite' }),
        chunk({ content: '\n\n' }),
        chunk({}, 'stop'),
      ],
    });
    expect([thinking, text]).toEqual(['One two', '  kite\n\n']);
  });

  test('who served it, and under which id', async () => {
    const { events } = await ask({
      body: [
        chunk({ content: 'x' }, null, { provider: 'FakeCo', model: 'real-1' }),
        chunk({}, 'stop', { model: 'real-1' }),
      ],
    });
    expect(events.slice(0, 2)).toEqual([
      { kind: 'response-id', id: 'chatcmpl-fake1' },
      { kind: 'served', model: 'real-1', provider: 'FakeCo' },
    ]);
  });

  for (const [word, reason] of [
    ['stop', { reason: 'stop' }],
    ['length', { reason: 'length' }],
    ['content_filter', { reason: 'content_filter' }],
    ['tool_calls', { reason: 'stop' }],
    ['insufficient_resources', { reason: 'other', detail: 'insufficient_resources' }],
  ] as const)
    test(`the end "${word}"`, async () => {
      const { events } = await ask({ body: [chunk({ content: 'x' }), chunk({}, word)] });
      expect(last(events)).toEqual({ kind: 'finish', reason });
    });
});
