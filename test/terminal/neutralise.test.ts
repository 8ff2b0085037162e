import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { harmlessJson, neutralise, neutralStream } from '../../src/terminal/neutralise.ts';

const SHOWN: readonly [name: string, text: string, shown: string][] = [
  ['plain text stays', 'a b\tc é 表 👩‍👧 🇨🇿', 'a b\tc é 表 👩‍👧 🇨🇿'],
  ['a colour sequence is not obeyed', '\x1b[31mred', '␛[31mred'],
  ['a title sequence is not obeyed', '\x1b]0;x\x07', '␛]0;x␇'],
  ['a clipboard sequence is not obeyed', '\x1b]52;c;aGk=\x1b\\', '␛]52;c;aGk=␛\\'],
  ['a screen is not cleared', '\x1b[2J\x0c', '␛[2J␌'],
  ['a backspace deletes nothing', 'ok\b\bno', 'ok␈␈no'],
  ['a lone carriage return overwrites nothing', 'safe\rrm', 'safe␍rm'],
  ['eight-bit controls are shown by number', '\x9b31m\x85', '<U+009B>31m<U+0085>'],
  ['NUL and DEL are shown', '\0\x7f', '␀␡'],
  [
    'overrides of direction reorder nothing',
    'a\u202etxt\u2066b\u2069',
    'a<U+202E>txt<U+2066>b<U+2069>',
  ],
  ['marks of direction that right-to-left text needs stay', 'א\u200fב', 'א\u200fב'],
  ['line separators are shown', 'a\u2028b\u2029', 'a<U+2028>b<U+2029>'],
  ['a line end in a name is shown', 'a\nerror: b', 'a␊error: b'],
];

describe('JSON', () => {
  test('of any text is escaped whole characters, and says the same', () => {
    const unit = fc.constantFrom(
      'a',
      '\\',
      '\\ud83d',
      '\ud83d',
      '\ude00',
      '🐌',
      '"',
      '\n',
      '\x1b',
      '\u2028',
    );
    fc.assert(
      fc.property(fc.array(unit), fc.array(unit), (name, parts) => {
        const whole = (units: string[]) => units.join('').replace(/\p{Surrogate}/gu, '\uFFFD');
        const json = harmlessJson({ [name.join('')]: parts.join('') });
        expect(json).not.toMatch(/[\x00-\x1f\u2028]/);
        expect(JSON.parse(json)).toEqual({ [whole(name)]: whole(parts) });
      }),
    );
  });
});

describe('neutralise', () => {
  test.each(SHOWN)('%s', (_name, text, shown) => {
    expect(neutralise(text)).toBe(shown);
    expect(neutralise(neutralise(text))).toBe(shown);
  });

  test.each([
    ['line feeds', 'a\n\nb\n', 'a\n\nb\n'],
    ['carriage return and line feed become a line feed', 'a\r\nb\r\n', 'a\nb\n'],
    ['a lone carriage return is shown', 'a\rb\r\r\n', 'a␍b␍\n'],
  ])('with keepLineEnds: %s', (_name, text, shown) => {
    expect(neutralise(text, { keepLineEnds: true })).toBe(shown);
  });

  test('what is shown does not depend on the pieces in which a text comes', () => {
    const texts = fc.array(
      fc.constantFrom(
        '\r',
        '\n',
        '\x1b',
        '[2J',
        ']52;c;',
        '\x07',
        'a',
        '👩',
        '\u200d',
        '\ud83d',
        '\u202e',
      ),
    );
    fc.assert(
      fc.property(texts, (parts) => {
        const stream = neutralStream();
        const joined = parts.map((part) => stream.push(part)).join('') + stream.end();
        expect(joined).toBe(neutralise(parts.join(''), { keepLineEnds: true }));
      }),
    );
  });

  test('no control character but tab and line feed is left of any text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 50 }), (text) => {
        expect(neutralise(text, { keepLineEnds: true })).not.toMatch(
          /[\x00-\x08\x0b-\x1f\x7f-\x9f]/,
        );
      }),
    );
  });
});
