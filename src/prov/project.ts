// What a job hands to the chat that asked it: one mark that names the job, then the messages with the metas of their own requests.

import { parseMeta, serializeMeta } from '../chat/meta.ts';
import type { Chat, Message } from '../types.ts';
import { jobOf } from './request-fields.ts';
import { withoutReasoning } from './segments.ts';

export interface ProjectOptions {
  /** Keep reasoning summaries (`chat.project.keep_reas`); they are stripped otherwise. */
  readonly keepReasoning?: boolean;
}

/**
 * Exactly one `meta: job=…`, then the messages in their order. Marks that were there (of this or another job) are left out, so that
 * projecting again changes nothing. Metas keep their text unless reasoning is taken out of it; one that held nothing else is left out.
 */
export function project(job: string, messages: Chat, options: ProjectOptions = {}): Message[] {
  const mark: Message = { role: 'meta', content: serializeMeta({ job }) };
  return [mark, ...messages.flatMap((message) => projected(message, options))];
}

function projected(message: Message, { keepReasoning = false }: ProjectOptions): Message[] {
  if (message.role !== 'meta') return [message];
  const fields = parseMeta(message.content);
  if (jobOf(fields) !== undefined) return [];
  if (keepReasoning || !Object.hasOwn(fields, 'reas')) return [message];
  const content = serializeMeta(withoutReasoning(fields));
  return content === '' ? [] : [{ ...message, content }];
}
