// Replaces `import`, `continue` and `last` by what they take from another chat, which is compiled on its own first.

import { addAll } from '../../lists.ts';
import type { Chat, Message } from '../../types.ts';
import { findFor } from '../find.ts';
import type { Ports, Scope } from '../types.ts';
import { isEmpty } from './clean.ts';

const ROLES: ReadonlySet<string> = new Set(['import', 'continue', 'last']);

/** Other chats in place of the messages that name them, one after the other. Their response ids stay behind: they continue a conversation that this one is not. */
export async function imports(chat: Chat, ports: Ports, scope: Scope): Promise<Chat> {
  if (!chat.some(({ role }) => ROLES.has(role))) return chat;
  const result: Message[] = [];
  for (const message of chat) {
    if (!ROLES.has(message.role)) {
      result.push(message);
      continue;
    }
    const other = await scope.include(await findFor(message, ports, scope), message);
    addAll(result, taken(message.role, other));
  }
  return result;
}

function taken(role: string, other: Chat): Chat {
  const own = other.filter((message) => message.role !== 'previous_response_id');
  if (role === 'import') return own;
  const last = own.findLast((message) => message.role !== 'meta' && !isEmpty(message));
  return last === undefined ? [] : [last];
}
