// What one file tells: a chat of its requests, receipts and calls, an `.info` of its job. Types only.

import type { JobError, JobStatus } from '../../store/types.ts';
import type { CallReference, Place, ReceiptKey } from './places.ts';
import type { WarningReason } from './warnings.ts';

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
