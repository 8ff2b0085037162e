// What is wrong with what was read. Types only.

import type { Failure } from '../../errors.ts';
import type { Address, NodeKind, Relation } from './places.ts';

export type WarningReason =
  // Receipts.
  | 'not_an_array'
  | 'not_a_hash'
  | 'empty_meta'
  | 'invalid_role'
  | 'invalid_content'
  | 'unparseable_meta'
  // The graph.
  | 'unresolved_job_reference'
  | 'moved_jobs'
  | 'identity_conflict'
  // Files.
  | 'unreadable'
  | 'broken_info'
  | 'too_large'
  | 'binary'
  | 'bad_utf_8'
  | 'unclosed_block'
  // Counts.
  | 'bad_token_count'
  | 'token_mismatch';

/** A problem as it is shown and as it stands in JSON. */
export interface ProvenanceWarning {
  readonly reason: WarningReason;
  /** Path of the file that it is about. */
  readonly source: string | null;
  readonly address: Address | null;
  readonly call_id: string | null;
  readonly tool_name: string | null;
  readonly message: string;
}

/** What `onError` of a walk is told, once for each problem. */
export interface Problem {
  readonly error: Failure;
  /** The node at which it came up; undefined for a root that is none. */
  readonly kind: NodeKind | undefined;
  readonly object: string;
  readonly relation: Relation | undefined;
  /** What could not be followed or read, as it was written. */
  readonly reference: string | undefined;
  readonly warning: ProvenanceWarning;
}

export type OnProblem = (problem: Problem) => void;
