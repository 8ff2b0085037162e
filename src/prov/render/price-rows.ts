// The prices that a report was made with, and what had none: without them a sum of money says little.

import type { Price } from '../../types.ts';
import type { TokenEvent } from '../types/tokens.ts';
import type { Costs, EventCost } from './costs.ts';
import { moneyValue } from './costs.ts';
import { counted } from './numbers.ts';
import type { PriceEntry } from './prices.ts';
import { foldedRow, type Page, row } from './rows.ts';

export function* priceRows({ used, unpriced }: Costs, page: Page): Generator<string> {
  yield row(
    [
      { text: 'prices', mark: 'heading' },
      { text: ' for a million tokens', mark: 'faint' },
    ],
    page,
  );
  for (const { model, price, date, source } of used)
    yield foldedRow(
      [{ text: `  ${model ?? 'any model'}  ` }, { text: amountsText(price) }],
      { text: `  ${date ?? 'no date'}, ${source}`, mark: 'faint' },
      page,
    );
  if (used.length === 0) yield row([{ text: '  none was used', mark: 'faint' }], page);
  for (const [why, count] of unpriced)
    yield row(
      [
        { text: '  unpriced  ', mark: 'strong' },
        { text: `${counted(count, 'request')}: ${why}`, gives: true },
      ],
      page,
    );
}

const amountsText = (price: Price): string =>
  Object.entries(price)
    .map(([kind, amount]) => `${kind} ${amount}`)
    .join(', ');

/** The same for programs. */
export function costDocument(costs: Costs, events: readonly TokenEvent[]): object {
  const { amount, priced, unpriced } = costs.sum(events);
  return {
    total: priced === 0 && unpriced > 0 ? null : moneyValue(amount),
    priced,
    unpriced,
    reasons: Object.fromEntries(costs.unpriced),
    prices: costs.used.map(priceObject),
  };
}

const priceObject = ({ model, price, date, source }: PriceEntry) => ({
  model: model ?? null,
  input: price.input ?? null,
  output: price.output ?? null,
  cache_read: price.cache_read ?? null,
  cache_write: price.cache_write ?? null,
  date: date ?? null,
  source,
});

/** Of one event: an amount, or why there is none. */
export const eventCostObject = ({ amount, why }: EventCost) => ({
  amount: moneyValue(amount),
  unpriced: why ?? null,
});
