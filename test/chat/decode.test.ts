// Bytes of chat files: what is read, what is told, what is refused.

import { describe, expect, test } from 'vitest';
import { decode } from '../../src/chat/decode.ts';
import { parse } from '../../src/chat/parse.ts';
import type { Warning } from '../../src/types.ts';
import { bare } from '../helpers/nasty.ts';

const utf8 = (text: string) => new TextEncoder().encode(text);

function utf16(text: string, isLittle: boolean): Uint8Array {
  const view = new DataView(new ArrayBuffer(text.length * 2));
  for (let index = 0; index < text.length; index++)
    view.setUint16(index * 2, text.charCodeAt(index), isLittle);
  return new Uint8Array(view.buffer);
}

describe('what is not UTF-8', () => {
  for (const [name, bytes, offset, line, text] of [
    ['a lone byte', [0x61, 0xff, 0x62], 1, 1, 'a\ufffdb'],
    ['a byte on a later line', [0x61, 0x0a, 0x62, 0x0a, 0xff], 4, 3, 'a\nb\n\ufffd'],
    ['a cut character', [0x61, 0xc3], 1, 1, 'a\ufffd'],
    ['a cut character of four bytes', [0xf0, 0x9f, 0x90], 0, 1, '\ufffd'],
    ['an overlong form', [0xc0, 0x80], 0, 1, '\ufffd\ufffd'],
    ['another overlong form', [0x61, 0xe0, 0x80, 0x80], 1, 1, 'a\ufffd\ufffd\ufffd'],
    ['half a surrogate pair', [0xed, 0xa0, 0x80], 0, 1, '\ufffd\ufffd\ufffd'],
    ['beyond Unicode', [0xf4, 0x90, 0x80, 0x80], 0, 1, '\ufffd\ufffd\ufffd\ufffd'],
    ['after a true U+FFFD', [0xef, 0xbf, 0xbd, 0x80], 3, 1, '\ufffd\ufffd'],
  ] as const) {
    test(`${name} is replaced, with one warning that says where`, () => {
      const warnings: Warning[] = [];
      expect(
        decode(Uint8Array.from(bytes), { file: 'f.chat', warn: (each) => warnings.push(each) }),
      ).toBe(text);
      expect(warnings).toEqual([
        {
          code: 'bad-utf-8',
          message: `byte ${offset} is not UTF-8; it and others like it are read as U+FFFD`,
          origin: { file: 'f.chat', line },
        },
      ]);
    });
  }
});

describe('UTF-16 is sent as noise', () => {
  const text = 'system: be kind\r\nuser: señal 你好\r\n';
  for (const [name, bytes] of [
    ['little-endian with a mark', utf16(`\ufeff${text}`, true)],
    ['big-endian with a mark', utf16(`\ufeff${text}`, false)],
    ['little-endian without', utf16(text, true)],
    ['big-endian without', utf16(text, false)],
  ] as const) {
    test(`refused: ${name}`, () => {
      expect(() => decode(bytes, { file: 'f.chat' })).toThrow(
        expect.objectContaining({
          code: 'not-utf-8',
          exitCode: 2,
          at: { file: 'f.chat', line: 1 },
          message: expect.stringContaining('UTF-16'),
          next: expect.stringContaining('iconv'),
        }),
      );
    });
  }
});

describe('UTF-8', () => {
  for (const text of ['', 'a', 'a\0b', 'ab\0\0cd', '\0', '\ufeffuser: x', 'é🐌\u2028\ufffd']) {
    test(`${JSON.stringify(text)} is text`, () => {
      const warnings: Warning[] = [];
      expect(decode(utf8(text), { warn: (each) => warnings.push(each) })).toBe(text);
      expect(warnings).toEqual([]);
    });
  }

  test('a byte order mark hides nothing', () => {
    expect(bare(parse(decode(utf8('\ufeffsystem: x\n'))))).toEqual([
      { role: 'system', content: 'x' },
    ]);
  });
});
