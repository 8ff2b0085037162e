import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  cells,
  padEnd,
  padStart,
  shortenEnd,
  shortenMiddle,
  wrap,
} from '../../src/terminal/width.ts';

const FAMILY = '👩‍👧';

describe('cells', () => {
  test.each([
    ['ASCII', 'abc', 3],
    ['ideographs', '表示', 4],
    ['an emoji of several characters', FAMILY, 2],
    ['a flag', '🇨🇿', 2],
    ['a letter with a combining accent', 'e\u0301', 1],
    ['a ligature', 'ﷺ', 1],
    ['a sequence of style', '\x1b[1mab\x1b[22m', 2],
    ['nothing', '', 0],
  ])('%s', (_name, text, width) => expect(cells(text)).toBe(width));
});

describe('shortenEnd', () => {
  test.each([
    ['what fits stays', 'abcde', 5, 'abcde'],
    ['the end gives way', 'abcdef', 5, 'abcd…'],
    ['a wide character is not cut in two', '表示表', 4, '表…'],
    ['an emoji is not taken apart', `a${FAMILY}b${FAMILY}`, 4, `a${FAMILY}…`],
    ['an accent stays with its letter', 'e\u0301e\u0301e\u0301', 2, 'e\u0301…'],
    ['a tab is spaces', 'a\tb', 20, 'a   b'],
    ['styles stay closed', '\x1b[31mabcdef\x1b[39m', 3, '\x1b[31mab…\x1b[39m'],
    ['one cell', 'abc', 1, '…'],
    ['no cell', 'abc', 0, ''],
    ['less than nothing', 'abc', -3, ''],
  ])('%s', (_name, text, room, fitted) => expect(shortenEnd(text, room)).toBe(fitted));
});

describe('shortenMiddle', () => {
  test.each([
    ['what fits stays', 'a/b.chat', 8, 'a/b.chat'],
    ['start and end stay', 'projects/notes/plan.chat', 12, 'proje…n.chat'],
    ['wide characters', '表表表表', 5, '表…表'],
    ['one cell', 'abc', 1, '…'],
    ['no cell', 'abc', 0, ''],
  ])('%s', (_name, text, room, shortened) => expect(shortenMiddle(text, room)).toBe(shortened));
});

describe('padding', () => {
  test.each([
    ['表', 4, '表  ', '  表'],
    ['🇨🇿', 3, '🇨🇿 ', ' 🇨🇿'],
    ['long', 2, 'long', 'long'],
    ['', 0, '', ''],
  ])('of %j to %i cells', (text, room, ended, started) => {
    expect(padEnd(text, room)).toBe(ended);
    expect(padStart(text, room)).toBe(started);
  });
});

describe('wrap', () => {
  test.each<[string, string, number, string[]]>([
    ['between words', 'one two three', 7, ['one two', 'three']],
    ['a word that is too long is cut', 'a abcdefgh', 4, ['a', 'abcd', 'efgh']],
    ['between ideographs, not before their comma', '一二三,四五', 6, ['一二', '三,四', '五']],
    ['own line ends stay', 'a\n\nb', 10, ['a', '', 'b']],
    ['spaces at a break go', 'ab   cd', 4, ['ab', 'cd']],
    ['one cell', 'ab c', 1, ['a', 'b', 'c']],
    ['no cell is one', 'ab', 0, ['a', 'b']],
    ['nothing', '', 5, ['']],
  ])('%s', (_name, text, room, rows) => expect(wrap(text, room)).toEqual(rows));
});

const texts = fc
  .array(
    fc.constantFrom(
      'a',
      'word',
      ' ',
      '表',
      '。',
      FAMILY,
      '🇨🇿',
      'e\u0301',
      '\t',
      '한국',
      '-',
      'ﾞ',
      '\u0301',
    ),
  )
  .map((parts) => parts.join(''));

describe('for any text and width', () => {
  test('nothing is wider than its room', () => {
    fc.assert(
      fc.property(texts, fc.integer({ min: 0, max: 30 }), (text, room) => {
        expect(cells(shortenEnd(text, room))).toBeLessThanOrEqual(room);
        expect(cells(shortenMiddle(text, room))).toBeLessThanOrEqual(room);
        for (const row of wrap(text, Math.max(2, room)))
          expect(cells(row)).toBeLessThanOrEqual(Math.max(2, room));
      }),
    );
  });

  test('wrapping loses nothing but spaces', () => {
    fc.assert(
      fc.property(texts, fc.integer({ min: 0, max: 30 }), (text, room) => {
        expect(wrap(text, room).join('').replace(/\s/g, '')).toBe(text.replace(/\s/g, ''));
      }),
    );
  });
});
