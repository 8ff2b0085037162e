// Turns what arrived into the messages that are stored: the meta first, then what it produced.

import { serializeMeta } from '../chat/meta.ts';
import { normalise } from '../chat/normalise.ts';
import { pairCalls } from '../chat/pairs.ts';
import { groupRounds } from '../chat/rounds.ts';
import type { Chat, Message, Tokens, ToolCall } from '../types.ts';
import type { Reply } from './types/events.ts';

export interface Bookkeeping {
  readonly inferenceId: string;
  /** When the request was sent. */
  readonly sent: Date;
  readonly seconds: number;
  readonly endpoint: string;
  readonly model: string | undefined;
  /** `pt_c` … after this request. */
  readonly chatTotals: Readonly<Record<string, number>>;
  /** `pt_s` … after this request. */
  readonly processTotals: Readonly<Record<string, number>>;
}

/**
 * The meta message of one request. `orphan` says that the request left no message behind, but cost what it cost. A reply that is played
 * again is no new request: its meta says which one it was.
 */
export function metaMessage(reply: Reply, book: Bookkeeping, orphan = false): Message {
  const model = reply.model ?? book.model;
  const { id, sent, endpoint } = reply.inference ?? {
    id: book.inferenceId,
    sent: book.sent.toISOString(),
    endpoint: book.endpoint,
  };
  return {
    role: 'meta',
    content: serializeMeta({
      ...definedCounts(reply.tokens),
      ...book.chatTotals,
      ...book.processTotals,
      duration: Math.round(book.seconds * 1000) / 1000,
      inference_id: id,
      ...(reply.responseId === undefined ? {} : { provider_response_id: reply.responseId }),
      ...(model === undefined ? {} : { model }),
      endpoint,
      timestamp: sent,
      ...(orphan ? { orphan: 'true' } : {}),
      ...(reply.thinking.trim() === '' ? {} : { reas: oneLine(reply.thinking) }),
    }),
  };
}

function definedCounts(tokens: Tokens): Record<string, number> {
  return Object.fromEntries(Object.entries(tokens).filter(([, count]) => count !== undefined));
}

/** Meta is an inline message: its reasoning summary stays on one line. */
const oneLine = (text: string): string => text.trim().replace(/\s+/g, ' ');

/** Meta, what the provider must get back, and the text. Calls follow with their outputs. */
export function replyMessages(reply: Reply, meta: Message, backend: string): Chat {
  return [
    meta,
    ...(reply.blocks === undefined
      ? []
      : [{ role: 'provider_content', content: JSON.stringify({ backend, blocks: reply.blocks }) }]),
    ...(reply.text.trim() === '' ? [] : [{ role: 'assistant', content: reply.text }]),
  ];
}

/** A call and its output, as stored. */
export function callMessages(
  call: ToolCall & { readonly arguments: unknown },
  output: Readonly<Record<string, unknown>>,
): Chat {
  return [
    {
      role: 'function_call',
      content: JSON.stringify({ name: call.name, arguments: call.arguments, id: call.id }),
    },
    {
      role: 'function_call_output',
      content: JSON.stringify({ name: call.name, id: call.id, ...output }),
    },
  ];
}

/** Text of a round that did not complete. No prompt ever contains it. */
export function partialMessage(text: string, reason: string): Message {
  return { role: 'skip', content: `[partial: ${reason}]\n${text}` };
}

/**
 * A round as a provider gets it in the requests after it: exactly what a later process makes of the stored messages, so that both send
 * the same beginning.
 */
export function spokenMessages(round: Chat): Chat {
  const spoken = groupRounds(round).filter(({ role }) => role !== 'meta');
  return pairCalls(normalise(spoken), () => {});
}
