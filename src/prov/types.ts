// What provenance is made of: nodes, edges, receipts, evidence, token events, totals. Types only.

import type { Failure } from '../errors.ts';
import type { JobError, JobStatus } from '../store/types.ts';
import type { Files, FilesNow } from '../world/types/files.ts';
import type { Locks } from '../world/types/locks.ts';
import type { Workers } from '../world/types/workers.ts';

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

/** What one chat file tells of requests and jobs. Holds no path, so that copies of a chat have equal facts. */
export interface ChatFacts {
  /** Its metas that stand for a request, in order. */
  readonly requests: readonly RequestRecord[];
  /** Receipts in outputs of its tool calls, in order. */
  readonly receipts: readonly Receipt[];
  /** References of its metas that mark a projection, in order, each with the index of the first message that has it. */
  readonly jobs: readonly JobReference[];
  readonly calls: CallCounts;
  readonly problems: readonly ChatProblem[];
}

export interface JobReference {
  readonly reference: string;
  readonly index: number;
}

/** Tool calls of a chat by how they ended. */
export interface CallCounts {
  readonly total: number;
  readonly failed: number;
  /** Without an output. */
  readonly open: number;
}

/** Something wrong in a chat, that does not stop its reading. */
export interface ChatProblem {
  readonly reason: WarningReason;
  readonly message: string;
  /** Message index, and where it is a receipt its key and entry. Absent: the whole chat. */
  readonly place?: Place;
  readonly call?: CallReference;
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

/** One record of a request: the fields of a meta, or of a receipt. */
export interface RequestFields {
  readonly inference?: string;
  /** The provider's id of the response. */
  readonly response?: string;
  /** Counts that are whole numbers from 0 on; others were reported and are unknown. */
  readonly tokens: TokenCounts;
  /** As served. */
  readonly model?: string;
  readonly endpoint?: string;
  /** UTC, ISO 8601. */
  readonly timestamp?: string;
  /** Seconds. */
  readonly duration?: number;
}

export interface RequestRecord extends RequestFields {
  /** Index of the meta message. */
  readonly index: number;
  /** Digest of the conversation before it and of the meta itself; only where no id identifies the request. */
  readonly lineage?: string;
  /** No message of the chat came from it. */
  readonly orphan?: true;
}

/** An entry of a tool output that tells of delegated work: a request, a job, or both of nothing else. */
export interface Receipt {
  readonly place: readonly [index: number, key: ReceiptKey, entry: number];
  readonly call: CallReference;
  /** Name of the agent that was asked, where the call tells it. */
  readonly agent?: string;
  readonly request?: RequestFields;
  readonly job?: string;
}

/** What is known of a job from its `.info`, its result and who holds it. Nothing is run to know it. */
export interface JobFacts {
  readonly workflow: string;
  readonly task: string;
  /** File name of the result. */
  readonly name: string;
  readonly status: JobStatus;
  readonly type?: string;
  /** References as they were written. */
  readonly dependencies: readonly string[];
  readonly error?: JobError;
  /** ISO 8601. */
  readonly issued?: string;
  readonly start?: string;
  readonly end?: string;
  /** Seconds. */
  readonly elapsed?: number;
  /** Its result is there. */
  readonly done: boolean;
  /** Why the `.info` could not be read. */
  readonly problem?: string;
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

/** Exact counts; `null` is unknown, never 0. */
export interface TokenCounts {
  readonly pt: number | null;
  readonly ct: number | null;
  readonly tt: number | null;
  readonly cct: number | null;
  readonly cwt: number | null;
  readonly rt: number | null;
}

export type TokenField = keyof TokenCounts;

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
}

export type ScopeTotals = Readonly<Record<Scope, TokenTotal>>;

/** What a walk found. Nodes are in the order of visits, edges in that of discovery. */
export interface Graph {
  readonly roots: readonly ProvenanceNode[];
  readonly nodes: readonly ProvenanceNode[];
  readonly edges: readonly Edge[];
}

/** What belongs to one node: `direct` its own requests, `aggregate` those of all that can be reached from it, each event once. */
export interface NodeTotals {
  readonly direct: TokenTotal;
  readonly aggregate: TokenTotal;
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

/** What is read at once. Files are loaded where there is no short way. */
export type ProvFiles = Omit<FilesNow, 'readShort'> & Partial<Pick<FilesNow, 'readShort'>>;

/** What reading provenance uses of the world. */
export interface ProvPorts {
  readonly files: Pick<Files, 'read' | 'stat'> & { readonly now: ProvFiles };
  /** Who holds a job that is not done. */
  readonly locks: Pick<Locks, 'holder' | 'isAlive'>;
  /** Absolute folders below which `Workflow/task/name` is looked for, first one first. */
  readonly jobFolders: readonly string[];
  /** Absolute. */
  readonly cwd: string;
  /** What was read before; nothing is remembered without it. */
  readonly memory?: Memory;
  /** Where the logs of many jobs are read beside the rest of the walk; all are read in turn without it. */
  readonly workers?: Workers;
}

/** Facts of files as they were when they were read. A cache: it may know nothing at any time. */
export interface Memory {
  /** What is known of the file at this path; the caller sees whether it is still the same file. */
  recall(path: string): Remembered | undefined;
}

/**
 * What tells one version of a file from another. Times are milliseconds; `later` is how long after its content its facts changed last: a file
 * whose time was set back after a change, as `touch -r` and copying programs do, is another version.
 */
export type Version = readonly [size: number, modified: number, inode: number, later: number];

export interface Remembered {
  readonly version: Version;
  readonly facts: unknown;
}
