// What produced what: nodes, edges, the steps of a walk, and all that is known about its roots. Types only.

import type { ChatFacts, JobFacts } from './facts.ts';
import type { Address, Relation } from './places.ts';
import type { NodeTotals, ScopeTotals, TokenEvent } from './tokens.ts';
import type { ProvenanceWarning } from './warnings.ts';

/** What the walk found at a place. The same object for every visit. */
export type ProvenanceNode = ChatNode | JobNode;

export interface ChatNode {
  readonly kind: 'chat';
  readonly path: string;
  /** Undefined when the file could not be read. */
  readonly facts: ChatFacts | undefined;
}

export interface JobNode {
  readonly kind: 'job';
  readonly path: string;
  readonly facts: JobFacts;
}

/** Which receipt an `agent_job` edge comes from. */
export interface ReceiptDetail {
  readonly address: Address;
  readonly call_id: string | null;
  readonly tool_name: string | null;
  /** The reference as it was written. */
  readonly job: string;
}

/** From the one that mentions to the one that is mentioned, not with the data. */
export interface Edge {
  readonly from: ProvenanceNode;
  readonly to: ProvenanceNode;
  readonly relation: Relation;
  /** The walk came to `to` here first. */
  readonly first: boolean;
  /** `to` is a copy of the conversation of the job `from`: its result, or its own log. */
  readonly own: boolean;
  readonly detail: ReceiptDetail | null;
}

/** One step of the walk: a root (`edge` is null) or an edge. */
export interface Visit {
  readonly node: ProvenanceNode;
  readonly edge: Edge | null;
  /** The node was not met before; only then it is expanded. */
  readonly first: boolean;
}

/** What a walk found. Nodes are in the order of visits, edges in that of discovery. */
export interface Graph {
  readonly roots: readonly ProvenanceNode[];
  readonly nodes: readonly ProvenanceNode[];
  readonly edges: readonly Edge[];
}

/** Everything about the roots; what `prov/1` and every view is made of. */
export interface Provenance extends Graph {
  /** Those within the times asked for, in the order of first evidence. */
  readonly events: readonly TokenEvent[];
  readonly totals: ScopeTotals;
  /** In the order of `nodes`. */
  readonly nodeTotals: readonly NodeTotals[];
  /** Nodes that views leave out because their cost is that of their job: its result, its own log. */
  readonly hidden: ReadonlySet<ProvenanceNode>;
  readonly warnings: readonly ProvenanceWarning[];
  /** Events left out because they are known to lie outside of the times, and those whose time is not known (left out too, when times were asked for). */
  readonly leftOut: { readonly outside: number; readonly untimed: number };
}
