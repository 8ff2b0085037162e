// What a workflow is, whatever language it was written in. Types only.

import type { Failure } from '../errors.ts';
import type { Chat, MessageInput } from '../types.ts';

/** `path` stays a path; the content of a `file` is part of the job's identity. */
export type BaseInputType =
  | 'string'
  | 'text'
  | 'integer'
  | 'float'
  | 'boolean'
  | 'select'
  | 'path'
  | 'file';

export type InputType = BaseInputType | `${BaseInputType}_array`;

export interface TaskInput {
  readonly name: string;
  readonly type: InputType;
  readonly description: string;
  readonly required: boolean;
  readonly default?: unknown;
  /** Of a `select`. */
  readonly values?: readonly string[];
  /** Of an `integer` or a `float`: only these. */
  readonly numbers?: readonly number[];
  /** What else a value of the right type must be: the problem in words, or undefined. */
  readonly check?: (value: unknown) => string | undefined;
}

/** How a result is stored and read back. `text` and `string` are stored as they are, `chat` is chat text, the rest as JSON. */
export type ResultType =
  | 'string'
  | 'text'
  | 'integer'
  | 'float'
  | 'boolean'
  | 'array'
  | 'json'
  | 'chat'
  | 'tsv'
  | 'yaml'
  | 'binary';

export type Inputs = Readonly<Record<string, unknown>>;

export interface Dependency {
  /** What `job.dep` calls it: the task's name unless said otherwise. */
  readonly name: string;
  readonly workflow: string;
  readonly task: string;
  /** Values for the dependency's inputs; inputs of the same name that it does not set are passed on. */
  inputs(own: Inputs): Inputs;
}

export interface Task {
  readonly workflow: string;
  readonly name: string;
  readonly description: string;
  readonly inputs: readonly TaskInput[];
  readonly deps: readonly Dependency[];
  readonly result: ResultType;
  /** Not worth storing: computed in place, each time. */
  readonly exec: boolean;
  /** As a tool it answers with the path of its result. */
  readonly returnPath: boolean;
  /** Computes; the value, a stream or an async iterable of text or bytes. Rejects when it fails. */
  run(inputs: Inputs, job: JobContext): unknown;
}

/** An agent that the one with this workflow may hand work to. */
export interface Delegate {
  /** A name, or the path of a folder. */
  readonly name: string;
  /** What it is for, told to the model. */
  readonly description: string;
}

export interface Workflow {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  /** Absolute path of what defines it. */
  readonly file: string;
  readonly tasks: readonly Task[];
  readonly delegates?: readonly Delegate[];
  /** What kept some of it from being tasks; the rest can be used. */
  readonly problems?: readonly Failure[];
}

/** What a running task may use. */
export interface JobContext {
  /** Where the result will be; absolute. */
  readonly path: string;
  readonly name: string;
  /** Value of a dependency's result, read by its type. */
  dep(name: string): Promise<unknown>;
  /** Path of a dependency's result. */
  depPath(name: string): string;
  /** Absolute path below the job's artifact folder, which is made; names cannot leave it. */
  files(name?: string): string;
  progress(done: number, total?: number, message?: string): void;
  /** A line in the job's log. */
  log(text: string): void;
  /** Aborts when the job is to stop. */
  readonly signal: AbortSignal;
}

/** An agent as a task of a workflow has it: the same calls as `Agent` of the library, saved among the artifacts of the job. */
export interface JobAgent {
  user(text: string): this;
  add(...messages: readonly MessageInput[]): this;
  chat(): Promise<string>;
  ask(): Promise<Chat>;
  json<Value = unknown>(schema?: Readonly<Record<string, unknown>>): Promise<Value>;
  iterate<Result>(
    prompt: string,
    use: (item: string, index: number) => Result | Promise<Result>,
  ): Promise<Result[]>;
  iterateDictionary<Result>(
    prompt: string,
    use: (name: string, value: string) => Result | Promise<Result>,
  ): Promise<Result[]>;
  currentChat(): Promise<Chat>;
  newMessages(): Promise<Chat>;
}
