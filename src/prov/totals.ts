// Totals of token events, and which events each scope counts.

import { addEvent, emptySum, totalOf } from './sums.ts';
import type { Scope, ScopeTotals, TokenEvent, TokenTotal } from './types/tokens.ts';

export { hasUnknown } from './sums.ts';

/** Adds up events. A count is `null` when there are events and none of them has it. */
export function total(events: Iterable<TokenEvent>): TokenTotal {
  const sum = emptySum();
  for (const event of events) addEvent(sum, event);
  return totalOf(sum);
}

/**
 * The four totals. `deduplicated_total` counts every event once; `chat_evidence` those that a chat itself records, `receipt_evidence`
 * those that a receipt tells of (these two overlap and are never added); `receipt_only` those that nothing but receipts tells of.
 */
export function totals(events: readonly TokenEvent[]): ScopeTotals {
  const sums = {
    deduplicated_total: emptySum(),
    chat_evidence: emptySum(),
    receipt_evidence: emptySum(),
    receipt_only: emptySum(),
  };
  for (const event of events) for (const scope of scopesOf(event)) addEvent(sums[scope], event);
  return {
    deduplicated_total: totalOf(sums.deduplicated_total),
    chat_evidence: totalOf(sums.chat_evidence),
    receipt_evidence: totalOf(sums.receipt_evidence),
    receipt_only: totalOf(sums.receipt_only),
  };
}

/** The scopes that count an event. */
export function scopesOf({ evidence }: TokenEvent): readonly Scope[] {
  // Chats come first in the evidence.
  if (evidence[0].origin === 'agent_meta') return RECEIPT_SCOPES;
  return evidence.at(-1)?.origin === 'agent_meta' ? BOTH_SCOPES : CHAT_SCOPES;
}

const RECEIPT_SCOPES: readonly Scope[] = ['deduplicated_total', 'receipt_evidence', 'receipt_only'];
const CHAT_SCOPES: readonly Scope[] = ['deduplicated_total', 'chat_evidence'];
const BOTH_SCOPES: readonly Scope[] = ['deduplicated_total', 'chat_evidence', 'receipt_evidence'];
