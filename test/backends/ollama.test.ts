// Ollama's own protocol: the exact body, the answer in lines, what is refused, and a prompt that the server has cut.

import { describe, expect, test } from 'vitest';
import { createOllama } from '../../src/backends/ollama/backend.ts';
import { ollamaBody } from '../../src/backends/ollama/body.ts';
import type { PromptRequest } from '../../src/backends/types.ts';
import type { Chat } from '../../src/types.ts';
import { askBackend, askContext, callsOf, fakeEndpoint, fakeRequest } from '../helpers/asking.ts';
import type { Answers } from '../helpers/fake-server.ts';
import { temporaryFolder } from '../helpers/folder.ts';
import { last, ollamaLines, ollamaStream, piece } from '../helpers/ollama-replies.ts';
import { call, output, type Wire } from '../helpers/prompts.ts';
import { served } from '../helpers/served.ts';

const endpointAt = (url: string, settings: Record<string, unknown> = {}) =>
  fakeEndpoint(url, { backend: 'ollama', model: 'fake:1b', settings });

const wire = (
  settings: Record<string, unknown> = {},
  chat?: Chat | string,
  rest?: Partial<PromptRequest>,
): Wire =>
  ollamaBody(fakeRequest(endpointAt('http://box:11434', settings), chat, rest), {
    think: 'level',
  }).fields;

async function asked(
  answers: Answers,
  settings: Record<string, unknown> = {},
  chat?: Chat | string,
  rest?: Partial<PromptRequest>,
) {
  const server = await served(answers);
  const request = fakeRequest(endpointAt(server.url, settings), chat, rest);
  return { server, request, ...(await askBackend(createOllama(), request)) };
}

const tool = (name: string) => ({
  name,
  description: 'Adds',
  parameters: { type: 'object', properties: { a: { type: 'number' } } },
});

describe('the body', () => {
  test('of a plain question holds nothing that nobody asked for, in a fixed order', () => {
    expect(JSON.stringify(wire())).toBe(
      '{"model":"fake:1b","messages":[{"role":"user","content":"What flies?"}],"stream":true}',
    );
  });

  const rows: readonly [string, Record<string, unknown>, Record<string, unknown>][] = [
    ['thinking off', { thinking: 'off' }, { think: false }],
    ['thinking by level', { thinking: 'high' }, { think: 'high' }],
    ['thinking as the model has it', { thinking: 'default' }, {}],
    ['effort in other words', { reasoning_effort: 'none' }, { think: false }],
    [
      'the longest answer under its name here',
      { max_tokens: '50' },
      { options: { num_predict: 50 } },
    ],
    ['the window', { num_ctx: 8192 }, { options: { num_ctx: 8192 } }],
    ['the window by its other name', { context_window: 8192 }, { options: { num_ctx: 8192 } }],
    [
      'sampling',
      { temperature: '0', top_k: 3, repetition_penalty: 1.1, stop: 'x', seed: null },
      { options: { temperature: 0, top_k: 3, repeat_penalty: 1.1, stop: ['x'] } },
    ],
    ['how long it stays loaded', { keep_alive: '10m' }, { keep_alive: '10m' }],
    ['how long it stays loaded, in seconds', { keep_alive: '-1' }, { keep_alive: -1 }],
    [
      'extra fields, their options beside the others',
      { temperature: 1, extra_body: { options: { num_gpu: 1 }, logprobs: true, model: 'no' } },
      { logprobs: true, options: { temperature: 1, num_gpu: 1 } },
    ],
    ['no stream', { stream: false }, { stream: false }],
  ];
  for (const [name, settings, fields] of rows)
    test(name, () => {
      const { model: _model, messages: _messages, ...rest } = wire(settings);
      expect(rest).toEqual({ stream: true, ...fields });
    });

  test('what Ollama has no word for is left out and told', async () => {
    const { warnings, server } = await asked(ollamaStream('fine'), {
      ...{ user: 'me', top_p: 0.5, websearch: true },
    });
    expect(warnings).toEqual([
      '"websearch" has no effect: this backend asks for no search',
      'Ollama has no "user"; left out',
    ]);
    expect(server.requests[0]?.json.options).toEqual({ top_p: 0.5 });
  });

  test('the form of the answer, as any JSON or as a schema', () => {
    const schema = { type: 'object', properties: { a: { type: 'string' } } };
    expect(wire({}, 'q', { format: 'json' }).format).toBe('json');
    expect(wire({}, 'q', { format: 'json' }).messages.at(-1).content).toContain('JSON');
    expect(wire({}, 'q', { format: schema })).toMatchObject({ format: schema });
    expect(wire({}, 'q', { format: schema }).messages).toHaveLength(1);
  });

  test('a form that would keep the model from calling its tools is asked for in words', () => {
    const body = wire({}, 'q', { format: { type: 'object' }, tools: [tool('add')] });
    expect(body).not.toHaveProperty('format');
    expect(body.messages.at(-1).content).toContain('JSON Schema');
  });

  test('tool_choice: what is offered is all that can be said', async () => {
    const tools = [tool('add'), tool('sub')];
    const offered = (choice: string) =>
      wire({ tool_choice: choice }, 'q', { tools }).tools?.map((each: Wire) => each.function.name);
    expect([offered('auto'), offered('none'), offered('sub')]).toEqual([
      ['add', 'sub'],
      undefined,
      ['sub'],
    ]);
    const { warnings } = await asked(ollamaStream('x'), { tool_choice: 'required' }, 'q', {
      tools,
    });
    expect(warnings.join()).toContain('cannot make a model call a tool');
  });
});

describe('messages', () => {
  const user = { role: 'user', content: 'q' };

  test('calls with arguments as objects, outputs with the name of their tool', () => {
    const chat = [
      user,
      { role: 'assistant', content: 'Let me see.' },
      call('add', { a: 4 }, 'k1'),
      call('sub', '{"a": 5}', 'k2'),
      output('9', 'k1'),
      output({ b: 1 }, 'k2'),
    ];
    expect(wire({}, chat).messages.slice(1)).toEqual([
      {
        role: 'assistant',
        content: 'Let me see.',
        tool_calls: [
          { id: 'k1', function: { index: 0, name: 'add', arguments: { a: 4 } } },
          { id: 'k2', function: { index: 1, name: 'sub', arguments: { a: 5 } } },
        ],
      },
      { role: 'tool', content: '9', tool_name: 'add', tool_call_id: 'k1' },
      { role: 'tool', content: '{"b":1}', tool_name: 'sub', tool_call_id: 'k2' },
    ]);
  });

  const thought = {
    role: 'provider_content',
    content: '{"backend":"ollama","blocks":[{"type":"reasoning_content","text":"Hm. "}]}',
  };
  const turns = [user, thought, { role: 'assistant', content: 'a' }, user];
  const levels: readonly [string | undefined, number, boolean][] = [
    [undefined, 3, true],
    ['all', 3, true],
    ['turn', 3, false],
    ['turn', 0, true],
    ['drop', 0, false],
  ];
  for (const [level, turnStart, sent] of levels)
    test(`saved thinking, ${level ?? 'nothing said'}, question at ${turnStart}`, () => {
      const body = wire({ reasoning_history: level }, turns, { turnStart });
      expect(body.messages[1].thinking).toBe(sent ? 'Hm. ' : undefined);
    });

  const attachments = new Map([
    ['/a/p.png', { path: '/a/p.png', mediaType: 'image/png', base64: 'iVBORw0K' }],
    ['/a/d.pdf', { path: '/a/d.pdf', mediaType: 'application/pdf', base64: 'JVBERi0=' }],
  ]);

  test('pictures stand beside the text', () => {
    const chat = [{ role: 'image', content: '/a/p.png' }, user];
    expect(wire({}, chat, { attachments }).messages).toEqual([
      { role: 'user', content: 'q', images: ['iVBORw0K'] },
    ]);
  });

  for (const [role, content] of [
    ['pdf', '/a/d.pdf'],
    ['image', '/a/d.pdf'],
    ['image', 'https://x.example/p.png'],
  ] as const)
    test(`what it cannot take is refused before any request: ${role} ${content}`, async () => {
      const origin = { file: 'a.chat', line: 3 };
      const { failure, server } = await asked(
        ollamaStream('x'),
        {},
        [{ role, content, origin }, user],
        { attachments },
      );
      expect(failure).toMatchObject({ code: 'vision-unsupported', at: origin });
      expect(server.requests).toHaveLength(0);
    });
});

describe('the answer', () => {
  test('thinking, then text, then counts', async () => {
    const { events, text, thinking } = await asked(
      ollamaLines([piece({ thinking: 'Small sum.' }), piece({ content: '\n\nIt is 9.' }), last()]),
    );
    expect([thinking, text]).toEqual(['Small sum.', 'It is 9.']);
    expect(events.slice(-3)).toEqual([
      {
        kind: 'provider-content',
        blocks: [{ type: 'reasoning_content', text: 'Small sum.' }],
      },
      { kind: 'usage', tokens: { pt: 14, ct: 11, tt: 25 } },
      { kind: 'finish', reason: { reason: 'stop' } },
    ]);
    expect(events[0]).toEqual({ kind: 'served', model: 'fake:1b' });
  });

  test('cut at every byte, with CR LF, and with an odd line end in its text', async () => {
    const text = 'Žluť 🐌\u2028hotovo\u0085x';
    const lines = [piece({ content: text }), last()].map((line) => JSON.stringify(line));
    const { text: read } = await asked({ body: lines.join('\r\n'), cut: 1 });
    expect(read).toBe(text);
  });

  test('calls, each whole, in lines of their own or in one; the server says stop', async () => {
    const made = (id: string | undefined, a: unknown) => ({
      ...(id === undefined ? {} : { id }),
      function: { index: 0, name: 'add', arguments: a },
    });
    const { events } = await asked(
      ollamaLines([
        piece({ tool_calls: [made('k1', { a: 4 }), made('k2', '{"a":5}')] }),
        piece({ tool_calls: [made('k3', undefined)] }),
        last(),
      ]),
    );
    expect(callsOf(events)).toEqual([
      { id: 'k1', name: 'add', arguments: { a: 4 } },
      { id: 'k2', name: 'add', arguments: { a: 5 } },
      { id: 'k3', name: 'add', arguments: {} },
    ]);
    expect(events.at(-1)).toEqual({ kind: 'finish', reason: { reason: 'tool_calls' } });
  });

  test('a call without an id gets one, and its name on the wire is the one of the tool', async () => {
    const name = 'notes.read';
    const answered = async (request: { json: Wire }) =>
      ollamaLines([
        piece({
          tool_calls: [{ function: { name: request.json.tools[0].function.name, arguments: {} } }],
        }),
        last(),
      ]);
    const { events, server } = await asked(answered, {}, 'q', { tools: [tool(name)] });
    expect(server.requests[0]?.json.tools[0].function.name).toMatch(/^notes_read_[0-9a-f]{8}$/);
    expect(events).toContainEqual({
      kind: 'tool-call',
      call: { id: expect.stringMatching(/^call_./), name, arguments: {} },
    });
  });

  test('counts that are not there are not made up: a prompt from the cache', async () => {
    const { events } = await asked(ollamaStream('x', { prompt_eval_count: undefined }));
    expect(events).toContainEqual({ kind: 'usage', tokens: { ct: 11 } });
  });

  for (const [word, reason] of [
    ['length', { reason: 'length' }],
    ['load', { reason: 'other', detail: 'load' }],
  ] as const)
    test(`the end "${word}"`, async () => {
      const { events } = await asked(ollamaStream('x', { done_reason: word }));
      expect(events.at(-1)).toEqual({ kind: 'finish', reason });
    });

  test('as one object where lines were asked for, and the other way round', async () => {
    const whole = { ...last(), message: { role: 'assistant', content: 'Blue' } };
    expect((await asked({ body: whole })).text).toBe('Blue');
    expect((await asked(ollamaStream('Red'), { stream: false })).text).toBe('Red');
    const spread = { body: JSON.stringify(whole, null, 2), cut: 7 };
    expect((await asked(spread)).text).toBe('Blue');
  });

  test('an error in the middle is a dropped stream, as the first line it is asked again', async () => {
    const error = { error: 'fake runner stopped' };
    const { failure, text } = await asked(ollamaLines([piece({ content: 'Part' }), error]));
    expect(text).toBe('Part');
    expect(failure?.facts).toMatchObject({ kind: 'stream_dropped' });
    expect(failure?.message).toContain('fake runner stopped');
    const again = await asked([ollamaLines([error]), ollamaStream('fine')]);
    expect([again.text, again.retries.length]).toEqual(['fine', 1]);
  });

  for (const ending of ['end', 'close', 'reset'] as const)
    test(`no last line, ending in ${ending}, is a dropped stream`, async () => {
      const { failure, text } = await asked(
        ollamaLines([piece({ content: 'Part' })], { ending, pause: 20 }),
      );
      expect(text).toBe('Part');
      expect(failure?.facts).toMatchObject({ kind: 'stream_dropped' });
    });

  test('a line that is no JSON is left out and told; a page is told in one line', async () => {
    const { text, warnings } = await asked({
      body: [
        `${JSON.stringify(piece({ content: 'a' }))}\n`,
        'oops\n',
        `${JSON.stringify(last())}\n`,
      ],
    });
    expect([text, warnings]).toEqual([
      'a',
      ['left out of the answer: a line that is no JSON ("oops")'],
    ]);
    const page = await asked({ body: '<html><title>Log in</title></html>\n' });
    expect(page.failure).toMatchObject({ code: 'bad-reply' });
    expect(page.failure?.message).toContain('Log in');
    expect((await asked({ body: '' }, { retry_max: 0 })).failure?.code).toBe('bad-reply');
  });

  test('no model of that name', async () => {
    const { failure, retries } = await asked({
      status: 404,
      body: { error: "model 'fake:1b' not found" },
    });
    expect([failure?.code, retries.length]).toEqual(['model-not-found', 0]);
  });
});

describe('a model that refuses a word about thinking', () => {
  const refusing =
    (message: string, refuses: (think: unknown) => boolean): Answers =>
    ({ json }) =>
      refuses(json.think) ? { status: 400, body: { error: message } } : ollamaStream('fine');

  const rows: readonly {
    name: string;
    answers: Answers;
    thinks: readonly unknown[];
  }[] = [
    {
      name: 'does not think: no word',
      answers: refusing('"fake:1b" does not support thinking', (think) => think !== undefined),
      thinks: ['high', undefined],
    },
    {
      name: 'knows yes and no only',
      answers: refusing(
        'cannot unmarshal string into ChatRequest.think of type bool',
        (think) => typeof think === 'string',
      ),
      thinks: ['high', true],
    },
  ];
  for (const { name, answers, thinks } of rows)
    test(`${name}; remembered by this process and the next`, async () => {
      const server = await served(answers);
      const cacheFolder = temporaryFolder();
      const request = fakeRequest(endpointAt(server.url, { thinking: 'high' }));
      const first = createOllama();
      for (const backend of [first, first, createOllama()])
        expect((await askBackend(backend, request, askContext({ cacheFolder }))).text).toBe('fine');
      expect(server.requests.map(({ json }) => json.think)).toEqual([
        ...thinks,
        thinks[1],
        thinks[1],
      ]);
    });
});

describe('the local server drops half the prompt', () => {
  const long = 'A line of words to fill the window.\n'.repeat(1200);
  const server =
    (count: number, facts: Record<string, unknown> = {}, ps: unknown = {}): Answers =>
    ({ path }) => {
      if (path === '/api/show') return { body: facts };
      if (path === '/api/ps') return { body: { models: [ps] } };
      return ollamaStream('fine', { prompt_eval_count: count });
    };

  test('a count far below the text sent is told, with what the model can have', async () => {
    const facts = {
      model_info: { 'fake.context_length': 131_072 },
      parameters: 'stop "x"\nnum_ctx                        4096',
    };
    const { warnings, text } = await asked(server(2050, facts), {}, long);
    expect(text).toBe('fine');
    expect(warnings).toEqual([
      'fake:1b has read 2,050 tokens of a prompt of about 10,800: the beginning was cut off, for its window (4,096 tokens) is too small. Set "num_ctx" to more; the model can have 131,072',
    ]);
  });

  const rows: readonly [string, Answers, Record<string, unknown>, RegExp | undefined][] = [
    ['nothing is known of the window', server(2050), {}, /its window is too small\. Set "num_ctx"/],
    ['the window is set and too small', server(2050), { num_ctx: 4096 }, /window \(4,096 tokens\)/],
    [
      'the window as it is loaded',
      server(2050, {}, { name: 'fake:1b', context_length: 2048 }),
      {},
      /window \(2,048 tokens\)/,
    ],
    ['the rest came from the cache', server(30), { num_ctx: 32_768 }, undefined],
    ['all of it was counted', server(9100), {}, undefined],
  ];
  for (const [name, answers, settings, warning] of rows)
    test(name, async () => {
      const { warnings } = await asked(answers, settings, long);
      if (warning === undefined) expect(warnings).toEqual([]);
      else expect(warnings.join()).toMatch(warning);
    });

  test('a short prompt asks nothing more of the server; a model is asked about once a process', async () => {
    expect((await asked(server(2))).server.requests).toHaveLength(1);
    const fake = await served(server(2050));
    const backend = createOllama();
    for (let round = 0; round < 2; round++)
      await askBackend(backend, fakeRequest(endpointAt(fake.url), long));
    expect(fake.requests.filter(({ path }) => path === '/api/show')).toHaveLength(1);
  });
});

describe('the server', () => {
  test('lists its models', async () => {
    const server = await served({
      body: { models: [{ name: 'a:1b' }, { model: 'b' }, {}] },
    });
    const models = await createOllama().models(endpointAt(`${server.url}/v1`), askContext());
    expect(models).toEqual([{ id: 'a:1b' }, { id: 'b' }]);
    expect(server.requests[0]?.path).toBe('/api/tags');
  });

  for (const base of ['', '/', '/v1', '/api', '/api/chat'])
    test(`is found at "${base}"`, async () => {
      const server = await served(ollamaStream('fine'));
      const request = fakeRequest(endpointAt(`${server.url}${base}`));
      expect((await askBackend(createOllama(), request)).text).toBe('fine');
      expect(server.requests[0]).toMatchObject({
        path: '/api/chat',
        headers: { 'session-id': 'session-1' },
      });
    });
});
