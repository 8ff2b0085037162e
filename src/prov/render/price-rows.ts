// The prices that a report was made with, and what had none: without them a sum of money says little.

import type { Price } from '../../types.ts';
import type { TokenEvent } from '../types/tokens.ts';
import type { Costs, EventCost } from './costs.ts';
import { moneyValue } from './costs.ts';
import { counted } from './numbers.ts';
import type { PriceEntry } from './prices.ts';
import { fits, foldedRow, type Page, type Piece, row } from './rows.ts';

export function* priceRows({ used, unpriced }: Costs, page: Page): Generator<string> {
  yield row(
    [
      { text: 'prices', mark: 'heading' },
      { text: ' for a million tokens', mark: 'faint' },
    ],
    page,
  );
  for (const entry of used) yield* priceRow(entry, page);
  if (used.length === 0) yield row([{ text: '  none was used', mark: 'faint' }], page);
  for (const [why, count] of unpriced)
    yield foldedRow(
      [{ text: '  unpriced  ', mark: 'strong' }],
      { text: `${counted(count, 'request')}: ${why}` },
      page,
    );
}

/** In one row or in several: no amount is cut. */
function* priceRow({ model, price, date, source }: PriceEntry, page: Page): Generator<string> {
  const lead: Piece[] = [{ text: `  ${model ?? 'any model'}  ` }, { text: amountsText(price) }];
  const origin = `${date ?? 'no date'}, ${source}`;
  if (fits(lead, page)) return yield foldedRow(lead, { text: `  ${origin}`, mark: 'faint' }, page);
  yield foldedRow(lead.slice(0, 1), { text: amountsText(price) }, page);
  yield foldedRow([], { text: `      ${origin}`, mark: 'faint' }, page);
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
