// What delegated work cost, as the one that delegated it keeps it: the fields of every meta, never a message.

import { parseMeta } from '../chat/meta.ts';
import { isObject, list, objectIn } from '../json.ts';
import type { Chat, Message } from '../types.ts';

type Receipt = Readonly<Record<string, unknown>>;

/**
 * The fields of each meta of these messages, in their order, with the receipts that their tool outputs hold: what the agents further
 * down cost is known here also when their chats are gone. Reasoning is left out.
 */
export function receiptsOf(messages: Chat): readonly Receipt[] {
  return messages.flatMap((message) => {
    if (message.role === 'meta') return withFields(parseMeta(message.content));
    return message.role === 'function_call_output' ? receiptsIn(message) : [];
  });
}

function withFields(fields: Receipt): readonly Receipt[] {
  const { reas: _, ...rest } = fields;
  return Object.keys(rest).length === 0 ? [] : [rest];
}

function receiptsIn({ content }: Message): readonly Receipt[] {
  return list(objectIn(content)?.meta).filter(isReceipt);
}

const isReceipt = (value: unknown): value is Receipt => isObject(value);
