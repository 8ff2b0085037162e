// What servers of a protocol's family do that its first provider does not: each against a real server, named after what users saw.

import { describe, expect, test } from 'vitest';
import { createAnthropic } from '../../src/backends/anthropic/backend.ts';
import { createOllama } from '../../src/backends/ollama/backend.ts';
import { createOpenai } from '../../src/backends/openai/backend.ts';
import { PRESETS } from '../../src/backends/openai/place.ts';
import { createResponses } from '../../src/backends/responses/backend.ts';
import type { Backend } from '../../src/backends/types.ts';
import { createClock } from '../../src/world/clock.ts';
import {
  blockStart,
  blockStop,
  delta,
  ending,
  messageEvents,
  start,
} from '../helpers/anthropic-replies.ts';
import {
  askBackend,
  askContext,
  callsOf,
  fakeEndpoint,
  fakeRequest,
  finishOf,
  tokensOf,
} from '../helpers/asking.ts';
import type { Answers, Script } from '../helpers/fake-server.ts';
import { temporaryFolder } from '../helpers/folder.ts';
import { ollamaStream } from '../helpers/ollama-replies.ts';
import {
  chatChunks,
  chunk,
  DONE,
  event,
  openaiError,
  openaiStream,
} from '../helpers/openai-replies.ts';
import { responsesStream } from '../helpers/responses-replies.ts';
import { askServer, served } from '../helpers/served.ts';

const openai = () => createOpenai(PRESETS.openai);
const chat = (answers: Answers) => askServer(openai(), answers);

describe('an answer that the provider gave up is taken for a whole one', () => {
  for (const word of ['error', 'network_error', 'insufficient_system_resource', 'abort'])
    test(`finish_reason "${word}" before any text is asked again`, async () => {
      const { text, failure, count } = await chat([
        { body: [chunk({}, word), DONE] },
        openaiStream('fine'),
      ]);
      expect([failure, text, count]).toEqual([undefined, 'fine', 2]);
    });

  test('finish_reason "error" after text is a dropped stream', async () => {
    const { failure } = await chat({ body: [chunk({ content: 'half of' }), chunk({}, 'error')] });
    expect(failure?.facts).toMatchObject({ kind: 'stream_dropped' });
    expect(failure?.message).toContain('"error"');
  });

  test('an error inside the choice is told with its words', async () => {
    const error = { code: 502, message: 'upstream is gone' };
    const choices = [{ index: 0, delta: { content: '' }, finish_reason: 'error', error }];
    const { text, retries } = await chat([{ body: [event({ choices })] }, openaiStream('fine')]);
    expect(text).toBe('fine');
    expect(retries.map(({ message }) => message)).toEqual([
      expect.stringContaining('upstream is gone'),
    ]);
  });
});

describe('an answer that was cut is taken for a whole one, since its end is called otherwise', () => {
  const rows = [
    ['max_tokens', { reason: 'length' }],
    ['MAX_TOKENS', { reason: 'length' }],
    ['model_length', { reason: 'length', detail: 'context' }],
    ['model_context_window_exceeded', { reason: 'length', detail: 'context' }],
    ['sensitive', { reason: 'content_filter' }],
    ['SAFETY', { reason: 'content_filter' }],
    ['STOP', { reason: 'stop' }],
    ['end_turn', { reason: 'stop' }],
  ] as const;
  test.each(rows)('%s', async (word, reason) => {
    const { events } = await chat({ body: [chunk({ content: 'x' }), chunk({}, word)] });
    expect(finishOf(events)).toEqual([reason]);
  });

  test.each([
    ['length', { reason: 'length' }],
    ['stop', { reason: 'stop' }],
    ['sensitive', { reason: 'content_filter' }],
  ] as const)('%s of a Messages host', async (word, reason) => {
    const body = [
      start(),
      blockStart(0, { type: 'text', text: '' }),
      delta(0, { type: 'text_delta', text: 'x' }),
      blockStop(0),
      ...ending({ stop: word }),
    ];
    const { events } = await askServer(createAnthropic(), { body });
    expect(finishOf(events)).toEqual([reason]);
  });
});

describe('calls of one answer run into each other', () => {
  const call = (name: string, args: string, id?: string) =>
    chunk({
      tool_calls: [{ index: 0, id, type: 'function', function: { name, arguments: args } }],
    });

  test.each([undefined, ''])('all are number 0 and have the id %j', async (id) => {
    const { events } = await chat({
      body: [call('look', '{"n":1}', id), call('look', '{"n":2}', id), chunk({}, 'stop'), DONE],
    });
    const calls = callsOf(events);
    expect(calls.map((each) => each.arguments)).toEqual([{ n: 1 }, { n: 2 }]);
    expect(new Set(calls.map((each) => each.id)).size).toBe(2);
  });

  test('a name that is repeated with each piece is one call', async () => {
    const { events } = await chat({
      body: [call('look', '{"n"', 'k1'), call('look', ':1}', 'k1'), chunk({}, 'tool_calls')],
    });
    expect(callsOf(events)).toEqual([{ id: 'k1', name: 'look', arguments: { n: 1 } }]);
  });

  test('two with one id get two', async () => {
    const calls = [0, 1].map((index) => ({
      ...{ index, id: 'k', type: 'function' },
      function: { name: 'look', arguments: `{"n":${index}}` },
    }));
    const { events } = await chat({ body: [chunk({ tool_calls: calls }, 'tool_calls'), DONE] });
    expect(callsOf(events).map(({ id }) => id)).toEqual(['k', 'k_2']);
  });

  test('all blocks of a Messages host are number 0', async () => {
    const use = (id: string, n: number) => [
      blockStart(0, { type: 'tool_use', id, name: 'look', input: {} }),
      delta(0, { type: 'input_json_delta', partial_json: `{"n":${n}}` }),
      blockStop(0),
    ];
    const body = [
      start(),
      blockStart(0, { type: 'text', text: '' }),
      delta(0, { type: 'text_delta', text: 'I look.' }),
      blockStop(0),
      ...use('a', 1),
      ...use('b', 2),
      ...ending({ stop: 'tool_use' }),
    ];
    const { events, text } = await askServer(createAnthropic(), { body });
    expect(text).toBe('I look.');
    expect(callsOf(events)).toEqual([
      { id: 'a', name: 'look', arguments: { n: 1 } },
      { id: 'b', name: 'look', arguments: { n: 2 } },
    ]);
  });
});

describe('token counts are missing though the server sent them', () => {
  const usage = { prompt_tokens: 7, completion_tokens: 3, total_tokens: 10 };
  test('inside the choice', async () => {
    const choices = [{ index: 0, delta: {}, finish_reason: 'stop', usage }];
    const { events } = await chat({ body: [chunk({ content: 'x' }), event({ choices }), DONE] });
    expect(tokensOf(events)).toEqual([{ pt: 7, ct: 3, tt: 10 }]);
  });

  test('in a corner of the server', async () => {
    const { events } = await chat({
      body: [chunk({ content: 'x' }), chunk({}, 'stop', { x_groq: { usage } }), DONE],
    });
    expect(tokensOf(events)).toEqual([{ pt: 7, ct: 3, tt: 10 }]);
  });

  test('a Messages host sends zeros at the end for what it counted at the beginning', async () => {
    const body = [
      start({ usage: { input_tokens: 100, cache_read_input_tokens: 40, output_tokens: 1 } }),
      blockStart(0, { type: 'text', text: '' }),
      delta(0, { type: 'text_delta', text: 'x' }),
      blockStop(0),
      ...ending({
        endUsage: { input_tokens: 0, cache_read_input_tokens: 0, output_tokens: 9 },
      }),
    ];
    const { events } = await askServer(createAnthropic(), { body });
    expect(tokensOf(events)).toMatchObject([{ pt: 140, cct: 40, ct: 9 }]);
  });
});

test('fields behind the last piece of an answer are no part of it', async () => {
  const pieces = chatChunks('Žluť 🐌').map(
    (each) => `${Buffer.byteLength(each).toString(16)}\r\n${each}\r\n`,
  );
  const head = 'HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n';
  const raw = `${head}Transfer-Encoding: chunked\r\nTrailer: X-Sum\r\n\r\n${pieces.join('')}0\r\nX-Sum: data\r\n\r\n`;
  const { text, failure, warnings } = await chat({ raw });
  expect([text, failure, warnings]).toEqual(['Žluť 🐌', undefined, []]);
});

describe('an answer that has ended is waited for until the server closes the connection', () => {
  /** Waits of more than a second take hardly any time. */
  const hasty = () => {
    const clock = createClock();
    const sleep = (time: number, signal?: AbortSignal) =>
      clock.sleep(time > 1000 ? 20 : time, signal);
    return askContext({ clock: { ...clock, sleep } });
  };
  const told = () => {
    let tell = () => {};
    const heard = new Promise<void>((resolve) => {
      tell = resolve;
    });
    return { tell, heard };
  };
  const rows: readonly (readonly [string, () => Backend, Script])[] = [
    ['chat', openai, { body: chatChunks('whole', { done: false }) }],
    ['messages', createAnthropic, { body: messageEvents(['whole'], { done: false }) }],
    ['ollama', createOllama, ollamaStream('whole')],
    ['responses', createResponses, responsesStream('whole')],
  ];
  test.each(rows)('%s', async (_, create, script) => {
    const server = await served({ ...script, ending: 'hang' });
    const endpoint = fakeEndpoint(server.url, { backend: create().name });
    const asked = await askBackend(create(), fakeRequest(endpoint), hasty());
    expect([asked.text, asked.failure, server.requests.length]).toEqual(['whole', undefined, 1]);
    expect(finishOf(asked.events)).toEqual([{ reason: 'stop' }]);
  });

  test('unless more comes behind an end that stands in each piece', async () => {
    const armed = told();
    const given = told();
    const sleep = (_: number, signal?: AbortSignal) => {
      armed.tell();
      return new Promise<void>((_resolve, reject) => {
        signal?.addEventListener('abort', () => {
          given.tell();
          reject(signal.reason);
        });
      });
    };
    const said = (content: string) => chunk({ content }, 'stop');
    const server = await served({
      body: [
        said('one '),
        { until: armed.heard },
        said('two '),
        { until: given.heard },
        said('three'),
        DONE,
      ],
    });
    const context = askContext({ clock: { ...createClock(), sleep } });
    const asked = await askBackend(openai(), fakeRequest(fakeEndpoint(server.url)), context);
    expect([asked.text, asked.failure]).toEqual(['one two three', undefined]);
  });

  test('an end of "null" in words is none', async () => {
    const { failure } = await chat({ body: [chunk({ content: 'half' }, 'null')] });
    expect(failure?.facts).toMatchObject({ kind: 'stream_dropped' });
  });

  test('counts that follow the end after a while are read', async () => {
    const usage = { prompt_tokens: 7, completion_tokens: 3, total_tokens: 10 };
    const { events } = await chat({
      body: [chunk({ content: 'x' }, 'stop'), { wait: 200 }, event({ choices: [], usage }), DONE],
    });
    expect(tokensOf(events)).toEqual([{ pt: 7, ct: 3, tt: 10 }]);
  });
});

test('an answer that carries an error with nothing in it is an answer', async () => {
  const error = { message: '', type: '', param: '', code: null };
  const message = { role: 'assistant', content: 'fine' };
  const choices = [{ index: 0, message, finish_reason: 'stop' }];
  const { text, failure } = await chat({ body: { choices, error } });
  expect([text, failure]).toEqual(['fine', undefined]);
});

describe('one odd schema and no other is asked for as a schema for a week', () => {
  const odd = { type: 'object', properties: { odd: { type: 'string' } } };
  const even = { type: 'object', properties: { even: { type: 'string' } } };
  const rows: readonly (readonly [string, () => Backend, Script])[] = [
    ['chat', openai, openaiStream('{}')],
    ['responses', createResponses, responsesStream('{}')],
  ];
  test.each(rows)('%s', async (_, create, answer) => {
    const said = "Invalid schema for response_format 'answer': In context=(), 'odd' is odd.";
    const server = await served(({ body }) =>
      body.includes('"json_schema"') && body.includes('"odd"') ? openaiError(400, said) : answer,
    );
    const endpoint = fakeEndpoint(server.url, { backend: create().name });
    const context = askContext({ cacheFolder: temporaryFolder() });
    for (const [sessionId, format] of [
      ['session-1', odd],
      ['session-2', even],
    ] as const) {
      const request = fakeRequest(endpoint, 'q', { format, sessionId });
      const { failure } = await askBackend(create(), request, context);
      expect(failure).toBe(undefined);
    }
    const forms = server.requests.map(
      ({ json }) => (json.response_format ?? json.text.format).type,
    );
    expect(forms).toEqual(['json_schema', 'json_object', 'json_schema']);
  });
});
