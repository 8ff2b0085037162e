// Workflows and the job store for an ask, loaded when a chat names a task, a job or a tool, and never before.

import type { JobPort } from '../chat/types.ts';
import type { JobEvent, JobHost } from '../store/types.ts';
import type { Work } from '../tools/job-port.ts';
import type { Chat, Tool, Warn } from '../types.ts';
import type { Task, Workflow } from '../workflows/types.ts';
import type { World } from '../world/types.ts';
import type { JobAnswer } from './types.ts';

export interface WorkParts {
  readonly port: JobPort;
  /** Answers the chat with a task. */
  answer(task: Task, chat: Chat, signal: AbortSignal): Promise<JobAnswer>;
  /** The chat without its tool declarations, and the tools; `own` gives all its tasks as tools, under names that are not taken. */
  collect(
    chat: Chat,
    warn: Warn,
    more?: {
      readonly own?: Workflow | undefined;
      readonly taken?: readonly string[];
      /** Folder of tables whose databases are tools, too. */
      readonly knowledge?: string | undefined;
    },
  ): Promise<{ readonly chat: Chat; readonly tools: readonly Tool[] }>;
}

export interface WorkPartsOptions {
  /** `-w`. */
  readonly workflows?: readonly string[] | undefined;
  /** `--jobs`. */
  readonly jobs?: string | undefined;
  readonly onEvent?: ((event: JobEvent) => void) | undefined;
  /** A workflow that the search path need not have: that of an agent. */
  readonly own?: (name: string) => Workflow | undefined;
  /** Adds what running tasks may use besides. */
  readonly host?: JobHost | undefined;
}

const TOOL_ROLES: ReadonlySet<string> = new Set(
  'tool introduce clear_tools kb association clear_associations'.split(' '),
);

export function workParts(world: World, given: WorkPartsOptions): WorkParts {
  const options = {
    ...(given.jobs === undefined ? {} : { jobs: given.jobs }),
    ...(given.own === undefined ? {} : { own: given.own }),
    ...(given.host === undefined ? {} : { host: given.host }),
  };
  // Calls of the model are told by the run itself.
  const told = given.onEvent === undefined ? options : { ...options, onEvent: given.onEvent };
  const load = once(async () => {
    const module = await import('../tools/job-port.ts');
    const work: () => Promise<Work> = module.openWork(world, options);
    return { work, port: module.jobPort(world, work, told) };
  });
  const port = async () => (await load()).port;
  return {
    port: {
      check: async (request) => (await port()).check(request),
      produce: async (requests) => (await port()).produce(requests),
      execute: async (request) => (await port()).execute(request),
      read: async (reference, from) => (await port()).read(reference, from),
      lineage: async (reference, from) => (await port()).lineage(reference, from),
    },
    async answer(task, chat, signal) {
      const { answerByTask } = await import('../tools/answer.ts');
      const { work } = await load();
      const { onEvent } = given;
      return answerByTask(task, chat, await work(), {
        signal,
        ...(onEvent === undefined ? {} : { onEvent }),
      });
    },
    async collect(chat, warn, { own, taken = [], knowledge } = {}) {
      const { workflows = [] } = given;
      if (
        own === undefined &&
        knowledge === undefined &&
        workflows.length === 0 &&
        !chat.some(({ role }) => TOOL_ROLES.has(role))
      )
        return { chat, tools: [] };
      const { collectTools } = await import('../tools/collect.ts');
      const { work } = await load();
      return collectTools(chat, world, {
        ...options,
        warn,
        work,
        workflows,
        taken,
        all: own,
        knowledge,
      });
    },
  };
}

function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined;
  return () => {
    made ??= make();
    return made;
  };
}
