// Blocks that a Messages answer had, given back to the provider: to the byte, in their order, and only as far back as is wanted.

import { describe, expect, test } from 'vitest';
import { prompt } from '../../src/chat/prompt.ts';
import { turnStart } from '../../src/chat/rounds.ts';
import type { Chat, Message } from '../../src/types.ts';
import {
  built,
  call,
  from,
  output,
  result,
  said,
  text,
  turns,
  use,
  user,
} from '../helpers/anthropic-turns.ts';
import type { Wire } from '../helpers/prompts.ts';

const kept = (...blocks: readonly object[]): Message => ({
  role: 'provider_content',
  content: JSON.stringify({ backend: 'anthropic', blocks }),
});

const thought = (thinking: string) => ({ type: 'thinking', thinking, signature: 'sig==' });

describe('saved blocks', () => {
  const first = thought('step one ');
  const hidden = { type: 'redacted_thinking', data: 'blob' };
  const loop = [
    user('q'),
    kept(first, hidden, text('Let me look. '), use('t1', 'look', { at: 'x' })),
    said('Let me look.'),
    call('t1', 'look', { at: 'x' }),
    output('t1'),
  ];

  test('go back byte for byte and in order, in place of text and calls', () => {
    expect(JSON.stringify(turns(loop))).toBe(
      JSON.stringify([
        from('user', text('q')),
        from('assistant', first, hidden, text('Let me look. '), use('t1', 'look', { at: 'x' })),
        from('user', result('t1')),
      ]),
    );
  });

  const rest = loop.slice(2);
  const changes: readonly [string, Chat, readonly object[]][] = [
    [
      'text that was edited counts',
      [user('q'), loop[1] as Message, said('Edited.'), ...loop.slice(3)],
      [text('Edited.'), use('t1', 'look', { at: 'x' })],
    ],
    [
      'text that was taken out stays out',
      [user('q'), loop[1] as Message, ...loop.slice(3)],
      [use('t1', 'look', { at: 'x' })],
    ],
    [
      'arguments that were edited count',
      [...loop.slice(0, 3), call('t1', 'look', { at: 'y' }), output('t1')],
      [text('Let me look.'), use('t1', 'look', { at: 'y' })],
    ],
    [
      'a call that was taken out stays out',
      [...loop.slice(0, 3), user('r')],
      [text('Let me look.')],
    ],
    [
      'a call of another name is another call',
      [...loop.slice(0, 3), call('t1', 'see', { at: 'x' }), output('t1')],
      [text('Let me look.'), use('t1', 'see', { at: 'x' })],
    ],
    [
      'a call that is not answered takes its blocks with it',
      loop.slice(0, 4),
      [text('Let me look.'), use('t1', 'look', { at: 'x' })],
    ],
    [
      'content that somebody made something else of',
      [
        user('q'),
        { role: 'provider_content', content: '{"backend":"anthropic","blocks":[7]}' },
        ...rest,
      ],
      [text('Let me look.'), use('t1', 'look', { at: 'x' })],
    ],
    [
      'content without blocks',
      [user('q'), kept(), ...rest],
      [text('Let me look.'), use('t1', 'look', { at: 'x' })],
    ],
    ['thinking that led to nothing', [user('q'), kept(first), user('r')], []],
  ];
  for (const [name, chat, expected] of changes)
    test(`do not go back when the chat says something else: ${name}`, () => {
      const sent = turns(chat).filter(({ role }: Wire) => role === 'assistant');
      expect(sent).toEqual(expected.length === 0 ? [] : [from('assistant', ...expected)]);
    });

  test('the order of keys and white space at the ends are no change', () => {
    const chat = [
      user('q'),
      kept(first, text('\nLook '), use('t1', 'look', { a: 1, b: { c: 2, d: 3 } })),
      said('Look'),
      call('t1', 'look', { b: { d: 3, c: 2 }, a: 1 }),
      output('t1'),
    ];
    expect(turns(chat)[1].content[0]).toEqual(first);
  });

  test('texts apart are compared with what the reader saw', () => {
    const blocks = [text('One.'), first, text('Two.')];
    expect(turns([user('q'), kept(...blocks), said('One.\n\nTwo.'), user('r')])[1].content).toEqual(
      blocks,
    );
  });

  test('arguments that were no JSON are no change either', () => {
    const chat = [user('q'), kept(first, use('t1')), call('t1', 'look', '{"a'), output('t1')];
    expect(turns(chat)[1].content).toEqual([first, use('t1')]);
    expect(built(chat).warnings).toEqual([]);
  });

  test('calls that they do not cover follow them', () => {
    const chat = [...loop.slice(0, 4), call('own'), output('t1'), output('own')];
    const sent = turns(chat);
    expect(sent[1].content.slice(-2)).toEqual([use('t1', 'look', { at: 'x' }), use('own')]);
    expect(sent[2].content).toEqual([result('t1'), result('own')]);
  });

  test('get valid and unique ids and names, and nothing else in them changes', () => {
    const blocks = (id: string) => [
      { ...use(id, 'notes.read', { at: 'x' }), caller: { type: 'direct' } },
      first,
    ];
    const chat = [
      user('q'),
      kept(...blocks('a b')),
      call('a b', 'notes.read', { at: 'x' }),
      output('a b'),
      kept(...blocks('a b')),
      call('a b', 'notes.read', { at: 'x' }),
      output('a b'),
    ];
    const [, one, firstResult, two, secondResult] = turns(chat);
    const [used, after] = one.content;
    expect(Object.keys(used)).toEqual(['type', 'id', 'name', 'input', 'caller']);
    expect([used.id, used.name]).toEqual([
      expect.stringMatching(/^a_b_[0-9a-f]{8}$/),
      expect.stringMatching(/^notes_read_[0-9a-f]{8}$/),
    ]);
    expect(after).toEqual(first);
    expect(two.content[0].id).toBe(`${used.id}_2`);
    expect(firstResult.content[0].tool_use_id).toBe(used.id);
    expect(secondResult.content[0].tool_use_id).toBe(`${used.id}_2`);
  });

  test('of a provider’s own tools go back untouched', () => {
    const blocks = [
      { type: 'server_tool_use', id: 'srv.1', name: 'web search', input: {} },
      { type: 'web_search_tool_result', tool_use_id: 'srv.1', content: [] },
      text('Found.'),
    ];
    expect(turns([user('q'), kept(...blocks), said('Found.'), user('r')])[1].content).toEqual(
      blocks,
    );
  });
});

describe('how far back thinking is given back', () => {
  const old = thought('old');
  const fresh = thought('fresh');
  const chat = [
    user('q'),
    kept(old, use('t1')),
    call('t1'),
    output('t1'),
    kept(old, text('A.')),
    said('A.'),
    user('r'),
    kept(fresh, use('t2')),
    call('t2'),
    output('t2'),
  ];
  const thinking = (history: string | undefined, messages: Chat = chat, start?: number) =>
    turns(messages, {
      turnStart: start ?? turnStart(messages),
      settings: { reasoning_history: history },
    })
      .flatMap(({ content }: Wire) => content)
      .filter(({ type }: Wire) => type === 'thinking')
      .map((block: Wire) => block.thinking);

  const rows: readonly [string | undefined, readonly string[]][] = [
    [undefined, ['old', 'old', 'fresh']],
    ['all', ['old', 'old', 'fresh']],
    ['turn', ['fresh']],
    ['drop', ['fresh']],
  ];
  for (const [history, expected] of rows)
    test(`${history}`, () => expect(thinking(history)).toEqual(expected));

  test('what stands before the last question keeps its text and calls', () => {
    const settings = { reasoning_history: 'turn' };
    expect(turns(chat, { turnStart: 6, settings }).slice(0, 4)).toEqual([
      from('user', text('q')),
      from('assistant', use('t1')),
      from('user', result('t1')),
      from('assistant', text('A.')),
    ]);
  });

  test('a tool loop that goes on keeps its thinking, wherever the question stands', () => {
    expect(thinking('turn', chat.slice(0, 4), 4)).toEqual(['old']);
    expect(thinking('turn', chat.slice(0, 6), 6)).toEqual([]);
    expect(thinking('turn', [...chat.slice(0, 4), user('and?')])).toEqual(['old']);
  });

  test('by default the history stays the same to the byte when the conversation goes on', () => {
    const sent = turns(chat);
    const later = turns([...chat, kept(fresh, text('B.')), said('B.'), user('s')]);
    expect(JSON.stringify(later.slice(0, sent.length))).toBe(JSON.stringify(sent));
  });
});

test('what another backend got is left out, and its ids are repaired', () => {
  const foreign = {
    role: 'provider_content',
    content: JSON.stringify({
      backend: 'openai',
      blocks: [{ type: 'reasoning_content', text: 'x' }],
    }),
  };
  const chat = [user('q'), foreign, call('call|fc.1'), output('call|fc.1'), said('A.'), user('r')];
  const sent = turns(prompt(chat, { backend: 'anthropic', warn: () => {} }));
  expect(JSON.stringify(sent)).not.toContain('reasoning_content');
  expect(sent[1].content[0].id).toMatch(/^call_fc_1_[0-9a-f]{8}$/);
  const ours = [user('q'), kept(thought('t'), text('A.')), said('A.'), user('r')];
  expect(prompt(ours, { backend: 'openai', warn: () => {} }).map(({ role }) => role)).toEqual([
    'user',
    'assistant',
    'user',
  ]);
});
