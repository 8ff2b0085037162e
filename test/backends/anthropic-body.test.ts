// The exact body of a Messages request: fields and their order, thinking, limits, tools, the form of the answer, marks for the cache.

import { describe, expect, test } from 'vitest';
import { type Refused, toBody } from '../../src/backends/anthropic/body.ts';
import { placeOf } from '../../src/backends/anthropic/place.ts';
import type { PromptRequest } from '../../src/backends/types.ts';
import type { Endpoint } from '../../src/config/types.ts';
import type { Chat } from '../../src/types.ts';
import { fakeEndpoint, fakeRequest } from '../helpers/asking.ts';
import type { Wire } from '../helpers/prompts.ts';

type Settings = Record<string, unknown>;

const place = (settings: Settings = {}, rest: Partial<Endpoint> = {}) =>
  fakeEndpoint('http://localhost:8080', { model: 'claude-fake-1', ...rest, settings });
const NOTHING: Refused = { display: false, levels: false, marks: false, format: false };

/** The body without marks, which tests of their own look at. */
const body = (
  settings: Settings = {},
  chat?: Chat | string,
  rest: Partial<PromptRequest> = {},
  refused: Partial<Refused> = {},
): Wire =>
  toBody(fakeRequest(place({ cache: false, ...settings }), chat, rest), { ...NOTHING, ...refused })
    .fields;
const warnings = (
  settings: Settings,
  chat?: Chat | string,
  rest: Partial<PromptRequest> = {},
  refused: Partial<Refused> = {},
) => toBody(fakeRequest(place(settings), chat, rest), { ...NOTHING, ...refused }).warnings;

const look = {
  name: 'look',
  description: 'Looks',
  parameters: { type: 'object', properties: { at: { type: 'string', default: null } } },
};
const schema = { type: 'object', properties: { bird: { type: 'string' } } };

describe('the body', () => {
  test('of a plain question, to the byte', () => {
    expect(JSON.stringify(toBody(fakeRequest(place())).fields)).toBe(
      '{"model":"claude-fake-1","max_tokens":64000,"messages":[{"role":"user","content":[{"type":"text","text":"What flies?","cache_control":{"type":"ephemeral"}}]}],"stream":true}',
    );
  });

  test('has its fields in a fixed order: what settings add comes last', () => {
    const settings = { thinking: 'low', temperature: '0', stream: false, top_k: 5 };
    const chat = [
      { role: 'system', content: 'Be brief.' },
      { role: 'user', content: 'q' },
    ];
    expect(JSON.stringify(body(settings, chat, { tools: [look] }))).toBe(
      '{"model":"claude-fake-1","max_tokens":64000,"system":[{"type":"text","text":"Be brief."}],' +
        '"messages":[{"role":"user","content":[{"type":"text","text":"q"}]}],"stream":false,' +
        '"tools":[{"name":"look","description":"Looks","input_schema":{"type":"object","properties":{"at":{"type":"string","default":null}}}}],' +
        '"tool_choice":{"type":"auto"},"thinking":{"type":"adaptive","display":"summarized"},' +
        '"output_config":{"effort":"low"},"temperature":0,"top_k":5}',
    );
  });

  test('holds sampling as it is set, and nothing of other protocols or of this program', () => {
    const settings = {
      temperature: 0.5,
      top_p: '0.9',
      top_k: null,
      seed: 7,
      stop: 'END',
      user: 'u1',
      metadata: { a: 1 },
      service_tier: 'auto',
      reasoning_effort: 'high',
      chat_template_kwargs: { a: 1 },
      logprobs: true,
      top_logprobs: 3,
      request_timeout: 5,
      retry_max: 1,
      remote: true,
      reasoning_history: 'all',
      session_header: 'x-run',
      extra_body: { stream_options: {}, prompt_cache_key: 'k', inference_geo: 'eu', odd: null },
    };
    const { model, max_tokens, messages, stream, ...rest } = body(settings);
    expect(rest).toEqual({
      temperature: 0.5,
      top_p: 0.9,
      seed: 7,
      stop_sequences: ['END'],
      metadata: { a: 1, user_id: 'u1' },
      service_tier: 'auto',
      inference_geo: 'eu',
    });
    expect(body({ stop: ['a', 'b'] }).stop_sequences).toEqual(['a', 'b']);
  });

  test('asks for no search of the provider, and says so', () => {
    expect(body({ websearch: true })).not.toHaveProperty('tools');
    expect(warnings({ websearch: 'true' })).toEqual([
      '"websearch" has no effect: this backend asks for no search',
    ]);
  });

  test('takes no field from a setting that is made from the chat', () => {
    const settings = { extra_body: { messages: [], system: 'x', tools: [], top_k: 1 } };
    expect(body(settings)).not.toHaveProperty('system');
    expect(body(settings)).toMatchObject({ top_k: 1, messages: [{ role: 'user' }] });
    expect(warnings(settings)).toEqual(
      ['messages', 'tools', 'system'].map(
        (name) => `"${name}" cannot be set for endpoint fake; left out`,
      ),
    );
  });
});

describe('thinking', () => {
  const summarized = { display: 'summarized' };
  const rows: readonly [string, unknown, Partial<Refused>, Settings, object][] = [
    ['off', 'off', {}, {}, { thinking: { type: 'disabled' } }],
    ['off as YAML reads it', false, {}, {}, { thinking: { type: 'disabled' } }],
    ['default', 'default', {}, {}, {}],
    ['nothing set', undefined, {}, {}, {}],
    ['a word that is no level', 'on', {}, {}, {}],
    ...(['low', 'medium', 'high'] as const).flatMap((level) => {
      const budget = { low: 2048, medium: 8192, high: 24576 }[level];
      const enabled = { type: 'enabled', budget_tokens: budget };
      const adaptive = { type: 'adaptive' };
      const output_config = { effort: level };
      return [
        [level, level, {}, {}, { thinking: { ...adaptive, ...summarized }, output_config }],
        [
          `${level}, display refused`,
          level,
          { display: true },
          {},
          { thinking: adaptive, output_config },
        ],
        [
          `${level}, levels refused`,
          level,
          { levels: true },
          {},
          { thinking: { ...enabled, ...summarized } },
        ],
        [`${level}, both`, level, { levels: true, display: true }, {}, { thinking: enabled }],
        [
          `${level} at fireworks`,
          level,
          {},
          { dialect: 'fireworks' },
          { thinking: adaptive, output_config },
        ],
      ] as [string, unknown, Partial<Refused>, Settings, object][];
    }),
  ];
  for (const [name, thinking, refused, settings, expected] of rows)
    test(name, () => {
      const { model, max_tokens, messages, stream, ...rest } = body(
        { thinking, ...settings },
        'q',
        {},
        refused,
      );
      expect(rest).toEqual(expected);
      expect(warnings({ thinking, ...settings }).length).toBe(thinking === 'on' ? 1 : 0);
    });

  test('a field that is set by hand wins', () => {
    const extra_body = {
      thinking: { type: 'enabled', budget_tokens: 5000 },
      output_config: { effort: 'max' },
    };
    expect(body({ thinking: 'low', extra_body })).toMatchObject({
      thinking: extra_body.thinking,
      output_config: { effort: 'max' },
    });
  });
});

describe('the longest answer', () => {
  const rows: readonly [string, Settings, Partial<Refused>, object][] = [
    ['by itself', {}, {}, { max_tokens: 64000 }],
    ['as set', { max_tokens: '500' }, {}, { max_tokens: 500 }],
    ['by its other name', { max_completion_tokens: 700 }, {}, { max_tokens: 700 }],
    ['never both', { max_tokens: 500, max_completion_tokens: 700 }, {}, { max_tokens: 500 }],
    ['as the model list says', {}, { listed: 8192 }, { max_tokens: 8192 }],
    ['at most 64000 of that', {}, { listed: 128_000 }, { max_tokens: 64_000 }],
    ['never above a learned cap', {}, { cap: 4096, listed: 8192 }, { max_tokens: 4096 }],
    ['also as set', { max_tokens: 5000 }, { cap: 4096 }, { max_tokens: 4096 }],
    [
      'as set, whatever the list says',
      { max_tokens: 9000 },
      { listed: 8192 },
      { max_tokens: 9000 },
    ],
  ];
  for (const [name, settings, refused, expected] of rows)
    test(name, () => {
      const sent = body(settings, 'q', {}, refused);
      expect(sent).toMatchObject(expected);
      expect(sent).not.toHaveProperty('max_completion_tokens');
    });

  const budgets: readonly [string, Settings, Partial<Refused>, number, number | undefined][] = [
    ['enough room stays', { max_tokens: 20_000 }, {}, 20_000, 8192],
    ['raised above the budget and the least room', { max_tokens: 100 }, {}, 9217, 8192],
    ['raised also when just one is missing', { max_tokens: 9216 }, {}, 9217, 8192],
    ['a cap lowers the budget', { max_tokens: 100 }, { cap: 4096 }, 4096, 3071],
    ['so does the list', {}, { listed: 8192 }, 8192, 7167],
    ['the smallest budget', {}, { cap: 2049 }, 2049, 1024],
    ['no room at all', {}, { cap: 2048 }, 2048, undefined],
    ['never above what the run may use', { max_tokens: 3000, answer_limit: 3000 }, {}, 3000, 1975],
    ['nor for the least', { max_tokens: 2048, answer_limit: 2048 }, {}, 2048, undefined],
  ];
  for (const [name, settings, refused, limit, budget] of budgets)
    test(`beside a budget of thinking: ${name}`, () => {
      const all = { levels: true, ...refused };
      const sent = body({ thinking: 'medium', ...settings }, 'q', {}, all);
      expect([sent.max_tokens, sent.thinking?.budget_tokens]).toEqual([limit, budget]);
      if (budget !== undefined) expect(limit).toBeGreaterThan(budget + 1024);
      expect(warnings({ thinking: 'medium', ...settings }, 'q', {}, all)).toEqual(
        budget === undefined
          ? ['there is no room for thinking in 2048 tokens of output; asked without it']
          : [],
      );
    });
});

describe('tools', () => {
  test('which of them is used, until a result came back', () => {
    const done = [
      { role: 'user', content: 'q' },
      { role: 'function_call', content: '{"name":"look","arguments":{},"id":"a"}' },
      { role: 'function_call_output', content: '{"name":"look","content":"x","id":"a"}' },
    ];
    const rows: readonly [Settings, object, object][] = [
      [{}, { type: 'auto' }, { type: 'auto' }],
      [{ tool_choice: 'none' }, { type: 'none' }, { type: 'none' }],
      [{ tool_choice: 'required' }, { type: 'any' }, { type: 'auto' }],
      [{ tool_choice: 'look' }, { type: 'tool', name: 'look' }, { type: 'auto' }],
      [{ tool_choice: 'look', thinking: 'low' }, { type: 'tool', name: 'look' }, { type: 'auto' }],
    ];
    for (const [settings, first, later] of rows) {
      expect(body(settings, 'q', { tools: [look] }).tool_choice).toEqual(first);
      expect(body(settings, done, { tools: [look] }).tool_choice).toEqual(later);
      expect(body(settings)).not.toHaveProperty('tool_choice');
    }
    expect(() => body({ tool_choice: 'lok' }, 'q', { tools: [look] })).toThrow('names no tool');
  });

  test('none can be forced beside a budget of thinking', () => {
    const settings = { tool_choice: 'required', thinking: 'low' };
    const sent = body(settings, 'q', { tools: [look] }, { levels: true });
    expect(sent.tool_choice).toEqual({ type: 'auto' });
    expect(warnings(settings, 'q', { tools: [look] }, { levels: true })).toEqual([
      '"tool_choice" has no effect: no tool can be forced while thinking has a budget',
    ]);
  });

  test('one odd schema makes the whole request fail: it is adapted, or its tool left out by name', () => {
    const tool = (name: string, parameters: unknown) =>
      ({ name, description: '', parameters }) as typeof look;
    const tools = [
      tool('a', { $schema: 'x', $ref: '#/$defs/a', $defs: { a: schema } }),
      tool('b', undefined),
      tool('c', { type: 'string' }),
      tool('d', { type: 'object', properties: { 'größe?': {} } }),
    ];
    expect(body({}, 'q', { tools }).tools).toEqual([
      { name: 'a', description: '', input_schema: schema },
      { name: 'b', description: '', input_schema: { type: 'object', properties: {} } },
    ]);
    expect(warnings({}, 'q', { tools })).toEqual([
      'the tool "c" is left out: its schema describes no object',
      'the tool "d" is left out: the provider takes no input named "größe?"',
    ]);
    expect(body({}, 'q', { tools: tools.slice(2) })).not.toHaveProperty('tools');
  });
});

describe('the form of the answer', () => {
  const words = 'Answer with one JSON value and nothing else';
  const last = (sent: Wire) => sent.messages.at(-1).content.at(-1);

  test('a schema goes out beside the effort; objects say that nothing else may be there', () => {
    const format = {
      ...schema,
      properties: {
        ...schema.properties,
        list: { type: 'array', items: { type: 'object', properties: {} } },
        open: { type: 'object', properties: {}, additionalProperties: true },
        either: { anyOf: [{ type: 'object', properties: {} }, { enum: [{ properties: {} }] }] },
        properties: { type: 'object', properties: { a: {} } },
      },
    };
    const closed = { type: 'object', properties: {}, additionalProperties: false };
    const sent = body({ thinking: 'low' }, 'q', { format });
    expect(sent.output_config).toEqual({
      effort: 'low',
      format: {
        type: 'json_schema',
        schema: {
          type: 'object',
          properties: {
            bird: { type: 'string' },
            list: { type: 'array', items: closed },
            open: format.properties.open,
            either: { anyOf: [closed, { enum: [{ properties: {} }] }] },
            properties: { ...closed, properties: { a: {} } },
          },
          additionalProperties: false,
        },
      },
    });
    expect(last(sent)).toEqual({ type: 'text', text: 'q' });
  });

  test('any JSON is asked for in words, and so is a schema that the model does not take', () => {
    const any = body({}, 'q', { format: 'json' });
    expect(last(any)).toEqual({ type: 'text', text: words });
    expect(any).not.toHaveProperty('output_config');
    const refused = body({}, 'q', { format: schema }, { format: true });
    expect(last(refused).text).toBe(
      `${words} that fits this JSON Schema: ${JSON.stringify(schema)}`,
    );
    expect(refused).not.toHaveProperty('output_config');
  });
});

describe('marks for the cache', () => {
  const chat: Chat = [
    { role: 'system', content: 'Stable. Volatile.' },
    { role: 'user', content: 'q' },
    { role: 'function_call', content: '{"name":"look","arguments":{},"id":"a"}' },
    { role: 'function_call', content: '{"name":"look","arguments":{},"id":"b"}' },
    { role: 'function_call_output', content: '{"name":"look","content":"1","id":"a"}' },
    { role: 'function_call_output', content: '{"name":"look","content":"2","id":"b"}' },
  ];
  /** What carries a mark: the path to it and the mark. */
  function marks(value: unknown, at = ''): [string, unknown][] {
    if (typeof value !== 'object' || value === null) return [];
    return Object.entries(value).flatMap(([key, each]): [string, unknown][] =>
      key === 'cache_control' ? [[at, each]] : marks(each, at === '' ? key : `${at}.${key}`),
    );
  }
  const marksOf = (
    settings: Settings,
    messages: Chat,
    rest: Partial<PromptRequest> = {},
    refused: Partial<Refused> = {},
  ) =>
    marks(toBody(fakeRequest(place(settings), messages, rest), { ...NOTHING, ...refused }).fields);
  const plain = { type: 'ephemeral' };
  const hour = { type: 'ephemeral', ttl: '1h' };
  const both = (mark: object) => [
    ['system.0', mark],
    ['messages.2.content.1', mark],
  ];

  const rows: readonly [string, Settings, Partial<Refused>, unknown, (string | undefined)?][] = [
    ['two of them: the system text, and the last of the user', {}, {}, both(plain), 'on'],
    ['kept for an hour', { cache: '1h' }, {}, both(hour), '1h'],
    ['kept for an hour, as a mapping', { cache: { ttl: '1h' } }, {}, both(hour), '1h'],
    ['kept for five minutes', { cache: '5m' }, {}, both(plain), 'on'],
    ['a mapping for other hosts', { cache: { key: 'session' } }, {}, both(plain), 'on'],
    ['only the stable part of the system text', { cache_split: 8 }, {}, both(plain), 'on'],
    ['none when switched off', { cache: false }, {}, []],
    ['none when switched off in words', { cache: 'false' }, {}, []],
    ['none where they were refused', {}, { marks: true }, []],
    ['none at a host that caches by itself', { dialect: 'fireworks' }, {}, []],
  ];
  for (const [name, settings, refused, expected, logged] of rows)
    test(name, () => {
      expect(marksOf(settings, chat, {}, refused)).toEqual(expected);
      expect(toBody(fakeRequest(place(settings), chat), { ...NOTHING, ...refused }).cache).toBe(
        logged,
      );
    });

  test('a time that hosts do not know is told', () => {
    expect(marksOf({ cache: '30m' }, chat)).toEqual(both(plain));
    expect(warnings({ cache: '30m' })).toEqual([
      '"cache" of endpoint fake can be 5m or 1h, not 30m; 5m is used',
    ]);
  });

  const splits: readonly [number | undefined, readonly string[]][] = [
    [undefined, ['Stable. Volatile.']],
    [8, ['Stable. ', 'Volatile.']],
    [17, ['Stable. Volatile.']],
    [999, ['Stable. Volatile.']],
  ];
  for (const [cache_split, expected] of splits)
    test(`the system text in two, split at ${cache_split}`, () => {
      const { system } = body({ cache_split }, chat);
      expect(system.map(({ text }: Wire) => text)).toEqual(expected);
    });

  test('no part of the system text is blank, and no character is cut in two', () => {
    const spaced = [{ role: 'system', content: 'a🐌b' }, ...chat.slice(1)];
    expect(body({ cache_split: 2 }, spaced).system.map(({ text }: Wire) => text)).toEqual([
      'a',
      '🐌b',
    ]);
    const blank = [{ role: 'system', content: 'a  \n\n  b' }, ...chat.slice(1)];
    expect(body({ cache_split: 1 }, blank).system).toHaveLength(2);
    expect(
      body({ cache_split: 2 }, [{ role: 'system', content: 'ab' }, ...chat.slice(1)]).system,
    ).toHaveLength(1);
  });

  test('too many marks: two systems, six files, ten tools still have two', () => {
    const files = Array.from({ length: 6 }, (_, index) => ({
      role: 'user',
      content: `<file name="${index}">x</file>`,
    }));
    const tools = Array.from({ length: 10 }, (_, index) => ({ ...look, name: `look${index}` }));
    const systems = [chat[0], chat[0]].flatMap((each) => each ?? []);
    expect(marksOf({}, [...systems, ...files], { tools })).toEqual([
      ['system.0', plain],
      ['messages.0.content.5', plain],
    ]);
  });

  test('none on what stands elsewhere in the next request, on thinking, or on blank text', () => {
    const kept = {
      role: 'provider_content',
      content: JSON.stringify({
        backend: 'anthropic',
        blocks: [
          { type: 'thinking', thinking: 't', signature: 's' },
          { type: 'text', text: 'Hi.' },
        ],
      }),
    };
    const messages = [
      { role: 'user', content: 'one' },
      kept,
      { role: 'assistant', content: 'Hi.' },
      { role: 'user', content: 'two' },
      { role: 'user', content: '  ' },
      { role: 'system', content: 'It is late.' },
    ];
    const rest = { note: 'Speak.', format: 'json' as const };
    const marked = marksOf({}, messages, rest);
    expect(marked).toEqual([['messages.2.content.0', plain]]);
    const all = toBody(fakeRequest(place(), messages, rest)).fields as Wire;
    expect(all.messages[2].content.map(({ text }: Wire) => text)).toEqual([
      'two',
      'It is late.',
      'Speak.',
      'Answer with one JSON value and nothing else',
    ]);
  });
});

describe('the address', () => {
  const rows: readonly [string | undefined, string][] = [
    [undefined, 'https://api.anthropic.com/v1/messages'],
    ['http://localhost:8080', 'http://localhost:8080/v1/messages'],
    ['http://localhost:8080/', 'http://localhost:8080/v1/messages'],
    ['https://x.example/v1', 'https://x.example/v1/messages'],
    ['https://x.example/v1/messages/', 'https://x.example/v1/messages'],
    ['https://x.example/inference', 'https://x.example/inference/v1/messages'],
    ['https://x.example/?zone=eu', 'https://x.example/v1/messages?zone=eu'],
  ];
  for (const [url, expected] of rows)
    test(`${url}`, () => {
      const { url: _, ...rest } = place();
      expect(placeOf(url === undefined ? rest : { ...rest, url }, '/messages').href).toBe(expected);
    });
});
