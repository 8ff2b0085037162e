// Reads the tool traffic of a prompt: which messages are calls and outputs, and which belong together. Each message is parsed once
// in its life, however often its prompt is sent.

import { objectIn, parsedJson } from '../../json.ts';
import type { Chat, Message } from '../../types.ts';

export interface Traffic {
  readonly kind: 'call' | 'output';
  readonly id: string;
}

/** What becomes of a call or an output in a shortened prompt. */
export type Fate = 'shorten' | 'drop';

/** Places of a call and its output in a chat. */
export interface Pair {
  readonly call: number;
  readonly output: number;
}

const known = new WeakMap<Message, Traffic | 'none'>();

/** What the message is; undefined for everything but calls and outputs that can be read. */
export function trafficOf(message: Message): Traffic | undefined {
  if (message.role !== 'function_call' && message.role !== 'function_call_output') return undefined;
  const found = known.get(message) ?? read(message) ?? 'none';
  known.set(message, found);
  return found === 'none' ? undefined : found;
}

function read(message: Message): Traffic | undefined {
  const value = objectIn(message.content);
  const id = value?.id ?? value?.call_id ?? value?.tool_call_id;
  if (typeof id !== 'string' && typeof id !== 'number') return undefined;
  return { kind: message.role === 'function_call' ? 'call' : 'output', id: String(id) };
}

/** Calls with their outputs, in the order of the outputs. An output belongs to the nearest open call of its id; what has no partner is no pair. */
export function toolPairs(chat: Chat): readonly Pair[] {
  const pairs: Pair[] = [];
  const open = new Map<string, number[]>();
  for (const [index, message] of chat.entries()) {
    const traffic = trafficOf(message);
    if (traffic === undefined) continue;
    const waiting = open.get(traffic.id) ?? [];
    if (traffic.kind === 'call') open.set(traffic.id, [...waiting, index]);
    else {
      const call = waiting.pop();
      if (call !== undefined) pairs.push({ call, output: index });
    }
  }
  return pairs;
}

const signatures = new WeakMap<Message, string>();

/** The same for calls of the same tool with the same arguments, in whatever order those are written. */
export function signatureOf(call: Message): string {
  const found = signatures.get(call);
  if (found !== undefined) return found;
  const value = objectIn(call.content);
  const made = JSON.stringify([value?.name, sorted(parsed(value?.arguments))]);
  signatures.set(call, made);
  return made;
}

/** Arguments may be kept as the text that a provider sent. */
function parsed(value: unknown): unknown {
  if (typeof value !== 'string') return value;
  try {
    return parsedJson(value);
  } catch {
    return value;
  }
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1));
  return entries.map(([key, each]) => [key, sorted(each)]);
}
