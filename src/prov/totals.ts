// Sums of token events. What is not known stays unknown: it is never taken for 0.

import { TOKEN_FIELDS } from '../chat/meta.ts';
import { UNKNOWN } from './request-fields.ts';
import type { Scope, ScopeTotals, TokenCounts, TokenEvent, TokenTotal } from './types.ts';

/** Adds up events. A count is `null` when there are events and none of them has it. */
export function total(events: Iterable<TokenEvent>): TokenTotal {
  const sum = createSum();
  for (const event of events) sum.add(event);
  return sum.total();
}

/**
 * The four totals. `deduplicated_total` counts every event once; `chat_evidence` those that a chat itself records, `receipt_evidence`
 * those that a receipt tells of (these two overlap and are never added); `receipt_only` those that nothing but receipts tells of.
 */
export function totals(events: readonly TokenEvent[]): ScopeTotals {
  const sums = {
    deduplicated_total: createSum(),
    chat_evidence: createSum(),
    receipt_evidence: createSum(),
    receipt_only: createSum(),
  };
  for (const event of events) for (const scope of scopesOf(event)) sums[scope].add(event);
  return {
    deduplicated_total: sums.deduplicated_total.total(),
    chat_evidence: sums.chat_evidence.total(),
    receipt_evidence: sums.receipt_evidence.total(),
    receipt_only: sums.receipt_only.total(),
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

/** The sum of no event: zeros, since nothing is unknown about it. */
export const NO_TOKENS: TokenTotal = {
  tokens: { pt: 0, ct: 0, tt: 0, cct: 0, cwt: 0, rt: 0 },
  events: 0,
  unknown: 0,
  conflicts: 0,
};

/** Whether a count that every request has is not known of this one: sums with it are lower bounds. */
export const hasUnknown = ({ tokens: { pt, ct, tt } }: Pick<TokenEvent, 'tokens'>): boolean =>
  pt === null || ct === null || tt === null;

interface Sum {
  add(event: TokenEvent): void;
  total(): TokenTotal;
}

function createSum(): Sum {
  const sums: Record<keyof TokenCounts, number | null> = { ...UNKNOWN };
  let events = 0;
  let unknown = 0;
  let conflicts = 0;
  return {
    add(event) {
      events++;
      if (event.conflict) conflicts++;
      if (hasUnknown(event)) unknown++;
      for (const field of TOKEN_FIELDS) {
        const count = event.tokens[field];
        if (count !== null) sums[field] = (sums[field] ?? 0) + count;
      }
    },
    total: () => (events === 0 ? NO_TOKENS : { tokens: { ...sums }, events, unknown, conflicts }),
  };
}
