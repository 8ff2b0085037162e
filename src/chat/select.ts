// Picks messages out of a chat. Returns new arrays and never changes the one it is given.

import type { Chat, Message } from '../types.ts';

/** The last message of the role `assistant` that has content, undefined when the chat has no answer. */
export function lastAnswer(chat: Chat): Message | undefined {
  return chat.findLast(({ role, content }) => role === 'assistant' && content !== '');
}

/** The text of the last answer, undefined when there is none. */
export function answer(chat: Chat): string | undefined {
  return lastAnswer(chat)?.content;
}

/** The last question (user messages that stand together) and everything behind it; the whole chat when nobody asks anything. */
export function lastExchange(chat: Chat): Chat {
  let start = chat.findLastIndex(({ role }) => role === 'user');
  while (start > 0 && chat[start - 1]?.role === 'user') start--;
  return chat.slice(Math.max(0, start));
}

/** The last message that is more than bookkeeping and has content. */
export function lastMessage(chat: Chat): Message | undefined {
  return chat.findLast(({ role, content }) => !BOOKKEEPING.has(role) && content !== '');
}

const BOOKKEEPING: ReadonlySet<string> = new Set([
  'meta',
  'previous_response_id',
  'provider_content',
  'skip',
]);
