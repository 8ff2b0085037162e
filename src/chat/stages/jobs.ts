// `job` and `inline_job` stand for the result of a stored task run. This version reads none, and says so.

import { usageFailure } from '../../errors.ts';
import type { Chat } from '../../types.ts';
import { at, short } from '../find.ts';

/** The chat as it is when it names no job. */
export function jobs(chat: Chat): Chat {
  const found = chat.find(({ role }) => role === 'job' || role === 'inline_job');
  if (found === undefined) return chat;
  const { role, content, origin } = found;
  throw usageFailure(
    'jobs-not-available',
    `this version reads no jobs: "${role}: ${short(content)}"`,
    {
      ...at(origin),
      next: `name its result with \`file:\`, or begin the line with a backslash (\\${role}:) if it is text`,
    },
  );
}
