// The messages of a chat as turns of the Messages protocol: who says what, pairs and ids, saved blocks given back.

import { describe, expect, test } from 'vitest';
import { NOTHING_REFUSED, toBody } from '../../src/backends/anthropic/body.ts';
import type { PromptRequest } from '../../src/backends/types.ts';
import { prompt } from '../../src/chat/prompt.ts';
import { turnStart } from '../../src/chat/rounds.ts';
import type { Attachment, Chat, Message } from '../../src/types.ts';
import { fakeEndpoint, fakeRequest } from '../helpers/asking.ts';
import type { Wire } from '../helpers/prompts.ts';

type Rest = Partial<PromptRequest> & { readonly settings?: Record<string, unknown> };

const built = (chat: Chat, { settings, ...rest }: Rest = {}) => {
  const endpoint = fakeEndpoint('http://localhost:8080', {
    settings: { cache: false, ...settings },
  });
  return toBody(fakeRequest(endpoint, chat, rest), NOTHING_REFUSED);
};
const body = (chat: Chat, rest?: Rest): Wire => built(chat, rest).fields;
const turns = (chat: Chat, rest?: Rest): Wire => body(chat, rest).messages;

const user = (content: string): Message => ({ role: 'user', content });
const said = (content: string): Message => ({ role: 'assistant', content });
const system = (content: string): Message => ({ role: 'system', content });
const call = (id: unknown, name = 'look', args: unknown = {}): Message => ({
  role: 'function_call',
  content: JSON.stringify({ name, arguments: args, id }),
});
const output = (id: unknown, content: unknown = 'ok', more: object = {}): Message => ({
  role: 'function_call_output',
  content: JSON.stringify({ name: 'look', id, content, ...more }),
});
const kept = (...blocks: readonly object[]): Message => ({
  role: 'provider_content',
  content: JSON.stringify({ backend: 'anthropic', blocks }),
});

const text = (words: string) => ({ type: 'text', text: words });
const use = (id: string, name = 'look', input: object = {}) => ({
  type: 'tool_use',
  id,
  name,
  input,
});
const result = (id: string, content = 'ok') => ({
  type: 'tool_result',
  tool_use_id: id,
  content,
});
const thought = (thinking: string) => ({ type: 'thinking', thinking, signature: 'sig==' });
const from = (role: string, ...content: readonly object[]) => ({ role, content });

describe('who says what', () => {
  const rows: readonly [string, Chat, readonly object[]][] = [
    ['a question', [user('q')], [from('user', text('q'))]],
    [
      'messages of one side that stand together are one turn',
      [user('a'), user('b'), said('c'), said('d'), user('e')],
      [
        from('user', text('a'), text('b')),
        from('assistant', text('c'), text('d')),
        from('user', text('e')),
      ],
    ],
    [
      'a system message further down is said by the user, also between answers',
      [user('a'), system('It is late.'), said('b'), { role: 'developer', content: 'c' }, user('d')],
      [
        from('user', text('a'), text('It is late.')),
        from('assistant', text('b')),
        from('user', text('c'), text('d')),
      ],
    ],
    [
      'the first word is the user’s',
      [said('Hello.'), user('q')],
      [from('user', text('(empty)')), from('assistant', text('Hello.')), from('user', text('q'))],
    ],
    [
      'blank texts are left out; a side that says nothing says so',
      [user('a'), said(' \n'), said('b'), user('  '), said('c'), user('d'), user('\u00a0')],
      [
        from('user', text('a')),
        from('assistant', text('b')),
        from('user', text('(empty)')),
        from('assistant', text('c')),
        from('user', text('d')),
      ],
    ],
    [
      'a beginning to go on from ends without white space',
      [user('a'), said('The answer \t')],
      [from('user', text('a')), from('assistant', text('The answer'))],
    ],
    ['text is what a chat file gives back', [user(' a\r\nb \n')], [from('user', text('a\nb'))]],
  ];
  for (const [name, chat, expected] of rows)
    test(name, () => expect(turns(chat)).toEqual(expected));

  test('the system messages at the head are the system text', () => {
    const chat = [
      system('One.'),
      { role: 'developer', content: 'Two.' },
      system('\u00a0'),
      user('q'),
    ];
    expect(body(chat).system).toEqual([text('One.\n\nTwo.')]);
    expect(body([user('q')])).not.toHaveProperty('system');
    expect(body([system('  '), user('q')])).not.toHaveProperty('system');
  });

  test('a note comes last, from the user', () => {
    const notes = { note: 'Speak.' };
    expect(turns([user('q')], notes)).toEqual([from('user', text('q'), text('Speak.'))]);
    expect(turns([user('q'), said('a')], notes).at(-1)).toEqual(from('user', text('Speak.')));
  });

  test('empty and blank messages make every later request fail', () => {
    const chat = [
      user('q'),
      said(''),
      user(' '),
      call('a'),
      output('a', ''),
      output('b'),
      user('r'),
    ];
    const sent = turns(prompt(chat, { backend: 'anthropic', warn: () => {} }));
    expect(sent).toEqual([
      from('user', text('q')),
      from('assistant', use('a')),
      from('user', result('a', '(empty)'), text('r')),
    ]);
  });
});

describe('images and PDFs', () => {
  const attachments = new Map<string, Attachment>(
    [
      ['/a/pic.png', 'image/jpeg'],
      ['/a/x.pdf', 'application/pdf'],
    ].map(([path = '', mediaType = '']) => [path, { path, mediaType, base64: 'QUJD' }]),
  );
  const base64 = (media_type: string) => ({ type: 'base64', media_type, data: 'QUJD' });
  const url = (address: string) => ({ type: 'url', url: address });
  const rows: readonly [string, string, object][] = [
    ['image', '/a/pic.png', { type: 'image', source: base64('image/jpeg') }],
    ['image', '/a/x.pdf', { type: 'document', source: base64('application/pdf') }],
    ['pdf', '/a/x.pdf', { type: 'document', source: base64('application/pdf') }],
    ['image', 'https://x/y.png', { type: 'image', source: url('https://x/y.png') }],
    ['pdf', 'https://x/y.pdf', { type: 'document', source: url('https://x/y.pdf') }],
    ['image', 'data:image/png;base64,QUJD', { type: 'image', source: base64('image/png') }],
    [
      'pdf',
      'data:application/pdf;base64,QUJD',
      { type: 'document', source: base64('application/pdf') },
    ],
  ];
  for (const [role, content, block] of rows)
    test(`${role}: ${content}`, () => {
      const chat = [user('See'), { role, content }, user('What is it?')];
      expect(turns(chat, { attachments })).toEqual([
        from('user', text('See'), block, text('What is it?')),
      ]);
    });

  test('one that a tool made follows the results', () => {
    const chat = [user('q'), call('a'), output('a'), { role: 'image', content: '/a/pic.png' }];
    expect(turns(chat, { attachments }).at(-1)).toEqual(
      from('user', result('a'), { type: 'image', source: base64('image/jpeg') }),
    );
  });
});

describe('images of tools that pile up', () => {
  const rounds = (count: number) =>
    Array.from({ length: count }, (_, index) => [
      call(`t${index}`),
      output(`t${index}`),
      { role: 'image', content: `https://x/${index}.png` },
    ]).flat();
  const told = (count: number, more: Chat = []) =>
    turns([user('q'), ...more, ...rounds(count)])
      .flatMap(({ content }: Wire) => content)
      .filter((block: Wire) => block.text?.startsWith('[an older image'))
      .map((block: Wire) => block.text);

  test('the oldest are told in a line each, in steps', () => {
    expect([20, 21, 30, 31, 41].map((count) => told(count).length)).toEqual([0, 10, 10, 20, 30]);
    expect(told(21)[9]).toBe('[an older image of a tool is left out: 9.png]');
  });

  test('those of a person stay', () => {
    const own = Array.from({ length: 30 }, () => ({ role: 'image', content: 'https://x/y.png' }));
    expect(told(0, own)).toEqual([]);
    expect(told(20, own)).toEqual([]);
  });
});

describe('calls and results', () => {
  const rows: readonly [string, Chat, readonly object[]][] = [
    [
      'text, then calls, are one turn; their results one turn, before what the user says',
      [
        user('q'),
        said('Wait.'),
        call('a'),
        call('b'),
        output('b', 'B'),
        output('a', 'A'),
        user('r'),
      ],
      [
        from('user', text('q')),
        from('assistant', text('Wait.'), use('a'), use('b')),
        from('user', result('b', 'B'), result('a', 'A'), text('r')),
      ],
    ],
    [
      'results come first, whatever was said before them',
      [user('q'), call('a'), system('Note.'), output('a')],
      [
        from('user', text('q')),
        from('assistant', use('a')),
        from('user', result('a'), text('Note.')),
      ],
    ],
    [
      'what is no text is JSON, nothing is success, a failure says so',
      [
        user('q'),
        call(1),
        call(2),
        call(3),
        output(1, { n: 1 }),
        output(2, null),
        output(3, 'x', { exception: 'no' }),
      ],
      [
        from('user', text('q')),
        from('assistant', use('1'), use('2'), use('3')),
        from('user', result('1', '{"n":1}'), result('2', 'success'), {
          ...result('3', 'x'),
          is_error: true,
        }),
      ],
    ],
  ];
  for (const [name, chat, expected] of rows)
    test(name, () => expect(turns(chat)).toEqual(expected));

  const given: readonly [string, unknown, object, number][] = [
    ['an object', { a: 1 }, { a: 1 }, 0],
    ['text of an object', '{"a":1}', { a: 1 }, 0],
    ['empty text', ' ', {}, 0],
    ['nothing', null, {}, 0],
    ['text of nothing', 'null', {}, 0],
    ['text that is no JSON', '{"a"', {}, 1],
    ['a number', 42, {}, 1],
    ['a list', [1], {}, 1],
  ];
  for (const [name, args, input, told] of given)
    test(`arguments: ${name}`, () => {
      const chat = [user('q'), call('a', 'look', args), output('a')];
      expect(turns(chat)[1]).toEqual(from('assistant', use('a', 'look', input)));
      expect(built(chat).warnings).toEqual(
        told === 0 ? [] : ['the arguments of a call of "look" are no JSON object; sent as {}'],
      );
    });

  test('an output without its call is left out with a warning', () => {
    const chat = [user('q'), output('x'), user('r')];
    expect(turns(chat)).toEqual([from('user', text('q'), text('r'))]);
    expect(built(chat).warnings).toEqual(['a tool output without its call is left out (id "x")']);
  });

  test('a call with no result in the history: every later request is refused', () => {
    const warned: string[] = [];
    const chat = [
      user('q'),
      call('k1', 'count'),
      call('k2'),
      output('k2'),
      output('gone'),
      user('r'),
    ];
    const sent = turns(
      prompt(chat, { backend: 'anthropic', warn: ({ code }) => warned.push(code) }),
    );
    expect(sent.slice(1)).toEqual([
      from('assistant', use('k1', 'count'), use('k2')),
      from(
        'user',
        result('k2'),
        result('k1', expect.stringMatching(/^not finished/) as never),
        text('r'),
      ),
    ]);
    expect(warned.sort()).toEqual(['left-out', 'open-call']);
  });

  test('the same id twice in one conversation: unique on the wire, the same each time', () => {
    const chat = [
      user('q'),
      call('call_0', 'look', { n: 1 }),
      output('call_0', 'one'),
      said('a'),
      user('r'),
      call('call_0', 'look', { n: 2 }),
      output('call_0', 'two'),
      said('b'),
      user('s'),
    ];
    const sent = turns(chat);
    expect(sent[1]).toEqual(from('assistant', use('call_0', 'look', { n: 1 })));
    expect(sent[2]).toEqual(from('user', result('call_0', 'one')));
    expect(sent[5]).toEqual(from('assistant', use('call_0_2', 'look', { n: 2 })));
    expect(sent[6]).toEqual(from('user', result('call_0_2', 'two')));
    expect(turns(chat.slice(0, 7))).toEqual(sent.slice(0, 7));
  });

  test('ids and names of other providers are made valid, in calls and results alike', () => {
    const chat = [user('q'), call('functions.look:0', 'notes.read'), output('functions.look:0')];
    const tools = [{ name: 'notes.read', description: '', parameters: {} }];
    const [, calls, results] = turns(chat, { tools });
    const { id, name } = calls.content[0];
    expect(id).toMatch(/^functions_look_0_[0-9a-f]{8}$/);
    expect(results.content[0].tool_use_id).toBe(id);
    expect(name).toBe(body(chat, { tools }).tools[0].name);
    expect(name).toMatch(/^notes_read_[0-9a-f]{8}$/);
    // The tool may be gone: its name stays what it was.
    expect(turns(chat)[1].content[0].name).toBe(name);
  });
});

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
