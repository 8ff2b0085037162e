// What of a conversation is sent: reasoning in valid pairs, the same bytes each time, and only what the provider does not know already. The server
// keeps conversations and refuses what the provider would refuse.

import { describe, expect, test } from 'vitest';
import { createResponses } from '../../src/backends/responses/backend.ts';
import type { Chat, Message } from '../../src/types.ts';
import { STATELESS, talkTo, typesOf, wholeTalk } from '../helpers/responses-keeping.ts';
import { called, type Item, message, reasoning } from '../helpers/responses-replies.ts';
import { startTalk, type Talk } from '../helpers/responses-talk.ts';

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
