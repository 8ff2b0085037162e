// The exact body of a Responses request: items, tools, options, the form of the answer, and what is left out.

import { describe, expect, test } from 'vitest';
import { toBody } from '../../src/backends/responses/body.ts';
import { placeOf } from '../../src/backends/responses/place.ts';
import type { PromptRequest } from '../../src/backends/types.ts';
import type { Endpoint } from '../../src/config/types.ts';
import type { Chat } from '../../src/types.ts';
import { fakeRequest } from '../helpers/asking.ts';
import { call, near, original, output, type Wire } from '../helpers/prompts.ts';

const wire = (endpoint: Endpoint, chat?: Chat | string, rest?: Partial<PromptRequest>): Wire =>
  toBody(fakeRequest(endpoint, chat, rest)).fields;
const inputOf = (chat: Chat, rest?: Partial<PromptRequest>): Wire => wire(near(), chat, rest).input;
const warningsOf = (endpoint: Endpoint, chat?: Chat, rest?: Partial<PromptRequest>) =>
  toBody(fakeRequest(endpoint, chat, rest)).warnings;

const user = { role: 'user', content: 'q' };
const said = (text: string) => ({ role: 'user', content: [{ type: 'input_text', text }] });

describe('the body', () => {
  test('of a plain question holds nothing that nobody asked for, in a fixed order', () => {
    expect(JSON.stringify(wire(near()))).toBe(
      '{"model":"fake-mini","stream":true,"input":[{"role":"user","content":[{"type":"input_text","text":"What flies?"}]}]}',
    );
  });

  test('keeps nothing at the provider where nothing is gone on from, and asks for reasoning that can come back', () => {
    const stateless = { store: false, include: ['reasoning.encrypted_content'] };
    for (const settings of [{ previous_response: false }, { store: false }, { store: 'false' }])
      expect(wire(near(settings))).toMatchObject(stateless);
    const kept = wire(near({ previous_response: false, store: true }));
    expect(kept.store).toBe(true);
    expect(kept).not.toHaveProperty('include');
  });

  const rows: readonly [string, Record<string, unknown>, Record<string, unknown>][] = [
    ['one name for the output limit', { max_tokens: '50' }, { max_output_tokens: 50 }],
    ['the other name too', { max_completion_tokens: 50 }, { max_output_tokens: 50 }],
    ['sampling as numbers', { temperature: '0', top_p: 0.9 }, { temperature: 0, top_p: 0.9 }],
    ['a null is not sent', { temperature: null }, {}],
    ['verbosity inside text', { verbosity: 'low' }, { text: { verbosity: 'low' } }],
    ['thinking off', { thinking: 'off' }, { reasoning: { effort: 'none' } }],
    ['thinking high', { thinking: 'high' }, { reasoning: { effort: 'high', summary: 'auto' } }],
    ['thinking default', { thinking: 'default' }, {}],
    [
      'thinking without a summary',
      { thinking: 'low', reasoning_summary: 'none' },
      { reasoning: { effort: 'low' } },
    ],
    [
      'a summary without a level',
      { reasoning_summary: 'detailed' },
      { reasoning: { summary: 'detailed' } },
    ],
    [
      'what is configured for the provider wins',
      { thinking: 'low', reasoning_effort: 'xhigh', reasoning: { summary: 'concise' } },
      { reasoning: { effort: 'xhigh', summary: 'concise' } },
    ],
    [
      'settings of this program stay here',
      { request_timeout: 5, retry_max: 1, persist: false, reasoning_history: 'turn' },
      {},
    ],
    [
      'further fields as they are, joined to those of the same name',
      { thinking: 'low', extra_body: { truncation: 'auto', reasoning: { summary: null } } },
      { reasoning: { effort: 'low' }, truncation: 'auto' },
    ],
  ];
  for (const [name, settings, fields] of rows)
    test(name, () => {
      const { model, stream, input, ...rest } = wire(near(settings));
      expect(rest).toEqual(fields);
      expect(warningsOf(near(settings))).toEqual([]);
    });

  test('holds no field of another protocol for the original; other servers may know it', () => {
    expect(wire(original({ top_k: 5, seed: 1 }))).not.toHaveProperty('top_k');
    expect(warningsOf(original({ top_k: 5 }))).toEqual([
      '"top_k" is no part of the Responses protocol; left out',
    ]);
    expect(wire(near({ top_k: 5 })).top_k).toBe(5);
  });

  test('holds nothing that is made from the chat from anywhere else', () => {
    const settings = { extra_body: { input: 'x', previous_response_id: 'r', thinking: 'on' } };
    expect(wire(near(settings)).input).toHaveLength(1);
    expect(warningsOf(near({ ...settings, thinking: 'on' }))).toEqual([
      '"thinking" must be off, low, medium, high or default, not "on"; left out',
      '"input" cannot be set for endpoint fake; left out',
      '"previous_response_id" cannot be set for endpoint fake; left out',
    ]);
  });

  test('the session goes into the prompt cache key where that is asked for', () => {
    expect(wire(original({ cache: { key: 'session' } })).prompt_cache_key).toBe('session-1');
    expect(wire(near({ cache: { key: 'session' } }))).not.toHaveProperty('prompt_cache_key');
  });
});

describe('tools', () => {
  const tools = [
    { name: 'look', description: 'Looks', parameters: { type: 'object', properties: {} } },
    { name: 'notes.read', description: 'Reads', parameters: {} },
  ];

  test('are flat, with names and schemas that fit, and not strict', () => {
    const body = wire(near(), 'x', { tools });
    expect(body.tool_choice).toBe('auto');
    expect(body.tools[0]).toEqual({
      type: 'function',
      name: 'look',
      description: 'Looks',
      parameters: { type: 'object', properties: {} },
      strict: false,
    });
    expect(body.tools[1].name).toMatch(/^notes_read_[0-9a-f]{8}$/);
    expect(body.tools[1].parameters).toEqual({ type: 'object', properties: {} });
  });

  test('whose schema describes no object is left out by name; the others stay', () => {
    const odd = { name: 'odd', description: '', parameters: { type: 'string' } };
    const rest = { tools: [odd, ...tools] };
    expect(wire(near(), 'x', rest).tools).toHaveLength(2);
    expect(warningsOf(near(), [user], rest)).toEqual([
      'the tool "odd" is left out: its schema describes no object',
    ]);
  });

  const choices: readonly [string, Record<string, unknown>, unknown][] = [
    ['auto by itself', {}, 'auto'],
    ['required', { tool_choice: 'required' }, 'required'],
    ['one by name', { tool_choice: 'look' }, { type: 'function', name: 'look' }],
    ['none', { tool_choice: 'none' }, 'none'],
    ['one of the provider', { tool_choice: 'web_search', websearch: true }, { type: 'web_search' }],
  ];
  for (const [name, settings, choice] of choices)
    test(`choice: ${name}`, () => {
      expect(wire(near(settings), 'x', { tools }).tool_choice).toEqual(choice);
    });

  test('of the provider come after the own ones', () => {
    const listed = { extra_body: { tools: [{ type: 'file_search', vector_store_ids: ['v'] }] } };
    expect(wire(near({ websearch: true })).tools).toEqual([{ type: 'web_search' }]);
    const types = wire(near({ websearch: true, ...listed }), 'x', { tools }).tools;
    expect(types.map((each: Wire) => each.type)).toEqual([
      'function',
      'function',
      'web_search',
      'file_search',
    ]);
  });
});

describe('the form of the answer', () => {
  const schema = { type: 'object', properties: { name: { type: 'string' } } };

  test('a schema goes out whole, not strict', () => {
    const body = wire(near({ verbosity: 'low' }), 'x', { format: schema });
    expect(body.text).toEqual({
      format: { type: 'json_schema', name: 'answer', schema, strict: false },
      verbosity: 'low',
    });
    expect(body.input).toHaveLength(1);
  });

  test('any JSON is asked for in words too: the word has to be there', () => {
    const body = wire(near(), 'x', { format: 'json' });
    expect(body.text).toEqual({ format: { type: 'json_object' } });
    expect(body.input.at(-1).content[0].text).toContain('JSON');
  });
});

describe('messages', () => {
  test('system messages at the head are the instructions, later ones keep their place', () => {
    const chat = ['system', 'system', 'developer', 'user', 'assistant', 'system', 'user'].map(
      (role, index) => ({ role, content: `${role} ${index}` }),
    );
    const body = wire(near(), chat);
    expect(body.instructions).toBe('system 0\n\nsystem 1');
    expect(body.input.map((item: Wire) => [item.role, item.content[0].type])).toEqual([
      ['developer', 'input_text'],
      ['user', 'input_text'],
      ['assistant', 'output_text'],
      ['system', 'input_text'],
      ['user', 'input_text'],
    ]);
  });

  test('empty or blank ones make every later request fail: they are left out, and ends are trimmed', () => {
    const chat = [
      { role: 'system', content: ' ' },
      { role: 'user', content: 'a ' },
      { role: 'assistant', content: '' },
      { role: 'user', content: ' ' },
      { role: 'assistant', content: 'It begins with  ' },
    ];
    const { input, instructions } = wire(near(), chat);
    expect(instructions).toBe(undefined);
    expect(input).toEqual([
      said('a'),
      { role: 'assistant', content: [{ type: 'output_text', text: 'It begins with' }] },
    ]);
  });

  test('a note is the last word, and only on the wire', () => {
    expect(inputOf([user], { note: 'say something' })).toEqual([said('q'), said('say something')]);
  });

  test('what another backend must get back is left out', () => {
    const chat = [
      user,
      {
        role: 'provider_content',
        content: '{"backend":"anthropic","blocks":[{"type":"thinking"}]}',
      },
      { role: 'assistant', content: 'b' },
      user,
    ];
    expect(JSON.stringify(inputOf(chat))).not.toContain('thinking');
    expect(inputOf(chat)).toHaveLength(3);
  });
});

describe('images and PDFs', () => {
  const attachments = new Map([
    ['/a/pic.png', { path: '/a/pic.png', mediaType: 'image/png', base64: 'iVBORw0K' }],
    ['/a/doc.pdf', { path: '/a/doc.pdf', mediaType: 'application/pdf', base64: 'JVBERi0=' }],
  ]);

  test('join the user messages beside them, in order', () => {
    const chat = [
      { role: 'image', content: '/a/pic.png' },
      { role: 'user', content: 'what is it?' },
      { role: 'pdf', content: '/a/doc.pdf' },
      { role: 'assistant', content: 'a bird' },
      user,
    ];
    expect(inputOf(chat, { attachments })[0]).toEqual({
      role: 'user',
      content: [
        { type: 'input_image', image_url: 'data:image/png;base64,iVBORw0K', detail: 'auto' },
        { type: 'input_text', text: 'what is it?' },
        {
          type: 'input_file',
          filename: 'doc.pdf',
          file_data: 'data:application/pdf;base64,JVBERi0=',
        },
      ],
    });
  });

  test('by address go out as the address', () => {
    const chat = [
      { role: 'image', content: 'https://x.example/p.png' },
      { role: 'pdf', content: 'https://x.example/a/d.pdf?v=1' },
    ];
    expect(inputOf(chat)[0].content).toEqual([
      { type: 'input_image', image_url: 'https://x.example/p.png', detail: 'auto' },
      { type: 'input_file', file_url: 'https://x.example/a/d.pdf?v=1' },
    ]);
  });
});

describe('tool calls in a chat', () => {
  test('are items of their own, text before them and outputs after them', () => {
    const chat = [
      user,
      { role: 'assistant', content: 'Let me see.' },
      call('a', { n: 1 }, 'k1'),
      call('b', {}, 'k2'),
      output('one', 'k1'),
      output({ two: 2 }, 'k2'),
    ];
    expect(inputOf(chat).slice(2)).toEqual([
      { type: 'function_call', call_id: 'k1', name: 'a', arguments: '{"n":1}' },
      { type: 'function_call', call_id: 'k2', name: 'b', arguments: '{}' },
      { type: 'function_call_output', call_id: 'k1', output: 'one' },
      { type: 'function_call_output', call_id: 'k2', output: '{"two":2}' },
    ]);
  });

  test('with the same id twice in one conversation get unique ones, the same in every request', () => {
    const turn = [user, call('a', {}, 'call_0'), output('one', 'call_0')];
    const chat = [...turn, ...turn];
    const ids = (items: Wire) => items.flatMap((item: Wire) => item.call_id ?? []);
    expect(ids(inputOf(chat))).toEqual(['call_0', 'call_0', 'call_0_2', 'call_0_2']);
    expect(inputOf([...chat, user]).slice(0, chat.length)).toEqual(inputOf(chat));
  });

  test('with arguments in every form; what is no object is sent as none, with a warning', () => {
    const rows: readonly [unknown, string][] = [
      [{ a: 1 }, '{"a":1}'],
      ['{"a": 1}', '{"a":1}'],
      ['', '{}'],
      ['  ', '{}'],
      [null, '{}'],
      [undefined, '{}'],
      ['not json', '{}'],
      ['[1]', '{}'],
    ];
    for (const [args, sent] of rows)
      expect(inputOf([user, call('a', args, 'k'), output('x', 'k')])[1].arguments).toBe(sent);
    expect(warningsOf(near(), [user, call('a', 'not json', 'k'), output('x', 'k')])).toEqual([
      'the arguments of a call of "a" are no JSON object; sent as {}',
    ]);
  });

  test('with nothing to say say something', () => {
    const chat = [
      user,
      call('a', {}, 'k'),
      call('b', {}, 'm'),
      output(' ', 'k'),
      output(null, 'm'),
    ];
    expect(inputOf(chat).flatMap((item: Wire) => item.output ?? [])).toEqual([
      '(empty)',
      'success',
    ]);
  });
});

describe('the address', () => {
  const rows: readonly [string | undefined, string][] = [
    [undefined, 'https://api.openai.com/v1/responses'],
    ['http://localhost:8080/v1', 'http://localhost:8080/v1/responses'],
    ['http://localhost:8080/v1/', 'http://localhost:8080/v1/responses'],
    ['http://localhost:8080/v1/responses', 'http://localhost:8080/v1/responses'],
    ['http://h.example/o/v1?version=2', 'http://h.example/o/v1/responses?version=2'],
  ];
  for (const [url, address] of rows)
    test(`${url}`, () => {
      const { url: _, ...rest } = near();
      const endpoint = url === undefined ? rest : { ...rest, url };
      expect(placeOf(endpoint, '/responses').href).toBe(address);
    });
});
