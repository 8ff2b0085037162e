// Requests that were really made, whatever copies of their records there are, and sums over them. Types only.

import type { RequestFields, TokenCounts } from './facts.ts';
import type { Address } from './places.ts';

export type Deduplication =
  | 'inference_id'
  | 'provider_response_id'
  | 'legacy_lineage'
  | 'receipt_unresolved';

/** What makes two records the same request: a kind, and the id, the digest or the address. */
export type Identity = readonly [Deduplication, ...(string | number)[]];

export interface Evidence {
  readonly origin: 'chat_meta' | 'agent_meta';
  /** Path of the chat. */
  readonly source: string;
  readonly address: Address;
  readonly call_id: string | null;
  readonly tool_name: string | null;
  /** What this record says; only that of the first evidence is counted. */
  readonly request: RequestFields;
}

/** One real request, however often its record was copied. */
export interface TokenEvent {
  readonly inference_id: string | null;
  readonly identity: Identity;
  readonly deduplication: Deduplication;
  /** Of the first evidence alone. */
  readonly tokens: TokenCounts;
  readonly model: string | null;
  readonly endpoint: string | null;
  readonly timestamp: string | null;
  /** Evidence disagrees on `pt`, `ct`, `tt` or on the provider's id. */
  readonly conflict: boolean;
  /** Some evidence has the provider's id and some has none. */
  readonly incomplete_evidence: boolean;
  /** Never empty. Chats before receipts, each in the order of discovery. */
  readonly evidence: readonly [Evidence, ...Evidence[]];
}

/** Which events a total counts. `chat_evidence` and `receipt_evidence` overlap and are never added. */
export type Scope = 'deduplicated_total' | 'chat_evidence' | 'receipt_evidence' | 'receipt_only';

/** A sum over events. */
export interface TokenTotal {
  /** Sums of what is known. `null` where there are events and none has the count; 0 only for no event or real zeros. */
  readonly tokens: TokenCounts;
  readonly events: number;
  /** Events that lack the prompt, the completion or the total: the sum is then a lower bound. */
  readonly unknown: number;
  readonly conflicts: number;
  /** Some chat that it is about could not be read: then, too, it is a lower bound. */
  readonly unread?: true;
}

export type ScopeTotals = Readonly<Record<Scope, TokenTotal>>;

/** What belongs to one node: `direct` its own requests, `aggregate` those of all that can be reached from it, each event once. */
export interface NodeTotals {
  readonly direct: TokenTotal;
  readonly aggregate: TokenTotal;
}
