// What a token budget leaves for an answer.

import { expect, test } from 'vitest';
import { limited } from '../../src/ask/totals.ts';
import { fakeEndpoint } from '../helpers/asking.ts';

const rows: readonly [string, Record<string, unknown>, number | undefined, unknown][] = [
  ['no budget changes nothing', { max_tokens: 50 }, undefined, 50],
  ['a limit below the budget stays', { max_tokens: 50 }, 900, 50],
  ['a limit under its newer name stays too', { max_completion_tokens: 50 }, 900, 50],
  ['a limit above the budget is lowered', { max_completion_tokens: 5000 }, 900, 900],
  ['without a limit the budget is one', {}, 900, 900],
];

for (const [name, settings, left, expected] of rows)
  test(`the longest answer: ${name}`, () => {
    const endpoint = fakeEndpoint('http://127.0.0.1:9/v1', { settings });
    const { settings: sent } = limited(endpoint, { answerLimit: () => left }, 100);
    expect(sent.max_tokens ?? sent.max_completion_tokens).toBe(expected);
  });
