// What a workflow file calls: the words of a definition, typed, kept as they are. Checks and runs nothing, loads nothing.

import type { output, ZodType } from 'zod';
import type { JobContext, ResultType } from './types.ts';

/** Inputs by name. Description, default, choices and bounds of a schema become those of the input. */
export type InputShape = Readonly<Record<string, ZodType>>;

/** What `run` gets: every input with the type that its schema gives. */
export type InputValues<Shape> = {
  readonly [Name in keyof Shape]: Shape[Name] extends ZodType ? output<Shape[Name]> : never;
};

/** What a running task may use. */
export interface WorkflowJob extends JobContext {
  /** The result of a dependency, read by its type: text for `string`, a value for `json` … Say which with `job.dep<string>('name')`. */
  dep<Value = unknown>(name: string): Promise<Value>;
}

/** Another task whose result this one uses: `task` of the same workflow, or `Workflow/task`. */
export type DependencyDefinition<Values> =
  | string
  | {
      readonly task: string;
      /** What `job.dep` calls it. Default: the task's own name. */
      readonly name?: string;
      /** Values for its inputs. Inputs of the same name that are not set here are passed on. */
      readonly inputs?:
        | Readonly<Record<string, unknown>>
        | ((own: Values) => Readonly<Record<string, unknown>>);
    };

export interface TaskDefinition<Shape = InputShape> {
  /** What it does, for people and models. */
  readonly description?: string;
  readonly inputs?: Shape & InputShape;
  readonly deps?: readonly DependencyDefinition<InputValues<Shape>>[];
  /** How the result is stored. Default: `json`, which keeps any value that JSON can hold. */
  readonly result?: ResultType;
  /** Not worth storing: computed in place, each time it is asked for. */
  readonly exec?: boolean;
  /** As a tool it answers with the path of its result instead of the result. */
  readonly returnPath?: boolean;
  /** Computes the result: a value or its promise, or pieces of text or bytes (a stream, an async generator). Throws when it fails. */
  run(inputs: InputValues<Shape>, job: WorkflowJob): unknown;
}

export interface WorkflowDefinition<Shapes = Readonly<Record<string, InputShape>>> {
  /** A few words for people. The name is that of the file or folder. */
  readonly title?: string;
  readonly description?: string;
  /** Of an agent: others that it may hand work to, by name, with what each is for. */
  readonly delegate?: Readonly<Record<string, string>>;
  /** By name. */
  readonly tasks: { readonly [Name in keyof Shapes]: TaskDefinition<Shapes[Name]> };
}

/** Where a definition was made; kept under this key, which two copies of this program share. */
export const DEFINED_AT: unique symbol = Symbol.for('scout-chat.workflow');

/**
 * A workflow: named tasks with typed inputs, to be the default export of a workflow file. Returns the definition; its tasks are
 * checked when the file is loaded.
 */
export function defineWorkflow<Shapes>(
  definition: WorkflowDefinition<Shapes>,
): WorkflowDefinition<Shapes> {
  return Object.defineProperty({ ...definition }, DEFINED_AT, {
    value: new Error('defined here').stack ?? '',
  });
}
