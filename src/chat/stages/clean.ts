// Takes out what is not meant for anybody: `skip` and messages without content.

import type { Chat, Message } from '../../types.ts';

/** Roles whose empty content says something: it takes an option away, or is a mistake that has to be told. */
const MEANINGFUL: ReadonlySet<string> = new Set([
  'endpoint',
  'model',
  'backend',
  'agent',
  'format',
  'persist',
  'option',
  'sticky_option',
  'previous_response_id',
]);

/** The chat without `skip` and empty messages. */
export function clean(chat: Chat): Chat {
  return chat.some(isIdle) ? chat.filter((message) => !isIdle(message)) : chat;
}

const isIdle = (message: Message): boolean => message.role === 'skip' || isEmpty(message);

/** No content but white space, as the format knows it, and no meaning in that. */
export function isEmpty({ role, content }: Message): boolean {
  return isBlank(content) && !MEANINGFUL.has(role);
}

/** Nothing but the white space of the format; other Unicode spaces are text. */
export const isBlank = (text: string): boolean => /^[ \t\n\v\f\r]*$/.test(text);
