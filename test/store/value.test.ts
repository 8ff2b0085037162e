// Results between value and stored form: what is read back is what was returned, and what would be lost is refused.

import { describe, expect, test } from 'vitest';
import { decode, encode } from '../../src/store/value.ts';
import type { ResultType } from '../../src/workflows/types.ts';

class Same {
  a = 1;
  toJSON() {
    return this;
  }
}

interface Kept {
  readonly type: ResultType;
  readonly value: unknown;
  readonly stored: string;
  /** What is read back, when it is not the value itself. */
  readonly read?: unknown;
}

const kept: readonly Kept[] = [
  { type: 'string', value: 'a\r\nb\n', stored: 'a\r\nb\n' },
  { type: 'string', value: '\ufeffbom', stored: '\ufeffbom' },
  { type: 'string', value: undefined, stored: '', read: '' },
  { type: 'text', value: 1.5, stored: '1.5', read: '1.5' },
  { type: 'chat', value: 'user: hi', stored: 'user: hi' },
  { type: 'integer', value: 42, stored: '42' },
  { type: 'integer', value: -1, stored: '-1' },
  { type: 'integer', value: ' 42\n', stored: ' 42\n', read: 42 },
  {
    type: 'integer',
    value: 2n ** 64n,
    stored: '18446744073709551616',
    read: '18446744073709551616',
  },
  { type: 'float', value: 0.1, stored: '0.1' },
  { type: 'float', value: 1e300, stored: '1e+300' },
  { type: 'float', value: '2.50\n', stored: '2.50\n', read: 2.5 },
  { type: 'boolean', value: false, stored: 'false' },
  { type: 'boolean', value: 'True\n', stored: 'True\n', read: true },
  { type: 'array', value: ['a', ' b ', 'c d'], stored: 'a\n b \nc d\n' },
  { type: 'array', value: [], stored: '' },
  { type: 'array', value: [''], stored: '[""]\n' },
  { type: 'array', value: ['a\nb', 'c'], stored: '["a\\nb","c"]\n' },
  { type: 'array', value: ['[1]', 'x'], stored: '["[1]","x"]\n' },
  { type: 'array', value: ['x', '[1]'], stored: 'x\n[1]\n' },
  { type: 'array', value: ['a\u2028b'], stored: 'a\u2028b\n' },
  { type: 'array', value: [1, { a: null }], stored: '[1,{"a":null}]\n' },
  { type: 'array', value: 'one\ntwo\n', stored: 'one\ntwo\n', read: ['one', 'two'] },
  { type: 'json', value: { a: [1, 'ä', null] }, stored: '{"a":[1,"ä",null]}\n' },
  { type: 'json', value: 'a text', stored: '"a text"\n' },
  { type: 'json', value: undefined, stored: 'null\n', read: null },
  { type: 'json', value: { a: undefined }, stored: '{}\n', read: {} },
  {
    type: 'json',
    value: new Date(0),
    stored: '"1970-01-01T00:00:00.000Z"\n',
    read: '1970-01-01T00:00:00.000Z',
  },
  {
    type: 'json',
    value: new Same(),
    stored: '{"a":1}\n',
    read: { a: 1 },
  },
  { type: 'yaml', value: { a: 1 }, stored: '{"a":1}\n' },
  { type: 'yaml', value: 'a: 1\nb: [x]\n', stored: 'a: 1\nb: [x]\n', read: { a: 1, b: ['x'] } },
  { type: 'tsv', value: 'a\tb\n', stored: 'a\tb\n' },
];

describe('a result', () => {
  for (const { type, value, stored, ...rest } of kept)
    test(`of type ${type} that is ${shown(value)} is kept as ${JSON.stringify(stored)}`, async () => {
      expect(encode(value, type)).toBe(stored);
      expect(await decode(Buffer.from(stored), type)).toEqual('read' in rest ? rest.read : value);
    });

  test('of bytes is kept byte for byte', async () => {
    const bytes = new Uint8Array([0, 255, 10, 13]);
    expect(encode(bytes, 'binary')).toBe(bytes);
    expect(await decode(bytes, 'binary')).toEqual(bytes);
    expect(encode(bytes, 'string')).toBe(bytes);
  });

  test('of a type that another program has is read as text', async () => {
    expect(await decode(Buffer.from('x'), 'marshal')).toBe('x');
    expect(await decode(Buffer.from('x'), 'constructor')).toBe('x');
    expect(await decode(Buffer.from('x'), undefined)).toBe('x');
  });
});

interface Refused {
  readonly type: ResultType;
  readonly value: unknown;
  readonly says: RegExp;
}

/** Lists in lists. */
function nested(depth: number): unknown {
  let value: unknown = [];
  for (let each = 1; each < depth; each++) value = [value];
  return value;
}

const circle: Record<string, unknown> = { a: {} };
circle.a = { back: circle };
const shared = { x: 1 };

const refused: readonly Refused[] = [
  { type: 'string', value: { a: 1 }, says: /the result is an object \(Object\)/ },
  { type: 'string', value: ['a'], says: /the result is a list/ },
  { type: 'chat', value: undefined, says: /the result is nothing/ },
  { type: 'tsv', value: [['a']], says: /the result is a list/ },
  { type: 'integer', value: 1.5, says: /the number 1\.5/ },
  { type: 'integer', value: 2 ** 60, says: /the number 1152921504606847000/ },
  { type: 'integer', value: Number.NaN, says: /NaN/ },
  { type: 'integer', value: 'twelve', says: /the text "twelve"/ },
  { type: 'integer', value: undefined, says: /nothing/ },
  { type: 'float', value: Number.POSITIVE_INFINITY, says: /Infinity/ },
  { type: 'float', value: '', says: /the text ""/ },
  { type: 'boolean', value: 1, says: /the number 1/ },
  { type: 'array', value: { a: 1 }, says: /an object/ },
  { type: 'array', value: [1, undefined], says: /result\[1\] is undefined/ },
  { type: 'json', value: { a: Number.NaN }, says: /result\.a is NaN/ },
  { type: 'json', value: { a: { b: [1n] } }, says: /result\.a\.b\[0\] is a big integer/ },
  { type: 'json', value: circle, says: /result\.a\.back holds itself/ },
  { type: 'json', value: nested(501), says: /it is nested more than 500 deep/ },
  { type: 'json', value: nested(100_000), says: /it is nested more than 500 deep/ },
  { type: 'yaml', value: nested(100_000), says: /it is nested more than 500 deep/ },
  { type: 'array', value: nested(100_000), says: /it is nested more than 500 deep/ },
  { type: 'json', value: { m: new Map([[1, 2]]) }, says: /result\.m is a Map/ },
  { type: 'json', value: { s: new Set([1]) }, says: /result\.s is a Set/ },
  { type: 'json', value: { f: () => 1 }, says: /result\.f is a function/ },
  { type: 'json', value: { p: Promise.resolve(1) }, says: /result\.p is a Promise/ },
  { type: 'json', value: { e: new Error('x') }, says: /result\.e is a Error/ },
  { type: 'json', value: { b: new Float64Array(2) }, says: /result\.b is a Float64Array/ },
  { type: 'json', value: Symbol('x'), says: /the result is a symbol/ },
  { type: 'json', value: Buffer.from('{"a":'), says: /the stored text is the text "\{\\"a\\":"/ },
  { type: 'binary', value: 'text', says: /the text "text"/ },
];

describe('a result that would be lost or changed is refused', () => {
  for (const { type, value, says } of refused)
    test(`${type}: ${says.source}`, () => {
      expect(() => encode(value, type)).toThrow(says);
      try {
        encode(value, type);
      } catch (error) {
        expect(error).toMatchObject({ code: 'bad-result', exitCode: 1 });
      }
    });

  test('but not a value that stands in two places', () => {
    expect(encode([shared, shared], 'json')).toBe('[{"x":1},{"x":1}]\n');
  });

  test('and a stored text that does not fit its type is told', async () => {
    await expect(decode(Buffer.from('{'), 'json')).rejects.toThrow(
      /type json cannot be stored or read/,
    );
    await expect(decode(Buffer.from('a: [b'), 'yaml')).rejects.toThrow(/type yaml/);
  });

  for (const [type, text] of [
    ['json', '['.repeat(501) + ']'.repeat(501)],
    ['json', '['.repeat(100_000) + ']'.repeat(100_000)],
    ['array', '['.repeat(100_000) + ']'.repeat(100_000)],
    ['yaml', '['.repeat(600) + ']'.repeat(600)],
    ['yaml', '['.repeat(10_000) + ']'.repeat(10_000)],
    ['yaml', '&a [x, *a]'],
    ['yaml', '&a {b: *a, c: *a}'],
  ] as const)
    test(`a stored ${type} of ${text.length} characters, nested too deep, is told and not "unexpected"`, async () => {
      await expect(decode(Buffer.from(text), type)).rejects.toMatchObject({
        code: 'bad-result',
        message: expect.stringMatching(/nested more than 500 deep$/),
      });
    });

  test('but not one that is as deep as can be', async () => {
    const text = '['.repeat(500) + ']'.repeat(500);
    expect(await decode(Buffer.from(text), 'json')).toEqual(nested(500));
    expect(encode(nested(500), 'json')).toBe(`${text}\n`);
  });
});

function shown(value: unknown): string {
  return typeof value === 'bigint' ? `${value}n` : (JSON.stringify(value) ?? String(value));
}
