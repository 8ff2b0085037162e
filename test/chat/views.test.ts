// Other forms of a chat, and what is selected of it.

import { describe, expect, test } from 'vitest';
import { parse } from '../../src/chat/parse.ts';
import { nearestRole } from '../../src/chat/roles.ts';
import { answer, lastExchange, lastMessage } from '../../src/chat/select.ts';
import { brief, fromJson, markdown, toJson } from '../../src/chat/views.ts';
import { bare } from '../helpers/nasty.ts';

const chat = parse(
  'system: be kind\nuser:\n\nWhat?\nmeta: pt=1\nassistant:\n\nThis:\n\n```\ncode\n```\n\nuser: And\nuser:\n\nthen\tor  now?\n\nassistant:\n\nLater.\n',
);

describe('brief', () => {
  const digest = (text: string) => `${'0'.repeat(7)}${text.length % 10}ffff`;

  test('one line a message', () => {
    expect(brief(parse('clear:\nuser: 🐌\nassistant:\n\na\n\n\tb\n'), { digest })).toBe(
      'clear: (0 characters, 00000000)\nuser: 🐌 (1 character, 00000002)\nassistant: a b (5 characters, 00000005)\n',
    );
  });

  test('long contents are cut between characters', () => {
    const [line = ''] = brief([{ role: 'user', content: '🐌'.repeat(1000) }], { digest }).split(
      '\n',
    );
    expect(line).toBe(`user: ${'🐌'.repeat(59)}… (1000 characters, 00000000)`);
  });

  test('expanded roles are whole, as chat text', () => {
    const text = brief(parse('system: x\nuser:\n\na\n\\b: 1\n'), { digest, expand: ['user'] });
    expect(text).toBe('system: x (1 character, 00000001)\nuser:\n\na\n\\b: 1\n\n');
  });
});

describe('markdown', () => {
  test('the turns of user and assistant below headings', () => {
    expect(markdown(chat)).toBe(
      '## User\n\nWhat?\n\n## Assistant\n\nThis:\n\n```\ncode\n```\n\n## User\n\nAnd\n\n## User\n\nthen\tor  now?\n\n## Assistant\n\nLater.\n',
    );
  });

  test('an open fence does not swallow the next heading', () => {
    const open = [
      { role: 'assistant', content: 'x\n~~~~js\ncode' },
      { role: 'user', content: 'y' },
    ];
    expect(markdown(open)).toBe('## Assistant\n\nx\n~~~~js\ncode\n~~~~\n\n## User\n\ny\n');
  });
});

describe('JSON', () => {
  test('there and back', () => {
    expect(bare(fromJson(toJson(chat), 'f.json'))).toEqual(bare(chat));
    expect(toJson(parse('a: 1\nb: 2\n'))).toBe(
      '[\n{"role":"a","content":"1"},\n{"role":"b","content":"2"}\n]\n',
    );
    expect(toJson([])).toBe('[]\n');
  });

  test('content of any kind, a byte order mark, and further keys', () => {
    expect(fromJson('\ufeff[{"role":"a","content":[1],"x":2},{"role":"b"}]', 'f.json')).toEqual([
      { role: 'a', content: [1] },
      { role: 'b', content: null },
    ]);
  });

  for (const [text, why] of [
    ['{"role":"a"}', 'it holds no list'],
    ['[{"role":"a"},3]', 'entry 2 of the list is no object'],
    ['[{"content":"a"}]', 'entry 1 of the list has no "role" that is a string'],
    ['[{"role":1}]', 'entry 1 of the list has no "role" that is a string'],
    ['[', 'JSON'],
  ] as const) {
    test(`${text} is refused`, () => {
      expect(() => fromJson(text, 'f.json')).toThrow(
        expect.objectContaining({
          code: 'bad-json',
          exitCode: 2,
          message: expect.stringMatching(new RegExp(`^cannot read "f.json" as messages: .*${why}`)),
        }),
      );
    });
  }
});

describe('selections', () => {
  test('the last answer', () => {
    expect(answer(chat)).toBe('Later.');
    expect(answer(parse('assistant: a\nassistant:\nuser: b\n'))).toBe('a');
    expect(answer(parse('user: b\n'))).toBeUndefined();
  });

  test('the last exchange begins with the whole question', () => {
    expect(bare(lastExchange(chat))).toEqual(bare(chat.slice(-3)));
    expect(lastExchange(parse('user: a\nassistant: b\nmeta: c=1\nuser: d\n'))).toHaveLength(1);
    expect(lastExchange(parse('system: a\n'))).toHaveLength(1);
    expect(lastExchange([])).toEqual([]);
  });

  test('the last message leaves bookkeeping out', () => {
    expect(lastMessage(parse('user: a\nskip: b\nmeta: c=1\n'))?.content).toBe('a');
    expect(lastMessage([])).toBeUndefined();
  });
});

describe('the nearest role', () => {
  for (const [name, nearest] of [
    ['usr', 'user'],
    ['USER', 'user'],
    ['asistant', 'assistant'],
    ['function_calls', 'function_call'],
    ['note', undefined],
    ['x', undefined],
    ['', undefined],
  ] as const) {
    test(`of "${name}" is ${nearest}`, () => {
      expect(nearestRole(name)).toBe(nearest);
    });
  }
});
