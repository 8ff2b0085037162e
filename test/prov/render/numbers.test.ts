// Counts and money as people read them.

import { describe, expect, test } from 'vitest';
import { costText, money } from '../../../src/prov/render/costs.ts';
import { short, shortTotal, tokensText } from '../../../src/prov/render/numbers.ts';
import { total as sum } from '../../../src/prov/totals.ts';

const NO_TOKENS = sum([]);

describe('a count is short and never rounded up past its unit', () => {
  const rows: readonly (readonly [number, string])[] = [
    [0, '0'],
    [999, '999'],
    [1000, '1k'],
    [1049, '1k'],
    [1050, '1.1k'],
    [9949, '9.9k'],
    [9950, '10k'],
    [10_499, '10.5k'],
    [99_949, '99.9k'],
    [99_950, '100k'],
    [999_499, '999k'],
    [999_500, '1M'],
    [1_949_999, '1.9M'],
    [12_345_678, '12.3M'],
    [999_499_999, '999M'],
    [999_500_000, '1G'],
    [1_500_000_000, '1.5G'],
    [Number.MAX_SAFE_INTEGER, '9P'],
  ];
  for (const [count, text] of rows)
    test(`${count} is ${text}`, () => expect(short(count)).toBe(text));
});

describe('a total says what is not known of it', () => {
  const total = { ...NO_TOKENS, tokens: { ...NO_TOKENS.tokens, tt: 1200 }, events: 2 };
  const unknown = { ...total, tokens: { ...total.tokens, tt: null }, unknown: 2 };
  const rows = [
    { name: 'all is known', total, text: '1.2k' },
    { name: 'a request has no counts', total: { ...total, unknown: 1 }, text: '≥1.2k' },
    { name: 'copies of a request disagree', total: { ...total, conflicts: 1 }, text: '≥1.2k' },
    { name: 'nothing is known', total: unknown, text: '?' },
    { name: 'there was no request', total: NO_TOKENS, text: '0' },
  ];
  for (const { name, total: each, text } of rows)
    test(`${name}: ${text}`, () => expect(shortTotal(each)).toBe(text));

  test('exact counts name what is not known, too', () => {
    expect(tokensText({ pt: 1, ct: 0, tt: 1, cct: null, cwt: null, rt: null })).toBe(
      'pt=1 ct=0 tt=1 cct=? cwt=? rt=?',
    );
  });
});

describe('money', () => {
  const rows: readonly (readonly [number, string])[] = [
    [0, '0.0000'],
    [1e12, '1.0000'],
    [123_456_789_000_000, '123.4568'],
    [50_000_000_000, '0.0500'],
    [1_234_600_000, '0.001235'],
    [12, '0.000000000012'],
  ];
  for (const [amount, text] of rows)
    test(`${amount} units are ${text}`, () => expect(money(amount)).toBe(text));

  test('a sum of which something is missing is a lower bound, one of which all is, unpriced', () => {
    const sum = { amount: 1e12, priced: 1, unpriced: 0, conflicts: 0 };
    expect(costText(sum)).toBe('1.0000');
    expect(costText({ ...sum, unpriced: 1 })).toBe('≥1.0000');
    expect(costText({ ...sum, conflicts: 1 })).toBe('≥1.0000');
    expect(costText({ amount: 0, priced: 0, unpriced: 3, conflicts: 0 })).toBe('unpriced');
    expect(costText({ amount: 0, priced: 0, unpriced: 0, conflicts: 0 })).toBe('0.0000');
  });
});
