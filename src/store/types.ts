// What a stored job is. Types only.

import type { ResultType } from '../workflows/types.ts';

export type JobStatus =
  | 'waiting'
  | 'setup'
  | 'running'
  | 'streaming'
  | 'done'
  | 'error'
  | 'aborted';

/** The `.info` of a job as it stands on disk; fields this program does not know are kept. */
export interface JobInfo {
  readonly status?: JobStatus | string;
  readonly workflow?: string;
  readonly task_name?: string;
  readonly name?: string;
  readonly type?: ResultType | string;
  readonly inputs?: unknown;
  readonly input_names?: readonly string[];
  readonly provided_inputs?: unknown;
  readonly non_default_inputs?: unknown;
  /** Absolute paths. */
  readonly dependencies?: unknown;
  /** ISO 8601. */
  readonly issued?: string;
  readonly start?: string;
  readonly end?: string;
  /** Seconds. */
  readonly time_elapsed?: number;
  readonly total_time_elapsed?: number;
  readonly pid?: number;
  readonly pid_hostname?: string;
  readonly pid_started?: string;
  readonly messages?: readonly string[];
  readonly exception?: unknown;
  readonly backtrace?: unknown;
  readonly [field: string]: unknown;
}

/** A job as read from disk. Reading never runs anything. */
export interface Job {
  /** Absolute path of the result, whether it exists or not. */
  readonly path: string;
  readonly workflow: string;
  readonly task: string;
  readonly name: string;
  readonly status: JobStatus;
  readonly type: string | undefined;
  readonly info: JobInfo;
  /** Whether the result is there. */
  readonly done: boolean;
  /** The failure's message, also of older forms. */
  readonly error?: { readonly class: string; readonly message: string; readonly recoverable: boolean };
}
