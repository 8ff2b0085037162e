// A conversation that the provider keeps: only what is new is sent, and what it has forgotten is sent anew. The server keeps conversations and
// refuses what the provider would refuse.

import { describe, expect, test } from 'vitest';
import { createResponses } from '../../src/backends/responses/backend.ts';
import type { Chat } from '../../src/types.ts';
import { askContext, fakeEndpoint } from '../helpers/asking.ts';
import { temporaryFolder } from '../helpers/folder.ts';
import { STATELESS, talkTo, typesOf, wholeTalk } from '../helpers/responses-keeping.ts';
import {
  type Item,
  message,
  responsesError,
  responsesEvents,
  responsesStream,
} from '../helpers/responses-replies.ts';
import { startTalk } from '../helpers/responses-talk.ts';
import { served } from '../helpers/served.ts';

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
