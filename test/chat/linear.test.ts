// Reading, writing and appending take work in proportion to the text, whatever the text. Work is counted, not timed: every
// code unit looked at, every distance that a search runs over.

import { describe, expect, test } from 'vitest';
import { append, appender, openBlock } from '../../src/chat/append.ts';
import { parseMeta } from '../../src/chat/meta.ts';
import { parse } from '../../src/chat/parse.ts';
import { print } from '../../src/chat/print.ts';

const lines = (count: number, line: (index: number) => string) =>
  Array.from({ length: count }, (_, index) => `${line(index)}\n`).join('');
const same = (line: string) => (size: number) =>
  lines(Math.ceil(size / (line.length + 1)), () => line);
const run = (part: string) => (size: number) => part.repeat(Math.ceil(size / part.length));

/** Texts of about a size. */
const SHAPES: Readonly<Record<string, (size: number) => string>> = {
  'plain lines': same('some words on a line'),
  'empty lines': same(''),
  'blank lines': same('   '),
  headers: same('user:'),
  'inline headers': same('user: x'),
  'one word': run('a'),
  'one line of spaces': run(' '),
  'carriage returns': run('\r'),
  CRLF: run('x\r\n'),
  'one line of backslashes': run('\\'),
  'backslashes before a tag': (size) => `${'\\'.repeat(size)}<a>`,
  'escaped lines': same('\\user: x'),
  'nearly escaped lines': same('\\ <a <b </c'),
  'brackets on one line': run('['),
  'bracket openers': same('[['),
  'bracket blocks': same('[[\nx\n]]'),
  'prompts on one line': run(':-- '),
  'command openers': same('sh:-- ls {{{'),
  'nearly command openers': same('sh:-- ls }}} {{'),
  'a tag that nobody closes on each line': same('<a>'),
  'names that all differ': (size) => lines(size / 8, (index) => `<a${index}>`),
  'names that all differ, closed once and opened twice': (size) =>
    lines(size / 24, (index) => `<a${index}>\n<a${index}>`) +
    lines(size / 24, (index) => `</a${index}>`),
  'many open tags and one that closes': (size) => `${same('<a>')(size)}</a>\n`,
  'tags inside each other': (size) => same('<a>')(size / 2) + same('</a>')(size / 2),
  'differing tags inside each other': (size) => {
    const count = Math.ceil(size / 16);
    return lines(count, (index) => `<a${index}>`) + lines(count, (index) => `</a${count - index}>`);
  },
  'tags on one line': (size) => `${run('<a>')(size)}</a>`,
  'tags on one line behind spaces': (size) => ' '.repeat(size / 2) + '<a></b>'.repeat(size / 14),
  'unfinished tags on one line': (size) => `<b>\n${run('<a ')(size)}\n</b>`,
  'unfinished closing tags on one line': run('</a'),
  'angle brackets on one line': (size) => `<b>\n${run('<')(size)}\n</b>`,
  'one long tag name': (size) => `<${'a'.repeat(size)}`,
  'fences with an info string': same('```js'),
  fences: same('```'),
  'fences that get shorter': (size) => {
    const longest = Math.floor(Math.sqrt(size / 2));
    return (
      lines(longest, (index) => `${'`'.repeat(3 + longest - index)}x`) + same('a ```')(size / 2)
    );
  },
  'fences inside each other': (size) => {
    const longest = Math.floor(Math.sqrt(size));
    return lines(longest, (index) => '`'.repeat(3 + index));
  },
  'one long fence': run('`'),
};

/** Runs something and counts its work on strings. */
function workOf(action: () => unknown): number {
  let work = 0;
  const prototype = String.prototype;
  const { charCodeAt, indexOf, lastIndexOf, slice, split, startsWith } = prototype;
  const count = <T>(amount: number, result: T): T => {
    work += amount;
    return result;
  };
  try {
    prototype.charCodeAt = function (at) {
      return count(1, charCodeAt.call(this, at));
    };
    prototype.indexOf = function (what, from = 0) {
      const found = indexOf.call(this, what, from);
      return count(1 + (found === -1 ? this.length - from : found - from), found);
    };
    prototype.lastIndexOf = function (this: string, what, from = this.length) {
      const found = lastIndexOf.call(this, what, from);
      return count(1 + Math.min(from, this.length) - Math.max(found, 0), found);
    };
    prototype.startsWith = function (what, at) {
      return count(what.length, startsWith.call(this, what, at));
    };
    prototype.split = function (this: string, ...args: Parameters<typeof split>) {
      return count(this.length, split.apply(this, args));
    } as typeof split;
    // A slice does not copy, but making one costs something.
    prototype.slice = function (from, to) {
      return count(1, slice.call(this, from, to));
    };
    action();
  } finally {
    Object.assign(prototype, { charCodeAt, indexOf, lastIndexOf, slice, split, startsWith });
  }
  return work;
}

const ACTIONS: Readonly<Record<string, (text: string) => unknown>> = {
  reading: (text) => parse(text),
  'looking for an open block': (text) => openBlock(text),
  writing: (content) => print([{ role: 'user', content }]),
  'appending where tags stand open': (content) =>
    append('<a>\n<a1>\n<b>\n<x>\n', [{ role: 'user', content: `${content}\n</x>` }]),
  'reading a meta': (text) => parseMeta(text),
};

for (const [action, act] of Object.entries(ACTIONS)) {
  describe(`${action} is linear in`, () => {
    for (const [shape, make] of Object.entries(SHAPES)) {
      test(shape, () => {
        const small = make(10_000);
        const large = make(40_000);
        const perUnit = workOf(() => act(small)) / small.length;
        expect(perUnit).toBeLessThan(40);
        expect(workOf(() => act(large)) / large.length).toBeLessThan(perUnit * 1.3 + 1);
      });
    }
  });
}

describe('appending one message after the other', () => {
  test('costs the same however long the chat is', () => {
    const added = [{ role: 'user', content: 'a line\n<b>\n</b>\n```\nx: 1\n```\n<a>' }];
    const adder = appender(`<a>\n${same('some words on a line')(100_000)}`);
    const first = workOf(() => adder.add(added));
    const later = Array.from({ length: 5 }, () => workOf(() => adder.add(added)));
    expect(Math.max(...later)).toBeLessThan(5000);
    expect(Math.max(...later)).toBeLessThan(first);
  });
});
