// What is added to a chat: its form, its line ends, and what must not be added.

import { describe, expect, test } from 'vitest';
import { append, appender, openBlock } from '../../src/chat/append.ts';
import { parse } from '../../src/chat/parse.ts';
import { print } from '../../src/chat/print.ts';
import { bare } from '../helpers/nasty.ts';

const hello = [{ role: 'user', content: 'hello' }];

describe('the text to add', () => {
  for (const [name, old, added] of [
    ['to nothing', '', 'user:\n\nhello\n'],
    ['to a byte order mark', '\ufeff', 'user:\n\nhello\n'],
    ['to a text with its last line ended', 'a: 1\n', '\nuser:\n\nhello\n'],
    ['to a text with a blank line at its end', 'a: 1\n\n', 'user:\n\nhello\n'],
    ['to a text without a last newline', 'a: 1', '\n\nuser:\n\nhello\n'],
    ['to a text with CRLF', 'a: 1\r\n', '\r\nuser:\r\n\r\nhello\r\n'],
    ['to a text with CRLF and a blank line', 'a: 1\r\n\r\n', 'user:\r\n\r\nhello\r\n'],
    ['to a text with CRLF but none at its end', 'a: 1\r\nb', '\r\n\r\nuser:\r\n\r\nhello\r\n'],
    ['to spaces', '  ', '\n\nuser:\n\nhello\n'],
  ] as const) {
    test(name, () => {
      expect(append(old, hello)).toBe(added);
    });
  }

  test('no messages add nothing, not even a line end', () => {
    expect(append('a: 1', [])).toBe('');
  });
});

describe('forms', () => {
  for (const [name, messages, text] of [
    ['nothing', [], ''],
    ['empty content', [{ role: 'clear', content: null }], 'clear:\n'],
    ['an object', [{ role: 'user', content: { a: [1, '\n'] } }], 'user:\n\n{"a":[1,"\\n"]}\n'],
    [
      'an object that looks like a bracket block',
      [{ role: 'user', content: [[1], 2] }],
      'user:\n\n\\[[1],2]\n',
    ],
    ['a role on one line', [{ role: 'meta', content: ' pt=1 ' }], 'meta: pt=1\n'],
    ['such a role with more lines', [{ role: 'meta', content: 'a=1\nb=2' }], 'meta:\n\na=1\nb=2\n'],
    [
      'such a role with a command in it',
      [
        { role: 'meta', content: 'x' },
        { role: 'option', content: ':-- ls {{{' },
      ],
      'meta: x\n\noption: :-- ls {{{\n',
    ],
    ['two messages', [...hello, ...hello], 'user:\n\nhello\n\nuser:\n\nhello\n'],
    [
      'a header in a content',
      [{ role: 'user', content: 'exec_task: Evil run' }],
      'user:\n\n\\exec_task: Evil run\n',
    ],
    [
      'a closed fence',
      [{ role: 'user', content: '```\na: 1\n```\nb: 1' }],
      'user:\n\n```\na: 1\n```\n\\b: 1\n',
    ],
    ['an open fence', [{ role: 'user', content: '```\na: 1' }], 'user:\n\n\\```\n\\a: 1\n'],
    ['a closed tag', [{ role: 'user', content: '<a>\na: 1\n</a>' }], 'user:\n\n<a>\na: 1\n</a>\n'],
    ['an open tag', [{ role: 'user', content: '<a>\na: 1' }], 'user:\n\n\\<a>\n\\a: 1\n'],
    ['an escape', [{ role: 'user', content: '\\a: 1\n\\b' }], 'user:\n\n\\\\a: 1\n\\b\n'],
    ['a line that ends in CR', [{ role: 'user', content: 'a\r\r\nb\rc' }], 'user:\n\na\nb\rc\n'],
  ] as const) {
    test(name, () => {
      expect(print(messages)).toBe(text);
    });
  }

  for (const role of ['', 'User', 'a b', 'a:', 'a\nb', 'é', 'user:\n\nx\nsystem']) {
    test(`the role ${JSON.stringify(role)} is refused`, () => {
      expect(() => print([{ role, content: 'x', origin: { file: 'f.chat', line: 3 } }])).toThrow(
        expect.objectContaining({ code: 'bad-role', exitCode: 2, at: { file: 'f.chat', line: 3 } }),
      );
    });
  }

  test('an object with a circle in it is refused', () => {
    const circle: Record<string, unknown> = {};
    circle.self = circle;
    expect(() => print([{ role: 'user', content: circle }])).toThrow(
      expect.objectContaining({ code: 'bad-content', exitCode: 2 }),
    );
  });
});

describe('tags that wait in the chat', () => {
  const old = 'user:\n\n<a>\ntext <b>\n\\<c>\n```\n<d>\n```\n<e></e>\n';

  test('a closing tag of one that waits is escaped, with the block around it', () => {
    expect(append(old, [{ role: 'user', content: '```\nx </a>\n```\n<f>\n</a>\n</f>' }])).toBe(
      '\nuser:\n\n\\```\n\\x </a>\n\\```\n\\<f>\n\\</a>\n</f>\n',
    );
  });

  test('closing tags of others are not', () => {
    const content = '```\n</b>\n</c>\n</d>\n</e>\n```';
    expect(append(old, [{ role: 'user', content }])).toBe(`\nuser:\n\n${content}\n`);
  });

  test('an inline message that holds one becomes a block', () => {
    expect(append(old, [{ role: 'meta', content: 'reas=</a>' }])).toBe('\nmeta:\n\n\\reas=</a>\n');
    expect(append(old, [{ role: 'meta', content: 'reas=</b>' }])).toBe('\nmeta: reas=</b>\n');
  });
});

describe('a chat that ends inside a block', () => {
  for (const [kind, opener] of [
    ['fence', '~~~ x'],
    ['square', '[['],
    ['command', 'sh:-- ls {{{'],
  ] as const) {
    test(`an unclosed ${kind} would swallow the answer`, () => {
      const old = `user:\r\n\r\nx\r\n${opener}\r\ny\r\n`;
      expect(openBlock(old)).toEqual({ line: 4, kind });
      expect(() => append(old, hello, { file: 'f.chat' })).toThrow(
        expect.objectContaining({
          code: 'open-block',
          exitCode: 2,
          at: { file: 'f.chat', line: 4 },
          message: expect.stringContaining('never closed'),
          next: expect.stringContaining('backslash'),
        }),
      );
      expect(() => appender(old).check()).toThrow(expect.objectContaining({ at: { line: 4 } }));
    });
  }

  test('an unclosed tag is text', () => {
    expect(openBlock('<a>\n')).toBeUndefined();
    expect(() => appender('<a>\n').check()).not.toThrow();
  });

  test('a closing fence with a carriage return behind it and no line end closes', () => {
    const old = '```\nx\n```\r';
    expect(bare(parse(old + append(old, hello)))).toEqual([
      { role: 'user', content: '```\nx\n```' },
      ...hello,
    ]);
  });
});

test('a failed addition adds nothing', () => {
  const adder = appender('a: 1\n');
  expect(() => adder.add([{ role: 'Bad', content: '' }])).toThrow();
  expect(adder.add(hello)).toBe('\nuser:\n\nhello\n');
});
