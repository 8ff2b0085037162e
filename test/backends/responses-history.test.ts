// What of a conversation is sent: reasoning in valid pairs, the same bytes each time, and only what the provider does not know already. The server
// keeps conversations and refuses what the provider would refuse.

import { describe, expect, test } from 'vitest';
import { createResponses } from '../../src/backends/responses/backend.ts';
import type { Chat, Message } from '../../src/types.ts';
import { askContext, fakeEndpoint } from '../helpers/asking.ts';
import { temporaryFolder } from '../helpers/folder.ts';
import {
  called,
  type Item,
  keepingServer,
  message,
  reasoning,
  responsesError,
  responsesEvents,
  responsesStream,
} from '../helpers/responses-replies.ts';
import { startTalk, type Talk } from '../helpers/responses-talk.ts';
import { served } from '../helpers/served.ts';

/** Two turns: reasoning and two calls, reasoning and text, then reasoning, text and a call, and a text. */
const OUTPUTS: readonly (readonly Item[])[] = [
  [
    reasoning('rs_1', 'Count both.'),
    called('k1', 'count', '{"shelf": 3}'),
    called('k2', 'count', '{"shelf":4}'),
  ],
  [reasoning('rs_2', 'Add.'), message('There are 24.', 'm2')],
  [reasoning('rs_3', 'Again.'), message('Let me see.', 'm3'), called('k3', 'count', '{}')],
  [message('Still 24.', 'm4')],
];

async function talkTo(settings: Record<string, unknown> = {}, outputs = OUTPUTS, model = 'fake-5') {
  const keeping = keepingServer(outputs);
  const server = await served((request) => keeping.answer(request));
  const endpoint = fakeEndpoint(`${server.url}/v1`, { backend: 'responses', model, settings });
  const talk = startTalk(createResponses(), endpoint);
  const inputs = (): Item[][] => server.requests.map(({ json }) => json.input);
  return { talk, server, keeping, inputs, endpoint };
}

/** Both turns to their end. */
async function wholeTalk(settings: Record<string, unknown> = {}) {
  const all = await talkTo(settings);
  for (const more of ['How many?', [], 'And now?', []]) {
    const { failure, warnings } = await all.talk.ask(more);
    expect([failure, warnings]).toEqual([undefined, []]);
  }
  return all;
}

const typesOf = (items: readonly Item[]) =>
  items.map(({ type, role, id, call_id: call }) =>
    [type ?? role, id ?? call].filter(Boolean).join(' '),
  );

const STATELESS = { previous_response: false };

describe('a conversation of which the provider keeps nothing', () => {
  test('goes out whole each time, reasoning right before what it led to, earlier bytes unchanged', async () => {
    const { inputs, server } = await wholeTalk(STATELESS);
    expect(server.requests.map(({ json }) => json.store)).toEqual([false, false, false, false]);
    expect(typesOf(inputs()[3] ?? [])).toEqual([
      'user',
      'reasoning rs_1',
      'function_call k1',
      'function_call k2',
      'function_call_output k1',
      'function_call_output k2',
      'reasoning rs_2',
      'assistant',
      'user',
      'reasoning rs_3',
      'assistant',
      'function_call k3',
      'function_call_output k3',
    ]);
    const texts = inputs().map((input) => input.map((item) => JSON.stringify(item)));
    for (const [index, earlier] of texts.slice(0, -1).entries())
      expect(texts[index + 1]?.slice(0, earlier.length)).toEqual(earlier);
  });

  test('calls go back with the very arguments that came', async () => {
    const { inputs } = await wholeTalk(STATELESS);
    expect(inputs()[1]?.slice(1, 4)).toEqual([
      { ...reasoning('rs_1', 'Count both.'), encrypted_content: 'sealed rs_1' },
      { type: 'function_call', call_id: 'k1', name: 'count', arguments: '{"shelf": 3}' },
      { type: 'function_call', call_id: 'k2', name: 'count', arguments: '{"shelf":4}' },
    ]);
  });

  const levels: readonly [string, readonly string[]][] = [
    ['all', ['rs_1', 'rs_2', 'rs_3']],
    ['turn', ['rs_3']],
    ['drop', []],
  ];
  for (const [level, ids] of levels)
    test(`with reasoning_history ${level}`, async () => {
      const { inputs } = await wholeTalk({ ...STATELESS, reasoning_history: level });
      expect(inputs()[3]?.flatMap(({ type, id }) => (type === 'reasoning' ? [id] : []))).toEqual(
        ids,
      );
    });

  test('with reasoning_history turn, the newest calls keep theirs when somebody spoke after them', async () => {
    const { talk } = await talkTo({ ...STATELESS, reasoning_history: 'turn' });
    await talk.ask('How many?');
    expect(typesOf(await inputOf(talk, 'quick!'))).toContain('reasoning rs_1');
  });
});

const inputOf = async (talk: Talk, more?: Chat | string): Promise<Item[]> =>
  ((await talk.wire(more)) as { input: Item[] }).input;

describe('reasoning is left out, and the words stay', () => {
  const change = (role: string, edit: (content: string) => string) => (chat: Chat) => {
    const at = chat.findLastIndex((each) => each.role === role);
    return chat.map((each, index) =>
      index === at ? { ...each, content: edit(each.content) } : each,
    );
  };
  const without = (found: (each: Message) => boolean) => (chat: Chat) =>
    chat.filter((each) => !found(each));
  const rows: readonly [string, (chat: Chat) => Chat, readonly string[]][] = [
    ['nothing changed', (chat) => chat, ['rs_1', 'rs_2']],
    [
      'white space at the ends changed',
      change('assistant', (text) => ` ${text}\n`),
      ['rs_1', 'rs_2'],
    ],
    ['the text was edited', change('assistant', () => 'There are 23.'), ['rs_1']],
    ['the text is gone', without(({ role }) => role === 'assistant'), ['rs_1']],
    [
      'a call is gone',
      without(({ content }) => /"k2"/.test(content) && /"name"/.test(content)),
      ['rs_2'],
    ],
    [
      'a call has another id',
      (chat) =>
        chat.map((each) =>
          each.role.startsWith('function')
            ? { ...each, content: each.content.replace('k2', 'k9') }
            : each,
        ),
      ['rs_2'],
    ],
    [
      'a text stands before the calls that came without',
      (chat) =>
        chat.flatMap((each) =>
          each.content.includes('rs_1') ? [each, { role: 'assistant', content: 'Well.' }] : [each],
        ),
      ['rs_2'],
    ],
    ['blocks are damaged', change('provider_content', (text) => text.slice(0, 60)), ['rs_1']],
    ['a whole answer is gone', (chat) => chat.slice(0, 6), ['rs_1']],
  ];
  for (const [name, edit, ids] of rows)
    test(`when ${name}`, async () => {
      const { talk } = await talkTo(STATELESS);
      await talk.ask('How many?');
      await talk.ask();
      talk.chat = edit(talk.chat);
      const { failure, warnings } = await talk.ask('And now?');
      expect([failure, warnings]).toEqual([undefined, []]);
      talk.chat = talk.chat.slice(0, -3);
      const items = await inputOf(talk, 'And now?');
      expect(items.flatMap(({ type, id }) => (type === 'reasoning' ? [id] : []))).toEqual(ids);
    });

  test('when another model is asked', async () => {
    const { talk, endpoint } = await talkTo(STATELESS);
    await talk.ask('How many?');
    const other = startTalk(createResponses(), { ...endpoint, model: 'fake-6' });
    other.chat = talk.chat;
    expect(typesOf(await inputOf(other))).toEqual([
      'user',
      'function_call k1',
      'function_call k2',
      'function_call_output k1',
      'function_call_output k2',
    ]);
  });

  test('blocks that something else made go before what follows them', async () => {
    const { talk } = await talkTo(STATELESS);
    const blocks = [reasoning('rs_x', 'Hm.', 'sealed')];
    talk.chat = [
      { role: 'user', content: 'q' },
      { role: 'provider_content', content: JSON.stringify({ backend: 'responses', blocks }) },
      { role: 'assistant', content: 'a' },
    ];
    expect(typesOf(await inputOf(talk, 'x'))).toEqual([
      'user',
      'reasoning rs_x',
      'assistant',
      'user',
    ]);
  });

  test('when the provider cannot read it: asked again without, for the rest of the run', async () => {
    const { talk, inputs } = await talkTo(STATELESS);
    await talk.ask('How many?');
    talk.chat = talk.chat.map((each) => ({
      ...each,
      content: each.content.replace('sealed rs_1', 'broken'),
    }));
    const { failure, warnings } = await talk.ask();
    expect(failure).toBe(undefined);
    expect(warnings).toEqual([expect.stringMatching(/without the reasoning of earlier answers$/)]);
    expect((await talk.ask('And now?')).warnings).toEqual([]);
    expect(JSON.stringify(inputs().slice(2))).not.toContain('"reasoning"');
  });
});

describe('a conversation that the provider keeps', () => {
  test('is gone on from: only what is new is sent, and the model sees all of it', async () => {
    const { server, inputs, keeping } = await wholeTalk();
    expect(server.requests.map(({ json }) => json.previous_response_id)).toEqual([
      undefined,
      'resp_1',
      'resp_2',
      'resp_3',
    ]);
    expect(inputs().map(typesOf)).toEqual([
      ['user'],
      ['function_call_output k1', 'function_call_output k2'],
      ['user'],
      ['function_call_output k3'],
    ]);
    for (const [index, seen] of keeping.seen.slice(0, -1).entries())
      expect(keeping.seen[index + 1]?.slice(0, seen.length)).toEqual(seen);
  });

  test('gets the instructions each time: no answer carries them on', async () => {
    const { talk, server } = await talkTo();
    await talk.ask([
      { role: 'system', content: 'Be brief.' },
      { role: 'user', content: 'q' },
    ]);
    await talk.ask();
    expect(server.requests.map(({ json }) => json.instructions)).toEqual([
      'Be brief.',
      'Be brief.',
    ]);
  });

  const rows: readonly [string, (chat: Chat) => Chat, string | undefined][] = [
    ['nothing', (chat) => chat, 'resp_2'],
    ['what an answer never saw', (chat) => [...chat, { role: 'user', content: 'more' }], 'resp_2'],
    ['the last answer', (chat) => edited(chat, 'There are 24.', 'There are 23.'), 'resp_1'],
    ['the first question', (chat) => edited(chat, 'How many?', 'How few?'), undefined],
    ['an output', (chat) => edited(chat, '"content":"12"', '"content":"13"'), 'resp_1'],
    ['arguments of a call', (chat) => edited(chat, '{"shelf":4}', '{"shelf":5}'), undefined],
    ['everything before', (chat) => chat.slice(6), undefined],
    ['a message in front', (chat) => [{ role: 'user', content: 'first' }, ...chat], undefined],
    [
      'the bookkeeping',
      (chat) => chat.filter(({ role }) => role !== 'provider_content'),
      undefined,
    ],
  ];
  for (const [name, edit, previous] of rows)
    test(`is gone on from the last answer that still fits, when somebody changed ${name}`, async () => {
      const { talk, server } = await talkTo();
      await talk.ask('How many?');
      await talk.ask();
      talk.chat = edit(talk.chat);
      const { failure, warnings } = await talk.ask('And now?');
      expect([failure, warnings]).toEqual([undefined, []]);
      expect(server.requests.at(-1)?.json.previous_response_id).toBe(previous);
    });

  test('is not gone on from where a note was said that stands in no chat', async () => {
    const { talk, server } = await talkTo();
    await talk.ask('How many?');
    await talk.ask([], { note: 'Say something.' });
    expect(server.requests[1]?.json.input.at(-1).content[0].text).toBe('Say something.');
    await talk.ask('And now?');
    expect(server.requests[2]?.json.previous_response_id).toBe('resp_1');
    expect(JSON.stringify(server.requests[2]?.json)).not.toContain('Say something.');
  });

  test('goes to another model whole', async () => {
    const { talk, endpoint, server } = await talkTo();
    await talk.ask('How many?');
    const other = startTalk(createResponses(), { ...endpoint, model: 'fake-6' });
    other.chat = talk.chat;
    expect((await other.ask()).failure).toBe(undefined);
    expect(server.requests[1]?.json).not.toHaveProperty('previous_response_id');
  });

  test('that was forgotten goes out whole once, with a warning; what follows goes on from there', async () => {
    const { talk, server, keeping } = await talkTo();
    await talk.ask('How many?');
    await talk.ask();
    keeping.forget();
    const { text, warnings } = await talk.ask('And now?');
    expect(text).toBe('Let me see.');
    expect(warnings).toEqual([
      expect.stringMatching(/'resp_2' not found\.; sent the whole conversation instead$/),
    ]);
    expect((await talk.ask()).warnings).toEqual([]);
    expect(server.requests.map(({ json }) => json.previous_response_id)).toEqual([
      undefined,
      'resp_1',
      'resp_2',
      undefined,
      'resp_3',
    ]);
  });

  test('of a server that forgets at once is not tried a third time in a run', async () => {
    const { talk, server, keeping } = await talkTo();
    for (const more of ['How many?', [], 'And now?', []]) {
      expect((await talk.ask(more)).failure).toBe(undefined);
      keeping.forget();
    }
    expect(server.requests.map(({ json }) => json.previous_response_id)).toEqual([
      undefined,
      'resp_1',
      undefined,
      'resp_2',
      undefined,
      undefined,
    ]);
    expect(server.requests.at(-1)?.json.store).toBe(false);
  });
});

const edited = (chat: Chat, from: string, to: string): Chat => {
  const at = chat.findLastIndex(
    ({ role, content }) => role !== 'provider_content' && content.includes(from),
  );
  return chat.map((each, index) =>
    index === at ? { ...each, content: each.content.replace(from, to) } : each,
  );
};

test('a call without its output, after an interruption, goes out with a stand-in, in both ways', async () => {
  for (const settings of [STATELESS, {}]) {
    const { talk, server } = await talkTo(settings);
    await talk.ask('How many?');
    talk.chat = talk.chat.slice(0, -1);
    const { failure } = await talk.ask('Well?');
    expect(failure).toBe(undefined);
    const outputs = server.requests[1]?.json.input.filter(
      ({ type }: Item) => type === 'function_call_output',
    );
    expect(outputs).toMatchObject([
      { output: '12' },
      { output: expect.stringMatching(/^not finished/) },
    ]);
  }
});

test('a response that is not there is a 404 with some servers', async () => {
  const server = await served(({ json }) =>
    json.previous_response_id === undefined
      ? responsesStream('fine')
      : responsesError(404, `Response with id '${json.previous_response_id}' not found.`),
  );
  const talk = startTalk(createResponses(), fakeEndpoint(`${server.url}/v1`));
  await talk.ask('One?');
  expect((await talk.ask('Two?')).text).toBe('fine');
  expect(server.requests[2]?.json.input).toHaveLength(3);
});

test('a server that tells too late that it went on from nothing: what it said is void, and it is asked anew', async () => {
  const server = await served(({ json }) => {
    const [created = '', ...rest] = responsesEvents([message('fine')], {
      more: { previous_response_id: null },
    });
    const silent = created.replace('"previous_response_id":null', '"x":null');
    return {
      body: json.previous_response_id === undefined ? [created, ...rest] : [silent, ...rest],
    };
  });
  const talk = startTalk(createResponses(), fakeEndpoint(`${server.url}/v1`));
  await talk.ask('One?');
  const kept = talk.chat;
  const { failure } = await talk.ask('Two?');
  expect(failure?.facts.kind).toBe('stream_dropped');
  talk.chat = kept;
  expect(await talk.ask('Two?')).toMatchObject({ text: 'fine', failure: undefined });
  expect(server.requests.at(-1)?.json).not.toHaveProperty('previous_response_id');
});

describe('a server that goes on from nothing', () => {
  const kinds: readonly [string, (json: Item) => ReturnType<typeof responsesError>][] = [
    [
      'and says so',
      () => responsesError(400, "Unknown parameter: 'previous_response_id'.", { code: 'unknown' }),
    ],
    [
      'and ignores the wish',
      () => responsesStream('I saw nothing.', { more: { previous_response_id: null } }),
    ],
  ];
  for (const [name, refuse] of kinds)
    test(`${name}: gets the whole conversation, and that is remembered by other processes`, async () => {
      const server = await served(({ json }) =>
        json.previous_response_id === undefined
          ? responsesStream('A kite.', { more: { previous_response_id: null } })
          : refuse(json),
      );
      const cacheFolder = temporaryFolder();
      const endpoint = fakeEndpoint(`${server.url}/v1`);
      const context = () => askContext({ cacheFolder });
      const talk = startTalk(createResponses(), endpoint, context);
      await talk.ask('What flies?');
      const second = await talk.ask('And what else?');
      expect([second.text, second.failure]).toEqual(['A kite.', undefined]);
      expect(second.warnings).toEqual([
        expect.stringMatching(/; sent the whole conversation instead$/),
      ]);
      expect(server.requests).toHaveLength(3);
      expect(server.requests[2]?.json.input).toHaveLength(3);
      const other = startTalk(createResponses(), endpoint, context);
      other.chat = talk.chat;
      expect((await other.ask('More?')).warnings).toEqual([]);
      expect(server.requests).toHaveLength(4);
      expect(server.requests[3]?.json).toMatchObject({ store: false });
    });
});

describe('a response that the chat names', () => {
  const named = (id: string): Chat => [
    { role: 'user', content: 'What flies?' },
    { role: 'assistant', content: 'A kite.' },
    { role: 'previous_response_id', content: id },
  ];
  /** A server that has kept a conversation which ends in `resp_1`. */
  async function known(settings: Record<string, unknown> = {}) {
    const all = await talkTo(settings, [
      [message('A kite.')],
      [message('A bird.')],
      [message('A bee.')],
    ]);
    await startTalk(createResponses(), all.endpoint).ask('What flies?');
    return all;
  }

  test('is gone on from: what stands before is not sent again', async () => {
    const { talk, server, inputs } = await known();
    talk.chat = named('resp_1');
    await talk.ask('What else?');
    await talk.ask('And more?');
    expect(server.requests.slice(1).map(({ json }) => json.previous_response_id)).toEqual([
      'resp_1',
      'resp_2',
    ]);
    expect(inputs().slice(1).map(typesOf)).toEqual([['user'], ['user']]);
    expect(JSON.stringify(inputs())).not.toContain('previous_response');
  });

  test('counts for nothing where that is switched off', async () => {
    const { talk, inputs, server } = await known(STATELESS);
    talk.chat = named('resp_1');
    await talk.ask('What else?');
    expect(server.requests[1]?.json).not.toHaveProperty('previous_response_id');
    expect(typesOf(inputs()[1] ?? [])).toEqual(['user', 'assistant', 'user']);
  });

  test('that the provider does not know any more: the whole conversation, with a warning, and on from there', async () => {
    const { talk, server, inputs } = await known();
    talk.chat = named('resp_gone');
    const { text, warnings } = await talk.ask('What else?');
    expect([text, warnings.length]).toEqual(['A bird.', 1]);
    expect(typesOf(inputs()[2] ?? [])).toEqual(['user', 'assistant', 'user']);
    await talk.ask('And more?');
    const other = startTalk(
      createResponses(),
      fakeEndpoint(`${server.url}/v1`, { model: 'fake-5' }),
    );
    other.chat = talk.chat.slice(0, -2);
    expect(await other.wire('And?')).toMatchObject({ previous_response_id: 'resp_2' });
    expect(server.requests.at(-1)?.json.previous_response_id).toBe('resp_2');
  });

  for (const id of ['', 'nil'])
    test(`"${id}" names none`, async () => {
      const { talk, server } = await known();
      talk.chat = [...named('resp_1'), { role: 'previous_response_id', content: id }];
      await talk.ask('What else?');
      expect(server.requests[1]?.json).not.toHaveProperty('previous_response_id');
    });
});

describe('calls of one answer share an id, or have none', () => {
  const without = { ...called('k1', 'count', '{}'), call_id: undefined };
  const rows: readonly (readonly [string, readonly Item[]])[] = [
    [
      'one id for both',
      [called('k1', 'count', '{"shelf":3}'), called('k1', 'count', '{"shelf":4}')],
    ],
    ['no id', [without as unknown as Item]],
  ];
  test.each(rows)(
    '%s: the reasoning goes back all the same, whole and in its place',
    async (_, calls) => {
      const { talk } = await talkTo({}, [[reasoning('rs_1', 'Count both.'), ...calls], []]);
      expect((await talk.ask('How many?')).failure).toBeUndefined();
      const wire = (await talk.wire()) as { input: Item[]; previous_response_id?: string };
      // The provider could not tell whose output is whose.
      expect(wire.previous_response_id).toBeUndefined();
      const ids = wire.input.map(({ type, call_id: call }) => [type ?? 'message', call] as const);
      const own = ids.filter(([type]) => type === 'function_call').map(([, id]) => id);
      expect(new Set(own).size).toBe(calls.length);
      expect(ids).toEqual([
        ['message', undefined],
        ['reasoning', undefined],
        ...own.map((id) => ['function_call', id]),
        ...own.map((id) => ['function_call_output', id]),
      ]);
    },
  );
});

test('the same warning in each round of a run: it is told once', async () => {
  const odd = [called('k1', 'count', '[1'), called('k2', 'count', '[2')];
  const { talk } = await talkTo({ previous_response: false }, [odd, [message('Done.')], []]);
  const told = [];
  for (const more of ['How many?', [], 'And?']) told.push((await talk.ask(more)).warnings);
  expect(told).toEqual([
    [],
    ['the arguments of a call of "count" are no JSON object; sent as {}'],
    [],
  ]);
});
