// Sums of token counts that keep apart what is 0 and what is not known. Plain fields: a store has a sum for each of its nodes.

import type { TokenCounts } from './types/facts.ts';
import type { TokenEvent, TokenTotal } from './types/tokens.ts';

/** Sums of the known counts, and for each how many events have it. */
export interface Sum {
  pt: number;
  ct: number;
  tt: number;
  cct: number;
  cwt: number;
  rt: number;
  /** A bit for each count that some event has. */
  known: number;
  events: number;
  unknown: number;
  conflicts: number;
}

export const emptySum = (): Sum => ({
  pt: 0,
  ct: 0,
  tt: 0,
  cct: 0,
  cwt: 0,
  rt: 0,
  known: 0,
  events: 0,
  unknown: 0,
  conflicts: 0,
});

const PT = 1;
const CT = 2;
const TT = 4;
const CCT = 8;
const CWT = 16;
const RT = 32;

/** Whether a count that every request has is not known of this one: sums with it are lower bounds. */
export const hasUnknown = ({ tokens: { pt, ct, tt } }: Pick<TokenEvent, 'tokens'>): boolean =>
  pt === null || ct === null || tt === null;

/** Adds an event to a sum. */
export function addEvent(sum: Sum, event: TokenEvent): void {
  const { pt, ct, tt, cct, cwt, rt } = event.tokens;
  sum.pt += pt ?? 0;
  sum.ct += ct ?? 0;
  sum.tt += tt ?? 0;
  sum.cct += cct ?? 0;
  sum.cwt += cwt ?? 0;
  sum.rt += rt ?? 0;
  sum.known |=
    (pt === null ? 0 : PT) |
    (ct === null ? 0 : CT) |
    (tt === null ? 0 : TT) |
    (cct === null ? 0 : CCT) |
    (cwt === null ? 0 : CWT) |
    (rt === null ? 0 : RT);
  sum.events++;
  if (pt === null || ct === null || tt === null) sum.unknown++;
  if (event.conflict) sum.conflicts++;
}

/** The sum of two sums of different events. */
export function plus(one: Readonly<Sum>, other: Readonly<Sum>): Sum {
  return {
    pt: one.pt + other.pt,
    ct: one.ct + other.ct,
    tt: one.tt + other.tt,
    cct: one.cct + other.cct,
    cwt: one.cwt + other.cwt,
    rt: one.rt + other.rt,
    known: one.known | other.known,
    events: one.events + other.events,
    unknown: one.unknown + other.unknown,
    conflicts: one.conflicts + other.conflicts,
  };
}

/** The sum of no event: zeros, since nothing is unknown about it. */
export const NO_TOKENS: TokenTotal = {
  tokens: { pt: 0, ct: 0, tt: 0, cct: 0, cwt: 0, rt: 0 },
  events: 0,
  unknown: 0,
  conflicts: 0,
};

/** A sum that lacks what is in chats that could not be read. Where they are all there is, nothing is known. */
export const unread = (total: TokenTotal): TokenTotal =>
  total.events === 0 ? NOT_READ : { ...total, unread: true };

const NOT_READ: TokenTotal = {
  tokens: { pt: null, ct: null, tt: null, cct: null, cwt: null, rt: null },
  events: 0,
  unknown: 0,
  conflicts: 0,
  unread: true,
};

/** A count is `null` where there are events and none has it. */
export function totalOf(sum: Readonly<Sum>): TokenTotal {
  const { known, events, unknown, conflicts } = sum;
  if (events === 0) return NO_TOKENS;
  const tokens: TokenCounts = {
    pt: (known & PT) === 0 ? null : sum.pt,
    ct: (known & CT) === 0 ? null : sum.ct,
    tt: (known & TT) === 0 ? null : sum.tt,
    cct: (known & CCT) === 0 ? null : sum.cct,
    cwt: (known & CWT) === 0 ? null : sum.cwt,
    rt: (known & RT) === 0 ? null : sum.rt,
  };
  return { tokens, events, unknown, conflicts };
}
