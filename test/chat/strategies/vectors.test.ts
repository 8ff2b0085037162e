// Every case of the shared vectors: which tool messages are kept, shortened and dropped, and what the note counts.

import { describe, expect, test } from 'vitest';
import { STRATEGIES } from '../../../src/chat/strategies/index.ts';
import { growingRegions } from '../../../src/chat/strategies/regions.ts';
import { thresholds } from '../../../src/chat/strategies/thresholds.ts';
import type { Chat } from '../../../src/types.ts';
import { vectors } from '../../helpers/vectors.ts';
import { conversation, countsIn, statesOf } from './recipe.ts';

interface ShortenCase {
  readonly name: string;
  readonly strategy: string;
  readonly recipe: { readonly total: number; readonly variant: string };
  readonly states: string;
  readonly note: readonly { readonly compacted: number; readonly removed: number }[];
}

interface RegionCase {
  readonly total: number;
  readonly repeats: readonly number[];
  readonly epoch: number;
  readonly epoch_size: number;
  readonly pinned_total: number;
  readonly full: number;
  readonly compacted: number;
  readonly dropped: number;
}

describe('shortening', () => {
  const { cases } = vectors<{ cases: readonly ShortenCase[] }>('shorten.json');

  test.each(cases.map((each) => [each.name, each] as const))('%s', async (_, each) => {
    const input = conversation(each.recipe.total, each.recipe.variant);
    const output = (await STRATEGIES[each.strategy]?.(input, {
      settings: {},
      backend: 'openai',
    })) as Chat;
    expect(statesOf(input, output)).toBe(each.states);
    expect(countsIn(output)).toEqual(each.note);
  });
});

describe('boundaries of epochs that grow', () => {
  const { cases } = vectors<{ cases: readonly RegionCase[] }>('epoch-increment.json');

  test.each(cases.map((each) => [each.total, each.repeats.join(' '), each] as const))(
    'of %i calls with repeats at [%s]',
    (total, _, each) => {
      const found = growingRegions(total, (call) => each.repeats.includes(call), thresholds({}));
      expect(found).toEqual({
        epoch: each.epoch,
        epochSize: each.epoch_size,
        pinnedTotal: each.pinned_total,
        full: each.full,
        compacted: each.compacted,
        dropped: each.dropped,
      });
    },
  );
});
