// The exact body of a request: messages, tools, options, the form of the answer, and what is left out.

import { describe, expect, test } from 'vitest';
import { openai, openwebui, vllm } from '../../src/backends/openai/backend.ts';
import { toBody } from '../../src/backends/openai/body.ts';
import { PRESETS, placeOf } from '../../src/backends/openai/place.ts';
import type { PromptRequest } from '../../src/backends/types.ts';
import type { Endpoint } from '../../src/config/types.ts';
import type { Chat } from '../../src/types.ts';
import { fakeRequest } from '../helpers/asking.ts';
import { call, near, original, output, type Wire } from '../helpers/prompts.ts';

const wire = (endpoint: Endpoint, chat?: Chat | string, rest?: Partial<PromptRequest>): Wire =>
  toBody(PRESETS.openai, fakeRequest(endpoint, chat, rest)).fields;
const messagesOf = (chat: Chat, rest?: Partial<PromptRequest>): Wire =>
  wire(near(), chat, rest).messages;
const warningsOf = (request: PromptRequest) => toBody(PRESETS.openai, request).warnings;

describe('the body', () => {
  test('of a plain question holds nothing that nobody asked for, in a fixed order', () => {
    expect(JSON.stringify(wire(near()))).toBe(
      '{"model":"fake-mini","messages":[{"role":"user","content":"What flies?"}],"stream":true,"stream_options":{"include_usage":true}}',
    );
  });

  test('without a stream has no options for one', () => {
    expect(wire(near({ stream: false }))).toEqual({
      model: 'fake-mini',
      messages: [{ role: 'user', content: 'What flies?' }],
      stream: false,
    });
  });

  test('holds sampling as numbers, also when it was typed as text; a null is not sent', () => {
    const settings = {
      temperature: '0',
      top_p: 0.9,
      seed: '7',
      stop: ['a'],
      top_k: null,
      logprobs: 'true',
    };
    expect(wire(near(settings))).toMatchObject({
      temperature: 0,
      top_p: 0.9,
      seed: 7,
      stop: ['a'],
      logprobs: true,
    });
    expect(wire(near(settings))).not.toHaveProperty('top_k');
    expect(() => wire(near({ temperature: 'warm' }))).toThrow(
      '"temperature" must be a number, not "warm"',
    );
  });

  test('holds no settings of this program, and no key', () => {
    const settings = {
      request_timeout: 5,
      retry_max: 1,
      max_rounds: 3,
      remote: true,
      thinking: 'default',
      persist: false,
    };
    expect(Object.keys(wire(near(settings)))).toEqual([
      'model',
      'messages',
      'stream',
      'stream_options',
    ]);
  });

  test('takes extra fields as they are, but none that are made from the chat', () => {
    const settings = {
      extra_body: { guided_regex: 'a+', options: { a: null, b: 1 }, messages: [], n: 2 },
    };
    expect(wire(near(settings))).toMatchObject({ guided_regex: 'a+', options: { b: 1 } });
    expect(wire(near(settings)).messages).toHaveLength(1);
    expect(wire(near(settings))).not.toHaveProperty('n');
    expect(warningsOf(fakeRequest(near(settings)))).toEqual([
      '"messages" cannot be set for endpoint fake; left out',
      '"n" cannot be set for endpoint fake; left out',
    ]);
  });

  test('holds tools with their schemas untouched', () => {
    const parameters = { type: 'object', properties: { a: { type: 'string', default: null } } };
    expect(
      wire(near(), 'x', { tools: [{ name: 'look', description: 'Looks', parameters }] }),
    ).toMatchObject({
      tools: [{ type: 'function', function: { name: 'look', description: 'Looks', parameters } }],
      tool_choice: 'auto',
    });
  });
});

describe('thinking', () => {
  const rows: readonly [unknown, Record<string, unknown>][] = [
    ['off', { chat_template_kwargs: { enable_thinking: false }, reasoning_effort: 'none' }],
    [false, { chat_template_kwargs: { enable_thinking: false }, reasoning_effort: 'none' }],
    ['low', { reasoning_effort: 'low' }],
    ['medium', { reasoning_effort: 'medium' }],
    ['high', { reasoning_effort: 'high' }],
    ['default', {}],
    [undefined, {}],
    ['on', {}],
  ];
  for (const [level, fields] of rows)
    test(`${level}`, () => {
      const { model, messages, stream, stream_options, ...rest } = wire(near({ thinking: level }));
      expect(rest).toEqual(fields);
      expect(warningsOf(fakeRequest(near({ thinking: level }))).length).toBe(
        level === 'on' ? 1 : 0,
      );
    });

  test('the original gets only the field that it knows', () => {
    expect(wire(original({ thinking: 'off' }))).not.toHaveProperty('chat_template_kwargs');
    expect(wire(original({ thinking: 'off' })).reasoning_effort).toBe('none');
  });

  test('a configured field wins, template arguments are joined', () => {
    const settings = {
      thinking: 'off',
      reasoning_effort: 'high',
      chat_template_kwargs: { a: 1, b: null },
    };
    expect(wire(near(settings))).toMatchObject({
      reasoning_effort: 'high',
      chat_template_kwargs: { enable_thinking: false, a: 1 },
    });
    const own = { thinking: 'off', chat_template_kwargs: { enable_thinking: true } };
    expect(wire(near(own)).chat_template_kwargs).toEqual({ enable_thinking: true });
  });
});

describe('names of the output limit', () => {
  const rows: readonly [string, Endpoint, Record<string, number>][] = [
    ['none by itself', near(), {}],
    ['the old one', near({ max_tokens: '50' }), { max_tokens: 50 }],
    ['the new one at the original', original({ max_tokens: 50 }), { max_completion_tokens: 50 }],
    [
      'as the endpoint file says',
      near({ max_tokens: 50, max_tokens_field: 'max_completion_tokens' }),
      { max_completion_tokens: 50 },
    ],
    ['as the option says', near({ max_completion_tokens: 50 }), { max_completion_tokens: 50 }],
    [
      'never both',
      near({ max_tokens: 50, max_completion_tokens: 70 }),
      { max_completion_tokens: 50 },
    ],
  ];
  for (const [name, endpoint, limits] of rows)
    test(name, () => {
      const { max_tokens, max_completion_tokens } = wire(endpoint);
      const both = { max_tokens, max_completion_tokens };
      expect(Object.fromEntries(Object.entries(both).filter(([, value]) => value))).toEqual(limits);
    });
});

describe('the form of the answer', () => {
  const schema = { type: 'object', properties: { name: { type: 'string' } } };

  test('a schema goes out whole, not strict', () => {
    expect(wire(near(), 'x', { format: schema }).response_format).toEqual({
      type: 'json_schema',
      json_schema: { name: 'answer', schema, strict: false },
    });
    expect(wire(near(), 'x', { format: schema }).messages).toHaveLength(1);
  });

  test('any JSON is asked for in words too: some servers want to see the word', () => {
    const body = wire(near(), 'x', { format: 'json' });
    expect(body.response_format).toEqual({ type: 'json_object' });
    expect(body.messages.at(-1).content).toContain('JSON');
  });
});

describe('messages', () => {
  test('roles; a developer is a system for all but the original', () => {
    const chat = ['system', 'developer', 'user', 'assistant', 'user'].map((role) => ({
      role,
      content: role,
    }));
    expect(messagesOf(chat).map((each: Wire) => each.role)).toEqual([
      'system',
      'system',
      'user',
      'assistant',
      'user',
    ]);
    expect(wire(original(), chat).messages[1].role).toBe('developer');
  });

  test('empty or blank ones make every later request fail: they are left out, and the end is trimmed on the wire', () => {
    const chat = [
      { role: 'user', content: 'a ' },
      { role: 'assistant', content: '' },
      { role: 'user', content: ' ' },
      { role: 'assistant', content: 'It begins with  ' },
    ];
    expect(messagesOf(chat)).toEqual([
      { role: 'user', content: 'a ' },
      { role: 'assistant', content: 'It begins with' },
    ]);
  });

  test('what another backend must get back is left out', () => {
    const chat = [
      { role: 'user', content: 'a' },
      { role: 'provider_content', content: '{"backend":"anthropic","blocks":[{"thinking":"x"}]}' },
      { role: 'assistant', content: 'b' },
      { role: 'user', content: 'c' },
    ];
    expect(JSON.stringify(messagesOf(chat))).not.toContain('thinking');
  });

  test('a note is the last word, and only on the wire', () => {
    expect(messagesOf([{ role: 'user', content: 'a' }], { note: 'say something' }).at(-1)).toEqual({
      role: 'user',
      content: 'say something',
    });
  });

  test('halves of characters go out as replacement marks', async () => {
    const { bodyText } = await import('../../src/backends/body-json.ts');
    expect(bodyText({ a: 'x\uD800y\uDC00', b: '🐌', c: '\\ud800' })).toBe(
      '{"a":"x\uFFFDy\uFFFD","b":"🐌","c":"\\\\ud800"}',
    );
  });
});

describe('images and PDFs', () => {
  const attachments = new Map([
    ['/a/pic.png', { path: '/a/pic.png', mediaType: 'image/png', base64: 'iVBORw0K' }],
    ['/a/doc.pdf', { path: '/a/doc.pdf', mediaType: 'application/pdf', base64: 'JVBERi0=' }],
  ]);

  test('join the user messages beside them, in order', () => {
    const chat = [
      { role: 'system', content: 's' },
      { role: 'image', content: '/a/pic.png' },
      { role: 'user', content: 'what is it?' },
      { role: 'pdf', content: '/a/doc.pdf' },
      { role: 'assistant', content: 'a bird' },
      { role: 'user', content: 'one' },
      { role: 'user', content: 'two' },
    ];
    expect(messagesOf(chat, { attachments })).toEqual([
      { role: 'system', content: 's' },
      {
        role: 'user',
        content: [
          { type: 'image_url', image_url: { url: 'data:image/png;base64,iVBORw0K' } },
          { type: 'text', text: 'what is it?' },
          {
            type: 'file',
            file: { filename: 'doc.pdf', file_data: 'data:application/pdf;base64,JVBERi0=' },
          },
        ],
      },
      { role: 'assistant', content: 'a bird' },
      { role: 'user', content: 'one' },
      { role: 'user', content: 'two' },
    ]);
  });

  test('by address go out as the address', () => {
    const chat = [
      { role: 'image', content: 'https://x.example/p.png' },
      { role: 'pdf', content: 'https://x.example/a/d.pdf?v=1' },
    ];
    expect(messagesOf(chat)[0].content).toEqual([
      { type: 'image_url', image_url: { url: 'https://x.example/p.png' } },
      { type: 'file', file: { filename: 'd.pdf', file_data: 'https://x.example/a/d.pdf?v=1' } },
    ]);
  });
});

describe('tool calls in a chat', () => {
  const user = { role: 'user', content: 'q' };

  test('that stand together are one message, with the text before them; outputs follow', () => {
    const chat = [
      user,
      { role: 'assistant', content: 'Let me see.' },
      call('a', { n: 1 }, 'k1'),
      call('b', {}, 'k2'),
      output('one', 'k1'),
      output({ two: 2 }, 'k2'),
    ];
    expect(messagesOf(chat).slice(1)).toEqual([
      {
        role: 'assistant',
        content: 'Let me see.',
        tool_calls: [
          { id: 'k1', type: 'function', function: { name: 'a', arguments: '{"n":1}' } },
          { id: 'k2', type: 'function', function: { name: 'b', arguments: '{}' } },
        ],
      },
      { role: 'tool', tool_call_id: 'k1', content: 'one' },
      { role: 'tool', tool_call_id: 'k2', content: '{"two":2}' },
    ]);
  });

  test('in pairs stay in pairs', () => {
    const chat = [
      user,
      call('a', {}, 'k1'),
      output('one', 'k1'),
      call('b', {}, 'k2'),
      output('two', 'k2'),
    ];
    expect(messagesOf(chat).map((each: Wire) => each.role)).toEqual([
      'user',
      'assistant',
      'tool',
      'assistant',
      'tool',
    ]);
    expect(messagesOf(chat)[1]).toMatchObject({ content: null });
  });

  test('with the same id twice in one conversation get unique ones, the same in every request', () => {
    const chat = [
      user,
      call('a', {}, 'call_0'),
      output('one', 'call_0'),
      user,
      call('a', {}, 'call_0'),
      output('two', 'call_0'),
    ];
    const ids = (messages: Wire) =>
      messages.flatMap((each: Wire) => each.tool_call_id ?? each.tool_calls?.[0].id ?? []);
    expect(ids(messagesOf(chat))).toEqual(['call_0', 'call_0', 'call_0_2', 'call_0_2']);
    expect(messagesOf([...chat, user]).slice(0, chat.length)).toEqual(messagesOf(chat));
  });

  test('with arguments in every form; what is no object is sent as none, with a warning', () => {
    const rows: readonly [unknown, string][] = [
      [{ a: 1 }, '{"a":1}'],
      ['{"a": 1}', '{"a": 1}'],
      ['', '{}'],
      [null, '{}'],
      [undefined, '{}'],
      ['not json', '{}'],
      ['[1]', '{}'],
      [7, '{}'],
    ];
    for (const [args, sent] of rows)
      expect(messagesOf([user, call('a', args, 'k')])[1].tool_calls[0].function.arguments).toBe(
        sent,
      );
    const request = fakeRequest(near(), [user, call('a', 'not json', 'k')]);
    expect(warningsOf(request)).toEqual([
      'the arguments of a call of "a" are no JSON object; sent as {}',
    ]);
  });

  test('with nothing to say say something', () => {
    const chat = [
      user,
      call('a', {}, 'k'),
      output(' ', 'k'),
      call('b', {}, 'm'),
      output(null, 'm'),
    ];
    expect(
      messagesOf(chat)
        .filter((each: Wire) => each.role === 'tool')
        .map((each: Wire) => each.content),
    ).toEqual(['(empty)', 'success']);
  });
});

describe('the address', () => {
  const rows: readonly [keyof typeof PRESETS, string | undefined, string][] = [
    ['openai', undefined, 'https://api.openai.com/v1/chat/completions'],
    ['openai', 'http://localhost:8080/v1', 'http://localhost:8080/v1/chat/completions'],
    ['openai', 'http://localhost:8080/v1/', 'http://localhost:8080/v1/chat/completions'],
    ['openai', 'https://api.example', 'https://api.example/chat/completions'],
    ['openai', 'https://x.example/v1/chat/completions', 'https://x.example/v1/chat/completions'],
    [
      'openai',
      'https://x.example/v1?api-version=2',
      'https://x.example/v1/chat/completions?api-version=2',
    ],
    ['vllm', undefined, 'http://localhost:8000/v1/chat/completions'],
    ['vllm', 'http://gpu:8000', 'http://gpu:8000/v1/chat/completions'],
    ['vllm', 'http://gpu:8000/v1', 'http://gpu:8000/v1/chat/completions'],
    ['openwebui', 'http://ui.example/', 'http://ui.example/api/chat/completions'],
    ['openwebui', 'http://ui.example/api', 'http://ui.example/api/chat/completions'],
  ];
  for (const [preset, url, expected] of rows)
    test(`${preset}: ${url}`, () => {
      const { url: _, ...rest } = near();
      const endpoint = url === undefined ? rest : { ...rest, url };
      expect(placeOf(PRESETS[preset], endpoint, '/chat/completions').href).toBe(expected);
    });

  test('presets have their own names', () => {
    expect([openai.name, vllm.name, openwebui.name]).toEqual(['openai', 'vllm', 'openwebui']);
  });
});
