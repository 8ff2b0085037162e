// Answers with very many parts, and parts that do not fit each other: read in time to their length, into numbers that are right.

import { describe, expect, test } from 'vitest';
import { createAnthropic } from '../../src/backends/anthropic/backend.ts';
import { createOllama } from '../../src/backends/ollama/backend.ts';
import { createOpenai } from '../../src/backends/openai/backend.ts';
import { PRESETS } from '../../src/backends/openai/place.ts';
import { createResponses } from '../../src/backends/responses/backend.ts';
import type { Backend } from '../../src/backends/types.ts';
import { callsOf, finishOf, tokensOf } from '../helpers/asking.ts';
import { event } from '../helpers/openai-replies.ts';
import { askServer } from '../helpers/served.ts';

const openai = (): Backend => createOpenai(PRESETS.openai);

/** More than what a call of a function takes as arguments, and what square time would take for ever with. */
const MANY = 130_000;
const many = (make: (index: number) => unknown): unknown[] =>
  Array.from({ length: MANY }, (_, index) => make(index));
const stop = (word: string) =>
  event({ type: 'message_delta', delta: { stop_reason: word } }) + event({ type: 'message_stop' });
const called = { name: 'x', arguments: '{}' };
const piece = (delta: unknown, reason?: string) =>
  event({ choices: [{ index: 0, delta, ...(reason && { finish_reason: reason }) }] });

describe('a hundred thousand calls in one answer do not hang the program, and each has an id of its own', () => {
  const rows: readonly (readonly [string, () => Backend, () => string])[] = [
    [
      'openai, all with one id',
      openai,
      () =>
        piece(
          { tool_calls: many((index) => ({ index, id: 'c', function: called })) },
          'tool_calls',
        ),
    ],
    [
      'openai, without numbers',
      openai,
      () =>
        piece(
          { tool_calls: many((index) => ({ id: `c${index}`, function: called })) },
          'tool_calls',
        ),
    ],
    [
      'openai, with a number that cannot be counted on from',
      openai,
      () =>
        piece({ tool_calls: [{ index: 1e300, id: 'a', function: called }] }) +
        piece(
          { tool_calls: many((index) => ({ id: `c${index}`, function: called })) },
          'tool_calls',
        ),
    ],
    [
      'anthropic',
      createAnthropic,
      () =>
        many(() =>
          event({
            type: 'content_block_start',
            content_block: { type: 'tool_use', id: 'c', name: 'x', input: {} },
          }),
        ).join('') + stop('tool_use'),
    ],
    [
      'responses',
      createResponses,
      () =>
        many((index) =>
          event({
            ...{ type: 'response.output_item.done', output_index: index },
            item: { type: 'function_call', call_id: 'c', ...called },
          }),
        ).join('') + event({ type: 'response.completed', response: { output: [] } }),
    ],
    [
      'ollama',
      createOllama,
      () =>
        `${JSON.stringify({ message: { tool_calls: many(() => ({ id: 'c', function: called })) }, done: true })}\n`,
    ],
  ];
  for (const [name, create, body] of rows)
    test(name, { timeout: 600_000 }, async () => {
      const { events, failure } = await askServer(create(), { body: body() });
      const ids = callsOf(events).map(({ id }) => id);
      expect(failure).toBeUndefined();
      expect(ids.length).toBeGreaterThanOrEqual(MANY);
      expect(new Set(ids).size).toBe(ids.length);
    });
});

test('a hundred thousand blocks and citations of a Messages answer do not hang the program', {
  timeout: 60_000,
}, async () => {
  const body = [
    many(() =>
      event({ type: 'content_block_start', content_block: { type: 'text', text: 'a' } }),
    ).join(''),
    many((at) =>
      event({ type: 'content_block_delta', delta: { type: 'citations_delta', citation: { at } } }),
    ).join(''),
    stop('end_turn'),
  ];
  const { text } = await askServer(createAnthropic(), { body });
  expect(text).toBe('a'.repeat(MANY));
});

describe('token counts that do not fit each other', () => {
  const rows: readonly (readonly [string, string, object, RegExp | undefined])[] = [
    [
      'more from the cache than the prompt has',
      '{"prompt_tokens":3,"completion_tokens":2,"prompt_tokens_details":{"cached_tokens":300}}',
      { pt: 3, ct: 2, tt: 5 },
      /not counted: cached: more than the prompt$/,
    ],
    [
      'more reasoning than answer',
      '{"prompt_tokens":3,"completion_tokens":2,"completion_tokens_details":{"reasoning_tokens":9}}',
      { pt: 3, ct: 2, tt: 5 },
      /not counted: reasoning: more than the answer$/,
    ],
    [
      'reasoning beside the answer, as the total tells',
      '{"prompt_tokens":3,"completion_tokens":2,"total_tokens":14,"completion_tokens_details":{"reasoning_tokens":9}}',
      { pt: 3, ct: 11, rt: 9, tt: 14 },
      undefined,
    ],
    [
      'reasoning in the answer',
      '{"prompt_tokens":3,"completion_tokens":11,"total_tokens":14,"completion_tokens_details":{"reasoning_tokens":9}}',
      { pt: 3, ct: 11, rt: 9, tt: 14 },
      undefined,
    ],
    [
      'what was cached beside the prompt, as the total tells',
      '{"prompt_tokens":3,"completion_tokens":2,"total_tokens":325,"prompt_tokens_details":{"cached_tokens":300,"cache_write_tokens":20}}',
      { pt: 323, ct: 2, cct: 300, cwt: 20, tt: 325 },
      undefined,
    ],
    [
      'a total by chance that of the answer, where the prompt is not told',
      '{"completion_tokens":11,"total_tokens":14,"completion_tokens_details":{"reasoning_tokens":3}}',
      { ct: 11, rt: 3, tt: 14 },
      undefined,
    ],
    [
      'numbers beyond all numbers, and what the server was sent',
      '{"prompt_tokens":1e400,"completion_tokens":"KEY-mock-123456","total_tokens":[1],"x_tokens":-1}',
      {},
      /not counted: prompt_tokens: Infinity, completion_tokens: no number, total_tokens: no number, x_tokens: -1$/,
    ],
  ];
  for (const [name, usage, tokens, warning] of rows)
    test(name, async () => {
      const last = `data: {"choices":[],"usage":${usage}}\n\n`;
      const body = piece({ content: 'hi' }, 'stop') + last;
      const { events, warnings } = await askServer(openai(), { body });
      expect(tokensOf(events)).toEqual(Object.keys(tokens).length === 0 ? [] : [tokens]);
      expect(warnings).toEqual(warning === undefined ? [] : [expect.stringMatching(warning)]);
    });
});

test('a prompt whose cached part is no number is not counted as what is left of it', async () => {
  const usage = { input_tokens: 3, cache_read_input_tokens: -5, output_tokens: 1 };
  const body =
    event({ type: 'message_start', message: { usage } }) +
    event({ type: 'content_block_start', index: 0, content_block: { type: 'text', text: 'hi' } }) +
    stop('end_turn');
  const { events, warnings } = await askServer(createAnthropic(), { body });
  expect(tokensOf(events)).toEqual([{ ct: 1 }]);
  expect(warnings).toEqual([expect.stringMatching(/not counted: cache_read_input_tokens: -5$/)]);
});

test('an end in words without end is no reason to show them', async () => {
  const { events } = await askServer(openai(), {
    body: piece({ content: 'hi' }, `odd \x1b[2J${'x'.repeat(100_000)}`),
  });
  expect(finishOf(events)).toEqual([{ reason: 'other', detail: 'in words that are no reason' }]);
});

describe('text of a Responses answer that comes out of order', () => {
  const item = { type: 'message', content: [{ type: 'output_text', text: 'Hello you' }] };
  const done = event({ type: 'response.output_item.done', output_index: 0, item });
  const end = event({ type: 'response.completed', response: { usage: {} } });
  const delta = (text: string) =>
    event({ type: 'response.output_text.delta', output_index: 0, delta: text });
  const rows: readonly (readonly [string, string, string])[] = [
    [
      'its pieces behind the whole are not said twice',
      done + delta('Hello') + delta(' you'),
      'Hello you',
    ],
    [
      'what is new behind the whole is said',
      `${done}${delta('Hello')}${delta(' all')}`,
      'Hello you\n\nHello all',
    ],
    [
      'the whole of a part alone is said',
      event({ type: 'response.output_text.done', output_index: 0, text: 'Hello you' }),
      'Hello you',
    ],
    [
      'the whole of a part behind its pieces is not',
      delta('Hello you') +
        event({ type: 'response.output_text.done', output_index: 0, text: 'Hello you' }) +
        done,
      'Hello you',
    ],
  ];
  for (const [name, body, said] of rows)
    test(name, async () => {
      const { text } = await askServer(createResponses(), { body: body + end });
      expect(text).toBe(said);
    });
});
