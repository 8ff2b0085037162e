// How what provenance speaks of is named: nodes, messages, receipts, calls. Types only.

export type NodeKind = 'chat' | 'job';

/** Relations in the order in which a node's are followed: `job`, `agent_job`, `log` of a chat; `dependency`, `log`, `result` of a job. */
export type Relation = 'job' | 'agent_job' | 'log' | 'dependency' | 'result';

/** The key of a tool output that holds receipts: `meta` as written today, `agent_meta` in older chats. */
export type ReceiptKey = 'meta' | 'agent_meta';

/** One persisted place: a chat, or a message of it (counted from 0), or an entry of the receipts that the message holds. */
export type Address =
  | readonly [path: string]
  | readonly [path: string, index: number]
  | readonly [path: string, index: number, key: ReceiptKey, entry: number];

/** A node by what identifies it. `path` is absolute and real: no link is left in it. */
export interface NodeReference {
  readonly kind: NodeKind;
  readonly path: string;
}

/** An address without its path. */
export type Place =
  | readonly [index: number]
  | readonly [index: number, key: ReceiptKey, entry: number];

export interface CallReference {
  /** As a text, also where the file has a number; `null` when the call has none. */
  readonly id: string | null;
  readonly tool: string | null;
}
