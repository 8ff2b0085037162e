// The messages of a chat as turns of the Messages protocol: who says what, files, pairs and ids.

import { describe, expect, test } from 'vitest';
import { prompt } from '../../src/chat/prompt.ts';
import type { Attachment, Chat, Message } from '../../src/types.ts';
import {
  body,
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

const system = (content: string): Message => ({ role: 'system', content });

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
