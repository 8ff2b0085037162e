// What makes one request fit the one before it: reasoning that goes back, marks and names for the prompt cache, tools under names that fit.

import { describe, expect, test } from 'vitest';
import { createOpenai, openai } from '../../src/backends/openai/backend.ts';
import { toBody } from '../../src/backends/openai/body.ts';
import { PRESETS } from '../../src/backends/openai/place.ts';
import type { LogLine, PromptRequest } from '../../src/backends/types.ts';
import type { Chat } from '../../src/types.ts';
import { askBackend, askContext, fakeEndpoint, fakeRequest } from '../helpers/asking.ts';
import { chunk, DONE, openaiError, openaiStream } from '../helpers/openai-replies.ts';
import { answer, call, output, tool, user, type Wire } from '../helpers/prompts.ts';
import { served } from '../helpers/served.ts';

const NEAR = 'http://localhost:8080/v1';
const ORIGINAL = 'https://api.openai.com/v1';
const ROUTER = 'https://openrouter.ai/api/v1';

const thought = (text: string, type = 'reasoning_content') => ({
  role: 'provider_content',
  content: JSON.stringify({ backend: 'openai', blocks: [{ type, text }] }),
});

const wire = (
  settings: Record<string, unknown>,
  chat: Chat,
  rest: Partial<PromptRequest> = {},
  { url = NEAR, model = 'fake-mini' } = {},
): Wire =>
  toBody(PRESETS.openai, fakeRequest(fakeEndpoint(url, { settings, model }), chat, rest)).fields;

describe('saved reasoning goes back', () => {
  const chat = [
    user('one'),
    thought('Old. '),
    answer('first'),
    user('two'),
    thought('New. '),
    answer('let me see'),
    call('look', {}, 'k1'),
    output('done', 'k1'),
    thought('Then. '),
    call('look', {}, 'k2'),
    output('done', 'k2'),
  ];
  const sent = (settings: Record<string, unknown>, url?: string) =>
    wire(settings, chat, { turnStart: 3 }, url === undefined ? {} : { url })
      .messages.filter(({ role }: Wire) => role === 'assistant')
      .map((each: Wire) => each.reasoning_content);

  const rows: readonly [string, Record<string, unknown>, string | undefined, unknown[]][] = [
    ['drop: none', { reasoning_history: 'drop' }, undefined, [undefined, undefined, undefined]],
    [
      'turn: that of the turn in progress',
      { reasoning_history: 'turn' },
      undefined,
      [undefined, 'New. ', 'Then. '],
    ],
    ['all', { reasoning_history: 'all' }, undefined, ['Old. ', 'New. ', 'Then. ']],
    [
      'nothing said: all of it, for history stays as it was',
      {},
      undefined,
      ['Old. ', 'New. ', 'Then. '],
    ],
    ['nothing said: none to the original', {}, ORIGINAL, [undefined, undefined, undefined]],
    [
      'all, also to the original',
      { reasoning_history: 'all' },
      ORIGINAL,
      ['Old. ', 'New. ', 'Then. '],
    ],
  ];
  for (const [name, settings, url, expected] of rows)
    test(name, () => expect(sent(settings, url)).toEqual(expected));

  test('a request that goes on from a saved chat repeats the one before to the byte', () => {
    const before = JSON.stringify(wire({}, chat.slice(0, 3).concat(user('two'))).messages);
    const after = JSON.stringify(wire({}, chat, { turnStart: 3 }).messages);
    expect(after.startsWith(before.slice(0, -1))).toBe(true);
  });

  test('it stands on the message that it led to, not on text of another round', () => {
    const odd = [
      user('q'),
      answer('not what was asked for'),
      thought('Again. '),
      call('look', {}, 'k'),
    ];
    expect(wire({}, [...odd, output('done', 'k')]).messages.slice(1, 3)).toEqual([
      answer('not what was asked for'),
      {
        role: 'assistant',
        content: null,
        reasoning_content: 'Again. ',
        tool_calls: [{ id: 'k', type: 'function', function: { name: 'look', arguments: '{}' } }],
      },
    ]);
  });

  test('reasoning whose message is gone is not put into the mouth of another', () => {
    const { messages } = wire({}, [user('one'), thought('Lost. '), user('two'), answer('second')]);
    expect(messages.at(-1)).toEqual({ role: 'assistant', content: 'second' });
    const behind = wire({}, [
      call('look', {}, 'k1'),
      thought('Lost. '),
      output('done', 'k1'),
      answer('b'),
    ]);
    expect(behind.messages.at(-1)).toEqual({ role: 'assistant', content: 'b' });
  });

  test('blocks of another kind are no reasoning', () => {
    expect(
      JSON.stringify(wire({}, [user('q'), thought('x', 'thinking'), answer('a')])),
    ).not.toMatch(/reasoning|"x"/);
  });

  const kept: readonly [string | undefined, boolean][] = [
    [undefined, true],
    ['turn', true],
    ['all', true],
    ['drop', false],
  ];
  for (const [level, stored] of kept)
    test(`of a reply is kept with ${level ?? 'nothing said'}: ${stored}`, async () => {
      const server = await served(openaiStream('Nine.', { thinking: 'Four and five. ' }));
      const endpoint = fakeEndpoint(`${server.url}/v1`, { settings: { reasoning_history: level } });
      const { events } = await askBackend(createOpenai(PRESETS.openai), fakeRequest(endpoint));
      expect(events.filter(({ kind }) => kind === 'provider-content')).toEqual(
        stored
          ? [
              {
                kind: 'provider-content',
                blocks: [{ type: 'reasoning_content', text: 'Four and five. ' }],
              },
            ]
          : [],
      );
    });
});

describe('details of reasoning, as gateways send them', () => {
  const detail = (more: object) => ({
    reasoning_details: [{ type: 'reasoning.text', index: 0, ...more }],
  });
  const streamed = [
    chunk({ reasoning: 'Two ', ...detail({ text: 'Two ', format: 'f-1' }) }),
    chunk({ reasoning: 'steps.', ...detail({ text: 'steps.', signature: null }) }),
    chunk(detail({ text: '', signature: 'sigA==' })),
    chunk({ reasoning_details: [{ type: 'reasoning.encrypted', index: 1, data: 'AAA' }] }),
    chunk({ reasoning_details: [{ type: 'reasoning.encrypted', index: 1, data: 'BBB' }, 7] }),
    chunk({ content: 'Fine.' }),
    chunk({}, 'stop'),
    DONE,
  ];
  const details = [
    {
      ...{ type: 'reasoning.text', index: 0, text: 'Two steps.' },
      ...{ format: 'f-1', signature: 'sigA==' },
    },
    { type: 'reasoning.encrypted', index: 1, data: 'AAA' },
    { type: 'reasoning.encrypted', index: 1, data: 'BBB' },
  ];
  async function stored(body: readonly string[], settings: Record<string, unknown> = {}) {
    const server = await served([{ body }]);
    const endpoint = fakeEndpoint(`${server.url}/v1`, { settings, model: 'fake-mini' });
    const { events } = await askBackend(createOpenai(PRESETS.openai), fakeRequest(endpoint));
    return events.filter(({ kind }) => kind === 'provider-content' || kind === 'finish');
  }
  const kept = { type: 'reasoning_details', model: 'fake-mini', details };
  const chatWith = (blocks: readonly object[]) => [
    user('q'),
    { role: 'provider_content', content: JSON.stringify({ backend: 'openai', blocks }) },
    answer('Fine.'),
    user('and?'),
  ];

  test('joined from their pieces, and kept beside the text', async () => {
    expect(await stored(streamed)).toMatchObject([
      { blocks: [{ type: 'reasoning_content', text: 'Two steps.' }, kept] },
      { kind: 'finish' },
    ]);
  });

  test('without any text they are kept alone', async () => {
    expect(await stored([...streamed.slice(3)])).toMatchObject([
      { blocks: [{ ...kept, details: details.slice(1) }] },
      { kind: 'finish' },
    ]);
  });

  test('nothing is kept where nothing goes back', async () => {
    expect(await stored(streamed, { reasoning_history: 'drop' })).toMatchObject([
      { kind: 'finish' },
    ]);
  });

  test('go back unchanged to their model, as text to another one', () => {
    const chat = chatWith([{ type: 'reasoning_content', text: 'Two steps.' }, kept]);
    const said = { role: 'assistant', content: 'Fine.' };
    expect(wire({}, chat).messages[1]).toEqual({ ...said, reasoning_details: details });
    const other = wire({}, chat, {}, { model: 'other' });
    expect(other.messages[1]).toEqual({ ...said, reasoning_content: 'Two steps.' });
    expect(wire({}, chatWith([kept]), {}, { model: 'other' }).messages[1]).toEqual(said);
    expect(wire({ reasoning_history: 'drop' }, chat).messages[1]).toEqual(said);
  });

  test('a server that refuses them is asked without', async () => {
    const server = await served(({ json }) =>
      json.messages[1].reasoning_details === undefined
        ? openaiStream('Yes.')
        : openaiError(400, "property 'messages.1.reasoning_details' is unsupported"),
    );
    const endpoint = fakeEndpoint(`${server.url}/v1`, { model: 'fake-mini' });
    const request = fakeRequest(endpoint, chatWith([kept]));
    const { text } = await askBackend(createOpenai(PRESETS.openai), request);
    expect([text, server.requests.length]).toEqual(['Yes.', 2]);
  });
});

describe('marks for the cache of Claude behind a gateway', () => {
  const chat = [
    { role: 'system', content: 'Stable. Volatile.' },
    user('one'),
    answer('first'),
    { role: 'system', content: 'a reminder' },
    user('two'),
    { role: 'system', content: 'a note' },
  ];
  const marks = (body: Wire): string[] =>
    body.messages.flatMap((message: Wire, index: number) =>
      [message.content]
        .flat()
        .filter((part: Wire) => part.cache_control !== undefined)
        .map((part: Wire) => `${index} ${part.text} ${JSON.stringify(part.cache_control)}`),
    );
  const claude = { url: ROUTER, model: 'anthropic/Claude-x' };
  const usual = '{"type":"ephemeral"}';

  test('stand on the first system text and on the last of the conversation', () => {
    expect(marks(wire({}, chat, { note: 'say more' }, claude))).toEqual([
      `0 Stable. Volatile. ${usual}`,
      `4 two ${usual}`,
    ]);
  });

  test('the stable part of the system text carries it, the rest follows', () => {
    const [system] = wire({ cache_split: 8 }, chat, {}, claude).messages;
    expect(system.content).toEqual([
      { type: 'text', text: 'Stable. ', cache_control: { type: 'ephemeral' } },
      { type: 'text', text: 'Volatile.' },
    ]);
    const snail = [{ role: 'system', content: 'a🐌b' }, user('q')];
    expect(wire({ cache_split: 2 }, snail, {}, claude).messages[0].content[1].text).toBe('🐌b');
  });

  test('stand on the last text among parts, and keep as long as it is said', () => {
    const pictures = [user('what is it?'), { role: 'image', content: 'https://x.example/p.png' }];
    expect(marks(wire({ cache: '1h' }, pictures, {}, claude))).toEqual([
      '0 what is it? {"type":"ephemeral","ttl":"1h"}',
    ]);
  });

  const none: readonly [string, Record<string, unknown>, { url?: string; model?: string }][] = [
    ['another model', {}, { url: ROUTER, model: 'gpt-5' }],
    ['a server nearby', {}, { model: 'claude' }],
    ['cache: false', { cache: false }, claude],
    ['a server that is said to be near', { remote: false }, claude],
  ];
  for (const [name, settings, place] of none)
    test(`none: ${name}`, () => expect(marks(wire(settings, chat, {}, place))).toEqual([]));

  test('a server that refuses them is asked without, from then on', async () => {
    const server = await served(({ body }) =>
      body.includes('cache_control')
        ? openaiError(400, 'messages.0.content.0.cache_control: Extra inputs are not permitted')
        : openaiStream('fine'),
    );
    const endpoint = fakeEndpoint(`${server.url}/v1`, {
      model: 'claude',
      settings: { remote: true },
    });
    const backend = createOpenai(PRESETS.openai);
    for (let round = 0; round < 2; round++)
      expect((await askBackend(backend, fakeRequest(endpoint))).text).toBe('fine');
    expect(server.requests).toHaveLength(3);
  });
});

describe('the run is named to the cache', () => {
  const rows: readonly [string, Record<string, unknown>, string, string | undefined][] = [
    ['at the original', { cache: { key: 'session' } }, ORIGINAL, 'session-1'],
    ['at the router', { cache: '{"key":"session"}' }, ROUTER, 'session-1'],
    ['nowhere else', { cache: { key: 'session' } }, NEAR, undefined],
    ['not without being told to', {}, ORIGINAL, undefined],
  ];
  for (const [name, settings, url, key] of rows)
    test(name, () => expect(wire(settings, [user('q')], {}, { url }).prompt_cache_key).toBe(key));
});

describe('tools', () => {
  const tools = [tool('notes.read'), tool('notes/read'), tool('läsa'), tool('x'.repeat(90))];

  test('names that a provider refuses are made fit, unique and the same each time', () => {
    const names = (order: Wire[]) =>
      wire({}, [user('q')], { tools: order }).tools.map((each: Wire) => each.function.name);
    const sent = names(tools);
    expect(new Set(sent).size).toBe(4);
    for (const name of sent) expect(name).toMatch(/^[A-Za-z0-9_-]{1,64}$/);
    expect(names([...tools].reverse()).reverse()).toEqual(sent);
  });

  test('calls under them reach the right tool, and are sent again under the same name', async () => {
    const server = await served(({ json }) => ({
      body: [
        chunk({
          tool_calls: [
            {
              index: 0,
              id: 'k1',
              function: { name: json.tools[1].function.name, arguments: '{}' },
            },
          ],
        }),
        chunk({}, 'tool_calls'),
        DONE,
      ],
    }));
    const endpoint = fakeEndpoint(`${server.url}/v1`);
    const chat = [user('q'), call('notes/read', {}, 'k0'), output('done', 'k0')];
    const { events } = await askBackend(openai, fakeRequest(endpoint, chat, { tools }));
    expect(events).toContainEqual({
      kind: 'tool-call',
      call: { id: 'k1', name: 'notes/read', arguments: {} },
    });
    const { tools: declared, messages } = server.requests[0]?.json ?? {};
    expect(messages[1].tool_calls[0].function.name).toBe(declared[1].function.name);
  });

  test('calls that another program wrote with call_id keep their outputs', () => {
    const theirs = (role: string, more: object) => ({
      role,
      content: JSON.stringify({ call_id: 'k9', name: 'look', ...more }),
    });
    const { messages } = wire({}, [
      user('q'),
      theirs('function_call', { arguments: '{}' }),
      theirs('function_call_output', { content: 'seen' }),
    ]);
    expect(messages[1].tool_calls[0].id).toBe('k9');
    expect(messages[2]).toMatchObject({ tool_call_id: 'k9', content: 'seen' });
  });

  test('ids that a provider refuses are made fit, in pairs', () => {
    const [, made, came] = wire({}, [
      user('q'),
      call('a', {}, 'call:1/é'),
      output('done', 'call:1/é'),
    ]).messages;
    expect(made.tool_calls[0].id).toMatch(/^[A-Za-z0-9_-]{1,64}$/);
    expect(came.tool_call_id).toBe(made.tool_calls[0].id);
  });

  test('one whose schema cannot be sent is left out by name', () => {
    const odd = tool('odd', { type: 'string' });
    const request = fakeRequest(fakeEndpoint(NEAR), 'q', { tools: [odd, tool('fine')] });
    const { fields, warnings } = toBody(PRESETS.openai, request);
    expect((fields as Wire).tools.map((each: Wire) => each.function.name)).toEqual(['fine']);
    expect(warnings).toEqual(['the tool "odd" is left out: its schema describes no object']);
  });

  test('that warning is told once a run', async () => {
    const server = await served(openaiStream('fine'));
    const odd = [tool('odd', { type: 'string' })];
    const request = fakeRequest(fakeEndpoint(`${server.url}/v1`), 'q', { tools: odd });
    const backend = createOpenai(PRESETS.openai);
    const first = await askBackend(backend, request);
    const second = await askBackend(backend, request);
    expect([first.warnings.length, second.warnings.length]).toEqual([1, 0]);
  });

  const choices: readonly [string | undefined, Chat, unknown][] = [
    [undefined, [user('q')], 'auto'],
    ['none', [user('q')], 'none'],
    ['required', [user('q')], 'required'],
    ['required', [user('q'), call('fine', {}, 'k'), output('done', 'k')], 'auto'],
    ['fine', [user('q')], { type: 'function', function: { name: 'fine' } }],
  ];
  for (const [choice, chat, sent] of choices)
    test(`tool_choice ${choice}, ${chat.length} messages`, () => {
      const body = wire({ tool_choice: choice }, chat, { tools: [tool('fine')] });
      expect(body.tool_choice).toEqual(sent);
    });

  test('tool_choice that names no tool is a clear error; without tools it says nothing', () => {
    expect(() => wire({ tool_choice: 'gone' }, [user('q')], { tools: [tool('fine')] })).toThrow(
      '"tool_choice" names no tool: "gone"',
    );
    expect(wire({ tool_choice: 'gone' }, [user('q')])).not.toHaveProperty('tool_choice');
  });
});

test('a header of the endpoint carries the name of the run', async () => {
  const server = await served(openaiStream('fine'));
  const endpoint = fakeEndpoint(`${server.url}/v1`, { settings: { session_header: 'X-Run' } });
  await askBackend(openai, fakeRequest(endpoint));
  expect(server.requests[0]?.headers).toMatchObject({
    'session-id': 'session-1',
    'x-run': 'session-1',
  });
});

describe('one line is logged about each request', () => {
  async function logged(answers: Parameters<typeof served>[0], query = '') {
    const server = await served(answers);
    const lines: LogLine[] = [];
    const { secret } = await import('../../src/config/secret.ts');
    const endpoint = fakeEndpoint(`${server.url.replace('//', '//me:KEY-mock-123@')}/v1${query}`, {
      key: secret('KEY-mock-456'),
      settings: { retry_max: 1, thinking: 'off' },
    });
    const context = { ...askContext(), log: (line: LogLine) => lines.push(line) };
    await askBackend(createOpenai(PRESETS.openai), fakeRequest(endpoint, 'BODY-words'), context);
    expect(JSON.stringify(lines)).not.toMatch(/KEY-mock|BODY-words|me:/);
    return { lines, server };
  }

  test('with where it went, how it ended and how long it took', async () => {
    const { lines, server } = await logged(openaiStream('fine'), '?key=KEY-mock-789');
    expect(lines).toEqual([
      {
        kind: 'http',
        method: 'POST',
        host: `127.0.0.1:${server.port}`,
        url: `${server.url}/v1/chat/completions`,
        purpose: 'chat',
        model: 'fake-mini',
        status: 200,
        firstToken: expect.any(Number),
        total: expect.any(Number),
        attempts: 1,
      },
    ]);
  });

  test('retries are attempts of the same line; a failure is named by its kind', async () => {
    const { lines } = await logged(openaiError(500, 'down'));
    expect(lines).toMatchObject([{ status: 500, attempts: 2, error: 'retry_exhausted' }]);
    expect(lines[0]).not.toHaveProperty('firstToken');
  });

  test('a request that is asked again in another form is two, with what was refused between', async () => {
    const { lines } = await logged(({ json }) =>
      json.reasoning_effort ? openaiError(400, 'no thinking here') : openaiStream('fine'),
    );
    expect(lines).toMatchObject([
      { kind: 'http', status: 400, error: 'bad_request' },
      {
        kind: 'refused',
        what: 'thinking',
        fields: ['chat_template_kwargs', 'reasoning_effort'],
      },
      { kind: 'http', status: 200 },
    ]);
  });
});
