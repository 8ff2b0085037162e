// `task`, `inline_task` and `exec_task` stand for work that has to be run first. This version runs none, and says so.

import { usageFailure } from '../../errors.ts';
import type { Chat, Message } from '../../types.ts';
import { at, short } from '../find.ts';
import type { Ports } from '../types.ts';

const ROLES: ReadonlySet<string> = new Set(['task', 'inline_task', 'exec_task']);

/** The chat as it is when it starts no task; with `noRun` also when it does, each one told as a warning. */
export function tasks(chat: Chat, ports: Ports): Chat {
  const found = chat.filter(({ role }) => ROLES.has(role));
  const [first] = found;
  if (first === undefined) return chat;
  if (!ports.noRun) throw notRun(first);
  for (const { role, content, origin } of found)
    ports.warn({
      code: 'task-not-run',
      message: `would run ${role}: ${short(content)}`,
      ...(origin === undefined ? {} : { origin }),
    });
  return chat;
}

function notRun({ role, content, origin }: Message) {
  return usageFailure(
    'tasks-not-available',
    `this version runs no tasks: "${role}: ${short(content)}"`,
    {
      ...at(origin),
      next: `take the line out, or begin it with a backslash (\\${role}:) if it is text`,
    },
  );
}
