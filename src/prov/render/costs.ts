// What requests cost, by the price of the model that served them. What has no price is unpriced, never free.

import type { Price } from '../../types.ts';
import { nodeTotals } from '../node-totals.ts';
import { total } from '../totals.ts';
import type { TokenCounts } from '../types/facts.ts';
import type { Provenance } from '../types/graph.ts';
import type { TokenEvent, TokenTotal } from '../types/tokens.ts';
import type { PriceEntry, Prices } from './prices.ts';

/** Why a request has no cost. */
export type Unpriced = 'usage unknown' | 'model unknown' | `no price for ${string}`;

export interface EventCost {
  /** In units of 10⁻¹² of the money of the price: whole numbers, whose sums are exact. `null`: unpriced. */
  readonly amount: number | null;
  readonly why: Unpriced | undefined;
  readonly entry: PriceEntry | undefined;
}

/** A sum of costs. */
export interface CostTotal {
  readonly amount: number;
  readonly priced: number;
  readonly unpriced: number;
  readonly conflicts: number;
  readonly unread?: true;
}

export interface Costs {
  of(event: TokenEvent): EventCost;
  sum(events: readonly TokenEvent[]): CostTotal;
  /** In the order of `provenance.nodes`, each event once. */
  readonly nodes: () => readonly { readonly direct: CostTotal; readonly aggregate: CostTotal }[];
  /** Prices that were used, each once, in the order of their first use. */
  readonly used: readonly PriceEntry[];
  /** Why requests are unpriced, with how many of them are. */
  readonly unpriced: ReadonlyMap<string, number>;
}

/** Cost of every event of a report. */
export function costs(provenance: Provenance, prices: Prices): Costs {
  const { events } = provenance;
  const known = new Map(events.map((event) => [event, costOf(event, prices)]));
  const of = (event: TokenEvent): EventCost => known.get(event) ?? costOf(event, prices);
  const used = new Set<PriceEntry>();
  const unpriced = new Map<string, number>();
  for (const { entry, amount, why } of known.values()) {
    if (entry !== undefined && amount !== null) used.add(entry);
    if (why !== undefined) unpriced.set(why, (unpriced.get(why) ?? 0) + 1);
  }
  const asMoney = (event: TokenEvent): TokenEvent => ({ ...event, tokens: moneyTokens(of(event)) });
  let ofNodes: ReturnType<Costs['nodes']> | undefined;
  return {
    of,
    sum: (some) => asCost(total(some.map(asMoney))),
    nodes() {
      // The money of each event as its tokens: so the sums count each event once, too.
      ofNodes ??= nodeTotals(provenance, events.map(asMoney)).map(({ direct, aggregate }) => ({
        direct: asCost(direct),
        aggregate: asCost(aggregate),
      }));
      return ofNodes;
    },
    used: [...used],
    unpriced,
  };
}

const PER_MILLION = 1e6;

/** Tokens of a request by price: what came from the cache and what was written to it are part of the prompt. */
function costOf({ tokens, model, endpoint }: TokenEvent, prices: Prices): EventCost {
  const { pt, ct, cct, cwt } = tokens;
  if (pt === null || ct === null) return unpriced('usage unknown');
  if (model === null) return unpriced('model unknown');
  const entry = prices.of(model, endpoint);
  if (entry === undefined) return unpriced(`no price for ${model}`);
  // A count that is not told is no cached token, as far as anybody knows.
  const read = cct ?? 0;
  const written = cwt ?? 0;
  const parts: readonly (readonly [keyof Price, number])[] = [
    ['input', Math.max(0, pt - read - written)],
    ['cache_read', read],
    ['cache_write', written],
    ['output', ct],
  ];
  let amount = 0;
  for (const [kind, count] of parts) {
    const price = entry.price[kind];
    if (count === 0) continue;
    if (price === undefined) return unpriced(`no price for ${kind} of ${model}`, entry);
    amount += count * Math.round(price * PER_MILLION);
  }
  return { amount, why: undefined, entry };
}

const unpriced = (why: Unpriced, entry?: PriceEntry): EventCost => ({ amount: null, why, entry });

function moneyTokens({ amount }: EventCost): TokenCounts {
  return { pt: amount, ct: 0, tt: 0, cct: null, cwt: null, rt: null };
}

const asCost = ({ tokens, events, unknown, conflicts, unread }: TokenTotal): CostTotal => ({
  amount: tokens.pt ?? 0,
  priced: events - unknown,
  unpriced: unknown,
  conflicts,
  ...(unread === undefined ? {} : { unread }),
});

const UNIT = 1e12;

/** What a total cost: at least so much where a chat of it cannot be read. */
export const costOfTotal = (cost: CostTotal, { unread }: Pick<TokenTotal, 'unread'>): CostTotal =>
  unread === true ? { ...cost, unread } : cost;

/** `0.0123`, `≥0.0123` where something is missing or disputed, `unpriced` where nothing has a price. */
export function costText(cost: CostTotal): string {
  const { amount, priced, unpriced: missing, conflicts, unread } = cost;
  if (priced === 0 && (missing > 0 || unread === true)) return 'unpriced';
  return `${unread === true || missing + conflicts > 0 ? '≥' : ''}${money(amount)}`;
}

/** Money with four digits behind the point, more where the amount is so small that they would say nothing. */
export function money(amount: number): string {
  const value = amount / UNIT;
  const isSmall = value > 0 && value < 0.01;
  return value.toFixed(isSmall ? Math.min(12, 3 - Math.floor(Math.log10(value))) : 4);
}

/** The same as a number. */
export const moneyValue = (amount: number | null): number | null =>
  amount === null ? null : amount / UNIT;
