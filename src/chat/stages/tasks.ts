// `task` and `inline_task` become the jobs they are, produced together; `exec_task` becomes its result.

import { relocate, usageFailure } from '../../errors.ts';
import type { Chat, Message } from '../../types.ts';
import { at, short } from '../find.ts';
import { options } from '../options.ts';
import type { JobPort, Ports, TaskRequest } from '../types.ts';
import { keysAndWords, splitWords } from '../words.ts';

const STORED: Readonly<Record<string, string>> = { task: 'job', inline_task: 'inline_job' };
const isTask = ({ role }: Message): boolean => role === 'exec_task' || Object.hasOwn(STORED, role);

/**
 * The chat with `job` and `inline_job` messages in place of its tasks. Rejects with the Failure of a task that failed, at its
 * line, unless the chat has `option: job_exceptions true`. With `noRun` each task is told as a warning and stays.
 */
export async function tasks(chat: Chat, ports: Ports): Promise<Chat> {
  const found = chat.filter(isTask);
  const [first] = found;
  if (first === undefined) return chat;
  if (ports.noRun) {
    for (const message of found) tellNotRun(message, ports);
    return chat;
  }
  if (ports.jobs === undefined) throw notHere(first);
  return replaced(chat, found, ports.jobs);
}

async function replaced(chat: Chat, found: Chat, jobs: JobPort): Promise<Chat> {
  const requests = new Map(found.map((message) => [message, requestOf(message)]));
  // Everything is looked at before anything runs.
  for (const [message, request] of requests) await atLine(message, jobs.check(request));
  const stored = found.filter(({ role }) => role !== 'exec_task');
  const outcomes = await jobs.produce(stored.flatMap((message) => requests.get(message) ?? []));
  const keepsExceptions = options(chat).options.job_exceptions?.trim() === 'true';
  const replacements = new Map<Message, Message>();
  for (const [index, message] of stored.entries()) {
    const outcome = outcomes[index];
    if (outcome === undefined) continue;
    if ('failure' in outcome && !keepsExceptions) throw locateAt(outcome.failure, message);
    replacements.set(message, {
      ...message,
      role: STORED[message.role] ?? 'job',
      content: outcome.path,
    });
  }
  for (const message of found) {
    const request = requests.get(message);
    if (message.role !== 'exec_task' || request === undefined) continue;
    const content = await atLine(message, jobs.execute(request));
    replacements.set(message, { ...message, role: 'user', content });
  }
  return chat.map((message) => replacements.get(message) ?? message);
}

async function atLine<T>(message: Message, work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    throw locateAt(error, message);
  }
}

const locateAt = (error: unknown, { origin }: Message): unknown =>
  origin === undefined ? error : relocate(error, origin);

/** `Workflow task input=value… [jobname=x]`, quoted as in a shell. */
export function requestOf(message: Message): TaskRequest {
  try {
    const { plain, pairs } = keysAndWords(splitWords(message.content));
    const [workflow, task, ...rest] = plain;
    if (workflow === undefined || task === undefined || rest.length > 0)
      throw usageFailure(
        'bad-task',
        `"${message.role}:" takes a workflow, a task and input=value, not "${short(message.content)}"`,
        {
          next: `write \`${message.role}: ${workflow ?? 'Workflow'} ${task ?? 'task'} input=value\`; values with spaces in quotes`,
        },
      );
    const { jobname, ...inputs } = Object.fromEntries(pairs);
    return { workflow, task, inputs, ...(jobname === undefined ? {} : { jobname }) };
  } catch (error) {
    throw locateAt(error, message);
  }
}

function tellNotRun({ role, content, origin }: Message, { warn }: Ports): void {
  warn({
    code: 'task-not-run',
    message: `would run ${role}: ${short(content)}`,
    ...(origin === undefined ? {} : { origin }),
  });
}

function notHere({ role, content, origin }: Message) {
  return usageFailure('tasks-not-run', `tasks are not run here: "${role}: ${short(content)}"`, {
    ...at(origin),
    next: `begin the line with a backslash (\\${role}:) if it is text`,
  });
}
