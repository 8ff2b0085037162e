// `job` becomes the call and the output that the stored job amounts to; `inline_job` becomes a file message for its result.

import { createHash } from 'node:crypto';
import { usageFailure } from '../../errors.ts';
import { addAll } from '../../lists.ts';
import type { Chat, Message } from '../../types.ts';
import { at, located, short } from '../find.ts';
import { options } from '../options.ts';
import type { JobPort, Ports, Scope, ShownJob } from '../types.ts';

const ROLES: ReadonlySet<string> = new Set(['job', 'inline_job']);

/** The chat with what its jobs gave. Rejects with the Failure of a job without result, unless the chat has `option: job_exceptions true`. */
export async function jobs(chat: Chat, ports: Ports, scope: Scope): Promise<Chat> {
  const first = chat.find(({ role }) => ROLES.has(role));
  if (first === undefined) return chat;
  const port = ports.jobs ?? notHere(first);
  const keepsExceptions = options(chat).options.job_exceptions?.trim() === 'true';
  const result: Message[] = [];
  for (const message of chat) {
    if (!ROLES.has(message.role)) result.push(message);
    else addAll(result, await shown(message, port, scope, keepsExceptions));
  }
  return result;
}

async function shown(
  message: Message,
  port: JobPort,
  scope: Scope,
  keepsExceptions: boolean,
): Promise<Chat> {
  const job = await readJob(message, port, scope);
  if (job.failure !== undefined && !keepsExceptions) throw located(job.failure, message);
  if (message.role === 'inline_job' && job.failure === undefined)
    return [{ ...message, role: 'file', content: job.path }];
  return pairOf(job, message);
}

/** Reads the job that a message names; a failure to do so gets the message's place. */
export async function readJob(message: Message, port: JobPort, scope: Scope): Promise<ShownJob> {
  try {
    return await port.read(message.content.trim(), message.origin?.file ?? scope.file);
  } catch (error) {
    throw located(error, message);
  }
}

/**
 * The id is made from the job's place in its store: the same job makes the same pair each time, also when the store was moved, so that
 * a provider's cache, the cache of answers and a recording keep working.
 */
function pairOf(job: ShownJob, { origin }: Message): Chat {
  const place = job.path.split('/').slice(-3).join('/');
  const id = `job_${createHash('sha256').update(place).digest('hex').slice(0, 16)}`;
  const from = origin === undefined ? {} : { origin };
  const content =
    job.text ??
    JSON.stringify({
      exception: job.exception?.message ?? 'it has no result',
      class: job.exception?.class ?? 'Error',
    });
  const exception = job.exception === undefined ? {} : { exception: job.exception.message };
  return [
    {
      role: 'function_call',
      content: JSON.stringify({ name: job.task, arguments: job.inputs, id }),
      ...from,
    },
    {
      role: 'function_call_output',
      content: JSON.stringify({ name: job.task, content, id, step: job.path, ...exception }),
      ...from,
    },
  ];
}

function notHere({ role, content, origin }: Message): never {
  throw usageFailure('jobs-not-read', `jobs are not read here: "${role}: ${short(content)}"`, {
    ...at(origin),
    next: `begin the line with a backslash (\\${role}:) if it is text`,
  });
}
