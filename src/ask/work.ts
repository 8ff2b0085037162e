// Workflows and the job store for an ask, loaded when a chat names a task, a job or a tool, and never before.

import type { JobPort } from '../chat/types.ts';
import type { Settings } from '../config/types.ts';
import type { JobAnswer, JobEvent, JobHost } from '../store/types.ts';
import type { Work } from '../tools/job-port.ts';
import type { Chat, Tool, Warn } from '../types.ts';
import type { Task, Workflow } from '../workflows/types.ts';
import type { World } from '../world/types/world.ts';
import type { Resources } from './types/run.ts';

export interface WorkParts {
  readonly port: JobPort;
  /** Answers the chat with a task. */
  answer(task: Task, chat: Chat, signal: AbortSignal): Promise<JobAnswer>;
  /** The chat without its tool declarations, and the tools; `own` gives all its tasks as tools, under names that are not taken. */
  collect(chat: Chat, warn: Warn, more?: CollectMore): Promise<CollectedTools>;
}

export interface CollectMore {
  readonly own?: Workflow | undefined;
  readonly taken?: readonly string[];
  /** Folder of tables whose databases are tools, too. */
  readonly knowledge?: string | undefined;
  /** How servers of tools are used; they give none when absent. */
  readonly servers?: ServerUse | undefined;
}

export interface ServerUse {
  readonly resources: Resources;
  readonly settings: Settings;
  /** `false`: only what servers have listed before is known. */
  readonly mayStart: boolean;
}

export interface CollectedTools {
  readonly chat: Chat;
  readonly tools: readonly Tool[];
  /** What some of them answer may be another thing each time. */
  readonly isChanging: boolean;
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
  'tool introduce clear_tools mcp kb association clear_associations'.split(' '),
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
    async collect(chat, warn, { own, taken = [], knowledge, servers } = {}) {
      const { workflows = [] } = given;
      if (
        own === undefined &&
        knowledge === undefined &&
        workflows.length === 0 &&
        !chat.some(({ role }) => TOOL_ROLES.has(role))
      )
        return { chat, tools: [], isChanging: false };
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
        ...(servers !== undefined && chat.some(({ role }) => role === 'mcp')
          ? { mcp: await serverOptions(world, warn, servers) }
          : {}),
      });
    },
  };
}

const CALL_LIMIT = 60;
const START_LIMIT = 10;

async function serverOptions(
  world: World,
  warn: Warn,
  { resources, settings, mayStart }: ServerUse,
) {
  const { createServers } = await import('../tools/mcp/servers.ts');
  const milliseconds = (name: string, standard: number) => {
    const seconds = settings[name];
    return (typeof seconds === 'number' ? seconds : standard) * 1000;
  };
  return {
    servers: resources.obtain('mcp', () => createServers(world, warn)),
    mayStart,
    limits: {
      call: milliseconds('mcp_timeout', CALL_LIMIT),
      start: milliseconds('mcp_start_timeout', START_LIMIT),
    },
    signal: world.signal,
  };
}

function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined;
  return () => {
    made ??= make();
    return made;
  };
}
