// What a stored job is. Types only.

import type { Failure } from '../errors.ts';
import type { Chat } from '../types.ts';
import type { Inputs, JobContext, ResultType, Task } from '../workflows/types.ts';
import type { Clock } from '../world/types/clock.ts';
import type { Files } from '../world/types/files.ts';
import type { Locks } from '../world/types/locks.ts';
import type { Environment } from '../world/types/world.ts';

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
  /** Values in the order of `input_names`; older stores also have mappings. */
  readonly inputs?: unknown;
  readonly input_names?: readonly string[];
  /** What was set to something else than its default, with its value. */
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
  readonly progress?: JobProgress;
  readonly messages?: readonly string[];
  readonly exception?: unknown;
  /** The failure may pass: the next request computes the job again. */
  readonly recoverable?: boolean;
  readonly backtrace?: unknown;
  readonly [field: string]: unknown;
}

export interface JobProgress {
  readonly done: number;
  readonly total?: number;
  readonly message?: string;
}

export interface JobError {
  readonly class: string;
  readonly message: string;
  readonly recoverable: boolean;
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
  readonly error?: JobError;
  /** The live process that computes it, in words. */
  readonly holder?: string;
  /** Why the `.info` could not be read. The rest is then what the path and the result tell. */
  readonly problem?: string;
}

/** What the store uses of the world. */
export interface StoreWorld {
  readonly files: Files;
  readonly locks: Locks;
  readonly clock: Pick<Clock, 'now' | 'monotonic' | 'sleep' | 'id'>;
  readonly env: Environment;
  readonly cwd: string;
  readonly packageFolder: string;
}

/** Finds a task that another one, `from`, names as a dependency. Rejects with a Failure when there is none. */
export type FindTask = (workflow: string, task: string, from?: Task) => Task | Promise<Task>;

/** Every input of the task with its value, defaults included, from what was given. Rejects with a usage Failure that names the input. */
export type ReadInputs = (task: Task, given: Inputs) => Inputs | Promise<Inputs>;

/** A job that can be asked for: which work it is, and where its result belongs. */
export interface PlannedJob {
  readonly task: Task;
  /** Every input with its value, defaults included. */
  readonly inputs: Inputs;
  /** Inputs that are not at their default. */
  readonly changed: readonly string[];
  /** 32 hexadecimal digits made from workflow, task, inputs and dependencies; the job's name is no part of it. */
  readonly digest: string;
  /** File name of the result. */
  readonly name: string;
  /** Absolute path of the result, also of one that is not stored. */
  readonly path: string;
  readonly dependencies: readonly PlannedDependency[];
}

export interface PlannedDependency {
  /** What the task calls it. */
  readonly name: string;
  readonly job: PlannedJob;
}

/** How asking for one job ended. */
export type Outcome =
  | {
      readonly kind: 'done';
      readonly job: PlannedJob;
      /** Computed now, by this process; else it was there, or another process computed it. */
      readonly computed: boolean;
      /** Of a job that is not stored: what it computed. */
      readonly value?: unknown;
    }
  | {
      readonly kind: 'failed';
      readonly job: PlannedJob;
      /** Ready to be thrown: names the job that failed, says what it said, and how to see more. */
      readonly failure: Failure;
      readonly error: JobError;
      /** The job that failed: this one, or one that it depends on. */
      readonly culprit: PlannedJob;
    };

export type JobEvent =
  | { readonly kind: 'start'; readonly job: PlannedJob }
  | { readonly kind: 'wait'; readonly job: PlannedJob; readonly holder: string }
  | { readonly kind: 'progress'; readonly job: PlannedJob; readonly progress: JobProgress }
  | { readonly kind: 'log'; readonly job: PlannedJob; readonly text: string }
  | {
      readonly kind: 'end';
      readonly job: PlannedJob;
      readonly status: 'done' | 'error' | 'aborted';
      /** Seconds since `start`; absent when this process did not compute it. */
      readonly seconds?: number;
      readonly error?: JobError;
    };

/** Adds what tasks may use besides to the context of a job. */
export type JobHost = (job: PlannedJob, context: JobContext) => JobContext;

export interface Slots {
  /** Resolves when there is a place, which is then taken. Rejects with the signal's reason. */
  take(): Promise<Slot>;
  /** Nobody will ask any more: the signal is no longer listened to. */
  close(): void;
}

/** A place that can be left and entered again. Leaving one that was left does nothing. */
export interface Slot {
  leave(): void;
  enter(): Promise<void>;
}

/** Places for several that ask, each until its own signal stops it. */
export interface SharedSlots {
  of(signal: AbortSignal): Slots;
}

export interface ProduceOptions {
  /** How many jobs are computed at a time; default: as many as the machine has processors. */
  readonly cpus?: number;
  /** Places that this request shares with others, in place of `cpus`. */
  readonly slots?: SharedSlots;
  readonly signal?: AbortSignal;
  readonly onEvent?: (event: JobEvent) => void;
  readonly host?: JobHost;
}

/** The messages of a job that answers, or why it has none. */
export interface JobAnswer {
  /** Path of the job. */
  readonly job: string;
  readonly messages: Chat;
  readonly failure?: Failure;
}
