// `step: NAME` becomes the answer of that step of the job that the chat's last `meta: job=…` names.

import { usageFailure } from '../../errors.ts';
import type { Chat, Message } from '../../types.ts';
import { at, located } from '../find.ts';
import { parseMeta } from '../meta.ts';
import type { Ports, Scope } from '../types.ts';

/** One `assistant` message. `before` are the messages that stand before it. Rejects with a usage Failure that names the steps there are. */
export async function step(
  message: Message,
  before: Chat,
  ports: Ports,
  scope: Scope,
): Promise<Chat> {
  const { content, origin } = message;
  const name = content.trim();
  const job = lastJob(before);
  if (job === undefined || ports.jobs === undefined)
    throw usageFailure(
      'no-job',
      `"step: ${name}" needs a job, and no \`meta: job=…\` stands before it`,
      {
        ...at(origin),
        next: 'put it below the messages of a job, or name the job with `job:`',
      },
    );
  const steps = await awaited(ports.jobs.lineage(job, origin?.file ?? scope.file), message);
  const found = steps.find(({ task }) => task === name);
  if (found === undefined) {
    const names = [...new Set(steps.map(({ task }) => task))];
    throw usageFailure('no-such-step', `the job has no step "${name}"`, {
      ...at(origin),
      next: `its steps: ${names.join(', ')}`,
    });
  }
  if (found.text === undefined) throw located(found.failure, message);
  return [{ ...message, role: 'assistant', content: found.text }];
}

function lastJob(chat: Chat): string | undefined {
  const jobs = chat
    .filter(({ role }) => role === 'meta')
    .map(({ content }) => parseMeta(content).job);
  const last = jobs.findLast((job) => job !== undefined);
  return last === undefined ? undefined : String(last);
}

async function awaited<T>(work: Promise<T>, message: Message): Promise<T> {
  try {
    return await work;
  } catch (error) {
    throw located(error, message);
  }
}
