// What compiling may use of the world, as one interface. It only reads, except for the three sinks at its end.

import type { Failure } from '../errors.ts';
import type { Chat, Message, Origin, Warn } from '../types.ts';
import type { Files } from '../world/types/files.ts';

/** Where a name leads. A path is absolute and something is there; an address was not looked at. */
export type Place =
  | { readonly kind: 'path'; readonly path: string }
  | { readonly kind: 'url'; readonly url: string }
  | {
      readonly kind: 'missing';
      /** Every place that was tried, in order. */
      readonly tried: readonly string[];
      /** Names close to the one that was meant, written as it was written. */
      readonly nearest: readonly string[];
    };

/** `config: key value token…`: a setting of this run. Tokens say what it is for; without any it is for everything. */
export interface ConfigSetting {
  readonly key: string;
  readonly value: string;
  readonly tokens: readonly string[];
  readonly origin?: Origin;
}

/** `allow_path`, `allow_read_path`: a folder or file that this run's tools may use. Absolute. */
export interface Grant {
  readonly access: 'read' | 'write';
  readonly path: string;
  readonly origin?: Origin;
}

/** `Workflow task input=value… [jobname=x]`. */
export interface TaskRequest {
  readonly workflow: string;
  readonly task: string;
  /** As written. */
  readonly inputs: Readonly<Record<string, string>>;
  readonly jobname?: string;
}

/** How a task that a chat names ended. */
export type TaskOutcome =
  | { readonly path: string; readonly value?: unknown }
  | { readonly path: string; readonly failure: Failure };

/** A stored job as a chat shows it. */
export interface ShownJob {
  readonly path: string;
  readonly task: string;
  /** What was set to something else than its default. */
  readonly inputs: Readonly<Record<string, unknown>>;
  /** The result as text for a model; absent when the job has none. */
  readonly text?: string;
  /** Why it has none: ready to be thrown. */
  readonly failure?: Failure;
  readonly exception?: { readonly class: string; readonly message: string };
}

/** Tasks and stored jobs, for the roles that name them. */
export interface JobPort {
  /** Rejects with a Failure when there is no such workflow, task or input, or a value does not fit. Runs nothing. */
  check(request: TaskRequest): Promise<void>;
  /** Produces all tasks together; one outcome each, in their order. Rejects with a Failure for a task or an input that is not there. */
  produce(requests: readonly TaskRequest[]): Promise<readonly TaskOutcome[]>;
  /** Computes in place, stores nothing, and returns the value as text for a model. Rejects with its Failure. */
  execute(request: TaskRequest): Promise<string>;
  /** Reads a job by its path or `Workflow/task/name`, relative to a chat's folder or on the search path. Never runs it. Rejects when there is none. */
  read(reference: string, from: string | undefined): Promise<ShownJob>;
  /** The jobs that a stored job was made from, itself first. */
  lineage(reference: string, from: string | undefined): Promise<readonly ShownJob[]>;
}

export interface Ports extends Pick<Files, 'stat' | 'readStart' | 'list' | 'realPath'> {
  /** Absolute. */
  readonly cwd: string;
  /**
   * Tries a name relative to the file (or address) it stands in, then from the working directory, then below the `chats`
   * folders. What exists wins over an address of the same spelling. Names in a remote chat lead to its own host only.
   */
  find(name: string, from: string | undefined): Promise<Place>;
  /** Whole content of a remote address, at most `limit` bytes. Absent unless remote addresses are allowed. */
  readonly fetch?: (url: string, limit: number) => Promise<Uint8Array>;
  /** Tasks are listed through `warn` and left as they stand. */
  readonly noRun: boolean;
  readonly warn: Warn;
  /** Absent where nothing may be run or read (a reader that only looks). */
  readonly jobs?: JobPort;
  configure(setting: ConfigSetting): void;
  grant(grant: Grant): void;
}

/** What a stage knows of the chat it works on, beside its messages. */
export interface Scope {
  /** Path or address of the chat; names in messages that know no file of their own are relative to it. */
  readonly file?: string;
  /** The compiled messages of the chat that the message names. Rejects with a usage Failure when chats include each other. */
  include(place: Exclude<Place, { kind: 'missing' }>, message: Message): Promise<Chat>;
}

/** One step from messages to messages. Never changes the array or the messages it is given. */
export type Stage = (chat: Chat, ports: Ports, scope: Scope) => Promise<Chat> | Chat;
