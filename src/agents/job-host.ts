// Runs chat tasks: their input becomes a chat, their agents are saved among the artifacts of the job, their result is projected.

import * as path from 'node:path';
import { choosing } from '../ask/asked-agent.ts';
import type { HostRequest } from '../ask/types/agents.ts';
import { normalise } from '../chat/normalise.ts';
import { options as chatOptions } from '../chat/options.ts';
import { parse } from '../chat/parse.ts';
import { print } from '../chat/print.ts';
import { lastMessage } from '../chat/select.ts';
import { errorWords, Failure, Interruption, usageFailure, workFailure } from '../errors.ts';
import { project } from '../prov/project.ts';
import type { JobHost, PlannedJob } from '../store/types.ts';
import type { Chat, MessageInput, Options } from '../types.ts';
import { CHAT_TASK, type ChatJob, type JobAgentOptions } from '../workflows/chat-task.ts';
import type { JobContext } from '../workflows/types.ts';
import { Agent } from './agent.ts';
import { delegatedFlags } from './consult.ts';
import { createLive, placesOf } from './live.ts';
import { safeName } from './names.ts';
import type { Opened, Session } from './types.ts';

/** Adds what chat tasks need to the contexts of jobs. `open` makes the session that their agents share, when a job needs one. */
export function jobHost(
  run: HostRequest,
  open: (ledger: HostRequest['ledger']) => Session,
): JobHost {
  return (job, context) =>
    Object.assign(context, {
      [CHAT_TASK]: (
        inputs: Readonly<Record<string, unknown>>,
        task: (chatJob: ChatJob) => unknown,
      ) => {
        const session = open(run.ledger);
        const flags = delegatedFlags(session);
        return runChatTask({
          job,
          context,
          inputs,
          task,
          session: { ...session, flags },
          depth: run.depth() + 1,
        });
      },
    });
}

interface Running {
  readonly job: PlannedJob;
  readonly context: JobContext;
  readonly inputs: Readonly<Record<string, unknown>>;
  readonly task: (job: ChatJob) => unknown;
  readonly session: Session;
  readonly depth: number;
}

/** The projected result as chat text. What a model's failure leaves is saved, and the job can be asked for again. */
async function runChatTask(running: Running): Promise<string> {
  const { job, context, inputs, task } = running;
  const chat = parse(typeof inputs.chat === 'string' ? inputs.chat : '');
  const { options } = chatOptions(chat);
  const agents: Agent[] = [];
  const names = new Map<string, number>();
  const chatJob: ChatJob = {
    ...context,
    dep: <Value>(name: string) => context.dep(name) as Promise<Value>,
    chat,
    options,
    inputs,
    agent(name, given = {}) {
      const agent = makeAgent(name, given, { ...running, chat, options, names });
      agents.push(agent);
      return agent;
    },
  };
  try {
    return print(project(job.path, await messagesOf(await task(chatJob))));
  } catch (error) {
    if (context.signal.aborted || error instanceof Interruption) throw error;
    await keepFailure(agents, error);
    throw recoverable(error);
  }
}

/** Told by the error itself whether it came from a model: other errors are the task's own, and its answer. */
function recoverable(error: unknown): unknown {
  if (!(error instanceof Failure) || (error.exitCode !== 4 && error.exitCode !== 5)) return error;
  return workFailure(error.code, error.message, {
    detail: error.detail,
    facts: { ...error.facts, recoverable: true },
    cause: error,
    ...(error.next === undefined ? {} : { next: error.next }),
  });
}

async function keepFailure(agents: readonly Agent[], error: unknown): Promise<void> {
  for (const agent of agents) {
    if (agent.failure !== error) continue;
    const exception = errorWords(error);
    agent.add({ role: 'assistant', content: { exception } });
    await agent.save();
  }
}

async function messagesOf(result: unknown): Promise<Chat> {
  if (result instanceof Agent) {
    if (lastMessage(await result.currentChat())?.role !== 'assistant') await result.chat();
    return result.newMessages();
  }
  if (typeof result === 'string') return [{ role: 'assistant', content: result }];
  if (Array.isArray(result) && result.every(isMessage)) return normalise(result);
  throw usageFailure('bad-chat-result', 'a chat task returns an agent, messages or text', {
    next: 'return `job.agent()`, a list of { role, content }, or a string',
  });
}

const isMessage = (value: unknown): value is MessageInput =>
  typeof value === 'object' && value !== null && 'role' in value && typeof value.role === 'string';

interface Making extends Running {
  readonly chat: Chat;
  readonly options: Options;
  /** How many agents of a name the job has made. */
  readonly names: Map<string, number>;
}

function makeAgent(name: string | undefined, given: JobAgentOptions, making: Making): Agent {
  const own = safeName(name === undefined ? 'agent' : path.basename(name));
  const count = (making.names.get(own) ?? 0) + 1;
  making.names.set(own, count);
  const file = path.join(
    `${making.context.path}.files`,
    `${own}${count === 1 ? '' : `-${count}`}.chat`,
  );
  return new Agent({ saveFile: file, signal: making.context.signal }, () =>
    openInJob(name, given, file, making),
  );
}

const TOOLS: ReadonlySet<string> = new Set(
  'tool introduce mcp kb association clear_tools clear_associations'.split(' '),
);

async function openInJob(
  name: string | undefined,
  given: JobAgentOptions,
  file: string,
  { chat, options, context, job, session, depth }: Making,
): Promise<Opened> {
  const template = name === undefined ? undefined : await session.load(name);
  const tools = chat.filter(({ role }) => TOOLS.has(role));
  const asked = given.chat ?? (name === undefined ? chat : tools);
  const begin = given.tooling === false ? asked.filter(({ role }) => !TOOLS.has(role)) : asked;
  const told = given.files === true ? [placesMessage(job, context)] : [];
  const { place, below } = placesOf(file, path.basename(file, '.chat'));
  const live = createLive({ template, depth, place, below, messages: [...begin, ...told] });
  const more = Object.entries(given.options ?? {}).flatMap(([key, value]) =>
    value === undefined ? [] : [`${key}=${String(value)}`],
  );
  const { flags } = session;
  return {
    live,
    session: { ...session, flags: { ...flags, options: [...(flags.options ?? []), ...more] } },
    begun: live.messages.length,
    passed: choosing(options),
  };
}

/** What the work of the job is about, as far as files tell. */
function placesMessage(job: PlannedJob, context: JobContext): MessageInput & { content: string } {
  const made = job.dependencies.map(({ name }) => `- ${name}: ${context.depPath(name)}`);
  return {
    role: 'system',
    content: [
      `Files that belong to this work go into ${context.files()}`,
      ...(made.length === 0 ? [] : ['It builds on these results:', ...made]),
    ].join('\n'),
  };
}
