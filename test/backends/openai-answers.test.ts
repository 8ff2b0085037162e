// What is made of a Chat Completions answer: its tool calls, its counts, its thinking, and how it ends.

import { describe, expect, test } from 'vitest';
import { callsOf } from '../helpers/asking.ts';
import { ask, last } from '../helpers/openai-asks.ts';
import { chunk, DONE, event } from '../helpers/openai-replies.ts';

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
