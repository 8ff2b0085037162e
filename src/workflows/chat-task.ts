// Tasks whose input is a chat and whose result is one: what a workflow file says. The program that runs them does the rest.

import { string, type ZodType } from 'zod';
import type { Chat, MessageInput, Options } from '../types.ts';
import type {
  DependencyDefinition,
  InputShape,
  InputValues,
  TaskDefinition,
  WorkflowJob,
} from './define.ts';
import type { JobAgent } from './types.ts';

/** What a running chat task may use. */
export interface ChatJob<Values = unknown> extends WorkflowJob {
  /** The conversation that is answered: the input `chat`. */
  readonly chat: Chat;
  /** The options in force at its end, as text. */
  readonly options: Options;
  readonly inputs: Values;
  /**
   * An agent whose chat is kept among the artifacts of the job. Without a name it goes on with the conversation; the agent of that name
   * begins with its own start chat and the tools that the conversation declares.
   */
  agent(name?: string, given?: JobAgentOptions): JobAgent;
}

export interface JobAgentOptions {
  /** What it begins with; default: the conversation without a name, nothing with one. */
  readonly chat?: Chat;
  /** `endpoint`, `model`, `temperature` … They win over what its start chat and the conversation say. */
  readonly options?: Readonly<Record<string, string | number | boolean | undefined>>;
  /** `false`: it does not get the tools that the conversation declares. */
  readonly tooling?: boolean;
  /** `true`: it is told the folder of the job's artifacts and the results of its dependencies. */
  readonly files?: boolean;
}

/** What a chat task may return: an agent (its new messages, after one `chat()` when the last is no answer), messages, or the answer's text. */
export type ChatResult = JobAgent | readonly MessageInput[] | string;

export interface ChatTaskDefinition<Shape = InputShape> {
  /** What it does, for people and models. */
  readonly description?: string;
  /** Inputs besides `chat`. */
  readonly inputs?: Shape & InputShape;
  readonly deps?: readonly DependencyDefinition<InputValues<Shape>>[];
  run(job: ChatJob<InputValues<Shape>>): ChatResult | Promise<ChatResult>;
}

/** Runs the definition in the program; under this key, which two copies of this program share, a job has it. */
export const CHAT_TASK: unique symbol = Symbol.for('scout-chat.chat-task');

/** What the program puts under that key. */
export type RunChatTask = (
  inputs: Readonly<Record<string, unknown>>,
  run: (job: ChatJob) => unknown,
) => Promise<string>;

/**
 * A task that answers a conversation. Called `ask` in an agent's workflow it is how that agent answers. Its result is the new messages
 * behind one `meta: job=…`. When a model fails in it the job can be asked for again.
 */
export function chatTask<Shape extends InputShape = Readonly<Record<never, never>>>(
  definition: ChatTaskDefinition<Shape> | ChatTaskDefinition<Shape>['run'],
): TaskDefinition<Shape & { readonly chat: ZodType<string> }> {
  const { run, ...rest } = typeof definition === 'function' ? { run: definition } : definition;
  const inputs = {
    chat: string().meta({ input: 'text', description: 'The conversation, as chat text' }),
    ...(rest.inputs as InputShape | undefined),
  };
  const task: TaskDefinition = {
    ...(rest as Pick<ChatTaskDefinition, 'description' | 'deps'>),
    inputs,
    result: 'chat',
    run(values, job) {
      const host: unknown = Reflect.get(job, CHAT_TASK);
      if (typeof host !== 'function') throw new Error('chat tasks run in the program `chat` alone');
      return (host as RunChatTask)(values, run as (job: ChatJob) => unknown);
    },
  };
  return task as unknown as TaskDefinition<Shape & { readonly chat: ZodType<string> }>;
}
