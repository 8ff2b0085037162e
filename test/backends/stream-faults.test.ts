// What real users met in streams of the Chat Completions protocol: each input against a real server, each with what must come of it.

import { describe, expect, test } from 'vitest';
import { ask, last } from '../helpers/openai-asks.ts';
import {
  chatChunks,
  chunk,
  DONE,
  event,
  openaiStream,
  openaiWhole,
  USAGE,
} from '../helpers/openai-replies.ts';

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
