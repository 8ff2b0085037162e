// Meta text and fields, token counts of providers, and the totals in force. The vectors name their cases.

import { describe, expect, test } from 'vitest';
import {
  currentMeta,
  type MetaFields,
  parseMeta,
  serializeMeta,
  tokensFromUsage,
  tokensOf,
} from '../../src/chat/meta.ts';
import type { Chat, Tokens, Warning } from '../../src/types.ts';
import { vectors } from '../helpers/vectors.ts';

interface Case {
  readonly name: string;
  readonly text: string;
  readonly fields: MetaFields;
  readonly same: boolean;
  readonly usage: unknown;
  readonly tokens: Tokens;
  readonly messages: Chat;
}

const cases =
  vectors<Readonly<Record<'serialize' | 'parse' | 'usage' | 'current', readonly Case[]>>>(
    'meta.json',
  );

describe('fields become text', () => {
  for (const { name, fields, text, same } of cases.serialize) {
    test(name, () => {
      // JSON has one kind of number: a float that happens to be whole is not told from an integer.
      expect(serializeMeta(fields)).toBe(text.replace('c=2.0', 'c=2'));
      if (same) expect(parseMeta(text)).toEqual(fields);
    });
  }
});

describe('text becomes fields', () => {
  for (const { name, text, fields } of cases.parse) {
    test(name, () => {
      expect(parseMeta(text)).toEqual(fields);
    });
  }
});

describe('usage becomes token counts', () => {
  for (const { name, usage, tokens } of cases.usage) {
    test(name, () => {
      expect(tokensFromUsage(usage)).toEqual(tokens);
    });
  }
});

describe('the totals in force', () => {
  for (const { name, messages, fields } of cases.current) {
    test(name, () => {
      expect(currentMeta(messages) ?? null).toEqual(fields);
    });
  }
});

describe('counts of a hand-made meta', () => {
  for (const [text, tokens, told] of [
    ['pt=NaN ct=4 tt=4', { ct: 4, tt: 4 }, ['pt=NaN']],
    ['pt=-7', {}, ['pt=-7']],
    ['pt=12abc', {}, ['pt=12abc']],
    ['pt=1e309', {}, ['pt=1e309']],
    ['pt=', {}, ['pt=']],
    ['pt=1.5', {}, ['pt=1.5']],
    ['pt=99999999999999999999', {}, ['pt=99999999999999999999']],
    ['pt=0012', { pt: 12 }, []],
    ['pt=10.0', { pt: 10 }, []],
    ['ct=5 rt=9', { ct: 5 }, ['rt=9']],
    ['rt=9', { rt: 9 }, []],
    ['model=x pt_c=-1', {}, []],
  ] as const) {
    test(`"${text}" never spreads through a sum`, () => {
      const warnings: Warning[] = [];
      const origin = { file: 'f.chat', line: 7 };
      expect(tokensOf(parseMeta(text), (each) => warnings.push(each), origin)).toEqual(tokens);
      expect(warnings.map(({ message }) => /^"(.*)" is not counted: /.exec(message)?.[1])).toEqual(
        told,
      );
      for (const warning of warnings)
        expect(warning).toMatchObject({ code: 'bad-token-count', origin });
    });
  }
});

describe('two meanings of input tokens', () => {
  for (const [name, usage, tokens] of [
    [
      'cached tokens inside the prompt count',
      {
        prompt_tokens: 100,
        prompt_tokens_details: { cached_tokens: 40 },
        completion_tokens: 10,
        total_tokens: 110,
      },
      { pt: 100, cct: 40, ct: 10, tt: 110 },
    ],
    [
      'cached tokens beside it, and no total',
      {
        input_tokens: 60,
        cache_read_input_tokens: 40,
        cache_creation_input_tokens: 5,
        output_tokens: 10,
      },
      { pt: 105, cct: 40, cwt: 5, ct: 10, tt: 115 },
    ],
    [
      'counts that are text',
      { prompt_tokens: '10', completion_tokens: '5' },
      { pt: 10, ct: 5, tt: 15 },
    ],
    [
      'counts that are none',
      { prompt_tokens: -1, completion_tokens: Number.NaN, total_tokens: '1x' },
      {},
    ],
  ] as const) {
    test(name, () => {
      expect(tokensFromUsage(usage)).toEqual(tokens);
    });
  }
});

describe('fields of a meta', () => {
  test('a value that begins with a quote does not reach into the next', () => {
    const fields = { a: '"x', b: 'y=" z', c: 'long enough to be the last' };
    expect(parseMeta(serializeMeta(fields))).toEqual(fields);
  });

  test('a number that would lose digits stays text', () => {
    expect(parseMeta('id=12345678901234567890')).toEqual({ id: '12345678901234567890' });
  });

  test('a field may have any name', () => {
    const fields = parseMeta('__proto__=1 constructor=2');
    expect(Object.entries(fields)).toEqual([
      ['__proto__', 1],
      ['constructor', 2],
    ]);
  });
});
