// What is made of a Responses answer: how it ends, its calls, its texts and summaries, and what it counts.

import { describe, expect, test } from 'vitest';
import { createResponses } from '../../src/backends/responses/backend.ts';
import { blocksOf, callsOf, fakeEndpoint, tokensOf } from '../helpers/asking.ts';
import { ask, finish, last } from '../helpers/responses-asks.ts';
import {
  called,
  event,
  type Item,
  message,
  reasoning,
  responsesEvents,
  responsesStream,
  responsesWhole,
} from '../helpers/responses-replies.ts';
import { served } from '../helpers/served.ts';

describe('how an answer ends', () => {
  const cut = { incomplete_details: { reason: 'max_output_tokens' } };
  const rows: readonly [string, Parameters<typeof responsesStream>, object, string?][] = [
    ['complete', ['Blue'], finish('stop')],
    ['with a call', [[called('k', 'look', '{}')]], finish('tool_calls')],
    ['cut at its limit', ['Blue', { status: 'incomplete', more: cut }], finish('length')],
    [
      'stopped by a filter',
      [
        'Blue',
        { status: 'incomplete', more: { incomplete_details: { reason: 'content_filter' } } },
      ],
      finish('content_filter'),
    ],
    [
      'incomplete for another reason',
      ['Blue', { status: 'incomplete', more: { incomplete_details: null } }],
      finish('other', 'incomplete'),
    ],
    [
      'refused in words',
      [[message('', 'm', { content: [{ type: 'refusal', refusal: 'I will not.' }] })]],
      finish('refusal', 'I will not.'),
    ],
    [
      'cut in the middle of a call, which is not used',
      [[called('k', 'look', '{"a":')], { status: 'incomplete', more: cut }],
      finish('length'),
      'the answer ended in the middle of its tool calls; none of them is used',
    ],
  ];
  for (const [name, args, end, warning] of rows)
    test(name, async () => {
      const { events, warnings } = await ask(responsesStream(...args));
      expect(last(events)).toEqual(end);
      expect(warnings).toEqual(warning === undefined ? [] : [warning]);
      if (warning !== undefined) expect(callsOf(events)).toEqual([]);
    });

  test('what was cut, stopped or refused is none to go on from', async () => {
    const { events } = await ask(responsesStream('Blue', { status: 'incomplete', more: cut }));
    expect(blocksOf(events)).toEqual([]);
  });

  const failed = (error: Item, events: readonly string[] = []) => ({
    body: [
      ...events,
      event({ type: 'response.failed', sequence_number: 2, response: { status: 'failed', error } }),
    ],
  });

  test('a temporary failure is asked again, then told', async () => {
    const error = { code: 'server_error', message: 'fake failure' };
    const again = await ask([failed(error), responsesStream('Blue')]);
    expect([again.text, again.retries.length]).toEqual(['Blue', 1]);
    const limit = { code: 'rate_limit_exceeded', message: 'fake limit' };
    const { failure, server } = await ask(failed(limit), { retry_max: 1 });
    expect(failure?.message).toMatch(/429 \(too many requests\): fake limit \(2 attempts\)$/);
    expect(server.requests).toHaveLength(2);
  });

  test('a final failure is told once', async () => {
    const { failure, server } = await ask(
      failed({ code: 'invalid_prompt', message: 'odd prompt' }),
    );
    expect([failure?.code, server.requests.length]).toEqual(['bad-request', 1]);
    expect(failure?.message).toMatch(/odd prompt$/);
  });

  test('an error event inside a 200', async () => {
    const error = (code: string) => ({
      body: event({ type: 'error', sequence_number: 1, code, message: 'fake limit', param: null }),
    });
    const again = await ask([error('rate_limit_exceeded'), responsesStream('Blue')]);
    expect([again.text, again.retries.length]).toEqual(['Blue', 1]);
    const { failure, server } = await ask(error('invalid_prompt'));
    expect([failure?.facts.kind, server.requests.length]).toEqual(['bad_request', 1]);
  });

  test('a failure after text was shown is a broken stream', async () => {
    const events = responsesEvents([message('Blue kite')]).slice(0, 3);
    const { text, failure } = await ask(failed({ code: 'server_error', message: 'x' }, events));
    expect([text, failure?.facts.kind]).toEqual(['Blue ', 'stream_dropped']);
  });
});

describe('calls', () => {
  const rows: readonly [string, unknown, unknown][] = [
    ['an empty text', '', {}],
    ['blank text', '  ', {}],
    ['null', null, {}],
    ['nothing', undefined, {}],
    ['an empty object', '{}', {}],
    ['an object instead of a text', { a: 1 }, { a: 1 }],
    ['text that is no JSON', 'count them', 'count them'],
  ];
  for (const [name, args, given] of rows)
    test(`without arguments: ${name}`, async () => {
      const item = { ...called('k', 'look', ''), arguments: args };
      const { events, failure } = await ask(responsesWhole([item]));
      expect(failure).toBe(undefined);
      expect(callsOf(events)).toEqual([{ id: 'k', name: 'look', arguments: given }]);
    });

  test('are complete only at the end: JSON that could be whole is not', async () => {
    const [created = '', added = '', , , done = '', end = ''] = responsesEvents([
      called('k', 'write', '{"path":"b.txt","dry":true}'),
    ]);
    const delta = (text: string) =>
      event({ type: 'response.function_call_arguments.delta', output_index: 0, delta: text });
    const { events } = await ask({
      body: [
        created,
        added,
        delta('{}'),
        { wait: 5 },
        delta('{"path":"b.txt","dry":true}'),
        done,
        end,
      ],
    });
    expect(callsOf(events)).toEqual([
      { id: 'k', name: 'write', arguments: { path: 'b.txt', dry: true } },
    ]);
    const broken = await ask({ body: [created, added, delta('{}'), { wait: 5 }], ending: 'reset' });
    expect(callsOf(broken.events)).toEqual([]);
    expect(broken.failure?.facts.kind).toBe('stream_dropped');
  });

  test('side by side keep their order, and their pieces stay apart', async () => {
    const output = [called('k1', 'one', '{"a":1}'), called('k2', 'two', '{"b":2}')];
    const [created, a, a1, a2, ad, b, b1, b2, bd, end] = responsesEvents(output);
    const body = [created, a, b, b1, a1, b2, a2, bd, ad, end].map(String);
    const { events } = await ask({ body });
    expect(callsOf(events).map(({ id }) => id)).toEqual(['k1', 'k2']);
    expect(
      blocksOf(events)
        .slice(1)
        .map(({ id }) => id),
    ).toEqual(['k1', 'k2']);
  });

  test('without a name are left out with a word, without an id get one', async () => {
    const { name: _, ...nameless } = called('k1', 'x', '{}');
    const { call_id: __, ...idless } = called('k2', 'look', '{}');
    const { events, warnings } = await ask(responsesWhole([nameless, idless]));
    expect(callsOf(events)).toEqual([
      { id: expect.stringMatching(/^call_./), name: 'look', arguments: {} },
    ]);
    expect(warnings).toEqual(['left out of the answer: 1 tool call(s) without a name']);
  });

  test('reach the tool that is meant, whatever its name became; unknown names stay', async () => {
    const parameters = { type: 'object', properties: {} };
    const tools = ['notes.read', 'notes/read', 'läsa', 'n'.repeat(90)].map((name) => ({
      name,
      description: '',
      parameters,
    }));
    const { events } = await ask(
      ({ json }) =>
        responsesStream(
          [...json.tools.map((tool: Item) => tool.name), 'no_such'].map((name, index) =>
            called(`k${index}`, String(name), '{}'),
          ),
        ),
      {},
      { tools },
    );
    const names = callsOf(events).map(({ name }) => name);
    expect(names).toEqual([...tools.map(({ name }) => name), 'no_such']);
  });
});

describe('several texts and summaries in one answer', () => {
  test('are set apart, and go back as they came', async () => {
    const output = [
      { ...reasoning('rs_1', ''), summary: ['One.', 'Two.'].map((text) => ({ text })) },
      message('Let me look.', 'm1', { phase: 'commentary' }),
      message('A kite.', 'm2', { phase: 'final_answer' }),
    ];
    const { text, thinking, events } = await ask(responsesStream(output), { store: true });
    expect(text).toBe('Let me look.\n\nA kite.');
    expect(thinking).toBe('One.\n\nTwo.');
    expect(blocksOf(events).slice(2)).toEqual([
      { type: 'message', text: 'Let me look.', phase: 'commentary' },
      { type: 'message', text: 'A kite.', phase: 'final_answer' },
    ]);
  });

  test('reasoning that a model shows itself is thinking', async () => {
    const item = { id: 'rs', type: 'reasoning', summary: [], content: [{ text: 'Hm.' }] };
    const { thinking } = await ask(responsesStream([item, message('x')]));
    expect(thinking).toBe('Hm.');
  });

  test('items of the provider are kept where they stood; what stands at the end led to nothing', async () => {
    const search = { id: 'ws_1', type: 'web_search_call', status: 'completed', action: { q: 'k' } };
    const output = [
      { ...reasoning('rs_1', 'Search.'), status: 'completed', content: null },
      search,
      message('A kite.'),
      reasoning('rs_2', 'Done.'),
    ];
    const { events } = await ask(responsesStream(output));
    expect(blocksOf(events).slice(1)).toEqual([
      reasoning('rs_1', 'Search.'),
      search,
      { type: 'message' },
    ]);
  });

  test('reasoning that nobody could read again is not kept', async () => {
    const output = [reasoning('rs_1', 'Search.'), message('A kite.')];
    const { events } = await ask(responsesStream(output), { store: false });
    expect(blocksOf(events)).toEqual([]);
  });
});

describe('token counts', () => {
  const count = async (usage: Record<string, unknown>) => {
    const { events, warnings } = await ask(responsesStream('x', { usage }));
    return { tokens: tokensOf(events)[0], warnings };
  };

  test('running totals are not added up: the last event counts', async () => {
    const body = responsesEvents([message('x')], {
      usage: { input_tokens: 100, output_tokens: 9 },
    });
    body.splice(
      1,
      0,
      event({
        type: 'response.in_progress',
        response: { usage: { input_tokens: 100, output_tokens: 5 } },
      }),
    );
    expect(tokensOf((await ask({ body })).events)).toEqual([{ pt: 100, ct: 9, tt: 109 }]);
  });

  test('values that are no counts are told and not counted; numbers in texts are read', async () => {
    expect(await count({ input_tokens: '10', output_tokens: -7, total_tokens: null })).toEqual({
      tokens: { pt: 10 },
      warnings: ['odd token counts of the provider are not counted: output_tokens: -7'],
    });
  });

  test('cached ones are part of the prompt, reasoning is part of the answer', async () => {
    const usage = {
      input_tokens: 100,
      input_tokens_details: { cached_tokens: 40, cache_write_tokens: 5 },
      output_tokens: 10,
      output_tokens_details: { reasoning_tokens: 7 },
      total_tokens: 110,
    };
    expect((await count(usage)).tokens).toEqual({
      pt: 100,
      cct: 40,
      cwt: 5,
      ct: 10,
      rt: 7,
      tt: 110,
    });
  });
});

test('the models of a server', async () => {
  const data = [
    { id: 'fake-5', object: 'model' },
    { object: 'model' },
    { id: 'b', context_length: 9 },
  ];
  const server = await served({ body: { object: 'list', data } });
  const { askContext } = await import('../helpers/asking.ts');
  const models = await createResponses().models(fakeEndpoint(`${server.url}/v1`), askContext());
  expect(models).toEqual([{ id: 'fake-5' }, { id: 'b', contextWindow: 9 }]);
  expect(server.requests[0]?.path).toBe('/v1/models');
});

describe('an answer that the provider cancelled looks whole', () => {
  const cancelled = { id: 'resp_1', object: 'response', status: 'cancelled', output: [] };
  const end = event({ type: 'response.cancelled', sequence_number: 9, response: cancelled });
  const begun = event({ type: 'response.output_text.delta', output_index: 0, delta: 'half' });

  test('before it said anything it is asked for again', async () => {
    const { server, failure } = await ask([{ body: end }, responsesStream([message('whole')])]);
    expect([failure, server.requests.length]).toEqual([undefined, 2]);
  });

  test('after that it is one that broke off', async () => {
    const { failure, text } = await ask({ body: begun + end });
    expect(text).toBe('half');
    expect(failure?.message).toMatch(/broke off: .* gave the answer up/);
    expect(failure?.facts.kind).toBe('stream_dropped');
  });
});
