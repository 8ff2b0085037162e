// Pairs the tool calls of a chat with their outputs, and tells how each ended. Looks at parsed JSON only, never at text that mentions it.

import { skipWhite, skipWhiteBack } from '../chat/white-space.ts';
import type { Chat, Message } from '../types.ts';

export type CallId = string | number | null;

export interface ToolCallRecord {
  readonly call_id: CallId;
  readonly name: string | null;
  /** As it stands in the chat: an object, or the text that the provider sent; `null` when there is none. */
  readonly arguments: unknown;
  readonly role: 'function_call' | 'mcp_call';
  /** Index of the call's message. */
  readonly call_index: number;
  /** Index of the output's message; `null` without an output. */
  readonly output_index: number | null;
  /** The `content` of the output; `null` when it has none, or there is no output. */
  readonly output: unknown;
  /** Every field of the output, receipts too; `null` without an output. */
  readonly envelope: JsonObject | null;
}

export type ToolCallStatus =
  | { readonly success: null; readonly reason: 'missing_output' }
  | { readonly success: false; readonly reason: 'exception'; readonly exception: unknown }
  | { readonly success: boolean; readonly reason: 'exit_status'; readonly exit_status: number }
  | { readonly success: true; readonly reason: 'output' };

export type JsonObject = Readonly<Record<string, unknown>>;

/**
 * The calls of one chat in order, each with its output. Calls and outputs belong together by id, and ids may repeat: an output belongs
 * to the first open call of its id in the same turn (up to the next `user` message), else to the nearest one before, else to the
 * first one after it. Messages that are no JSON object are passed over; so are outputs of no call. Linear; never throws.
 */
export function toolCalls(chat: Chat): ToolCallRecord[] {
  const calls: Entry[] = [];
  const early: Entry[] = [];
  const open = new Map<string | number, Batch[]>();
  let turn = 0;
  for (let index = 0; index < chat.length; index++) {
    const message = chat[index];
    if (message?.role === 'user') turn++;
    const entry = message && entryOf(message, index, turn);
    if (entry === undefined) continue;
    const { id } = entry;
    if (entry.role !== 'function_call_output') {
      calls.push(entry);
      if (id === null) continue;
      const waiting = open.get(id);
      if (waiting === undefined) open.set(id, [batchOf(entry)]);
      else if (waiting.at(-1)?.turn === turn) waiting.at(-1)?.calls.push(entry);
      else waiting.push(batchOf(entry));
    } else if (id !== null) {
      const call = take(open.get(id), turn);
      if (call === undefined) early.push(entry);
      else call.output = entry;
    }
  }
  for (const output of early) {
    const call = takeFirst(output.id === null ? undefined : open.get(output.id));
    if (call !== undefined) call.output = output;
  }
  return calls.map(recordOf);
}

/** How a call ended: without an output it is not known; an output that is a JSON object with `exception`, or with an `exit_status` other than 0, failed. */
export function toolCallStatus({ output_index, output }: ToolCallRecord): ToolCallStatus {
  if (output_index === null) return { success: null, reason: 'missing_output' };
  const value = typeof output === 'string' ? objectIn(output) : undefined;
  if (value !== undefined && isSet(value.exception))
    return { success: false, reason: 'exception', exception: value.exception };
  if (value === undefined || !Object.hasOwn(value, 'exit_status'))
    return { success: true, reason: 'output' };
  const status = Math.trunc(Number(value.exit_status ?? 0)) || 0;
  return { success: status === 0, reason: 'exit_status', exit_status: status };
}

const isSet = (value: unknown): boolean => value !== undefined && value !== null && value !== false;

interface Entry {
  readonly role: 'function_call' | 'mcp_call' | 'function_call_output';
  readonly index: number;
  readonly turn: number;
  readonly id: CallId;
  readonly value: JsonObject;
  output: Entry | undefined;
}

/** Calls of one id in one turn that wait for their outputs, from `next` on. */
interface Batch {
  readonly turn: number;
  readonly calls: Entry[];
  next: number;
}

const batchOf = (call: Entry): Batch => ({ turn: call.turn, calls: [call], next: 0 });

const isUsedUp = (batch: Batch | undefined): boolean =>
  batch !== undefined && batch.next >= batch.calls.length;

/** The first call of this turn; when it has none, the last of all. */
function take(waiting: Batch[] | undefined, turn: number): Entry | undefined {
  while (isUsedUp(waiting?.at(-1))) waiting?.pop();
  const last = waiting?.at(-1);
  return last?.turn === turn ? last.calls[last.next++] : last?.calls.pop();
}

function takeFirst(waiting: readonly Batch[] | undefined): Entry | undefined {
  const first = waiting?.find((batch) => !isUsedUp(batch));
  return first?.calls[first.next++];
}

function entryOf({ role, content }: Message, index: number, turn: number): Entry | undefined {
  if (role !== 'function_call' && role !== 'mcp_call' && role !== 'function_call_output')
    return undefined;
  const value = objectIn(content);
  if (value === undefined) return undefined;
  return { role, index, turn, id: idOf(value), value, output: undefined };
}

function idOf({ id, call_id, tool_call_id }: JsonObject): CallId {
  const found = id ?? call_id ?? tool_call_id;
  return typeof found === 'string' || typeof found === 'number' ? found : null;
}

function recordOf({ role, index, id, value, output }: Entry): ToolCallRecord {
  return {
    call_id: id,
    name: typeof value.name === 'string' ? value.name : null,
    arguments: value.arguments ?? null,
    role: role === 'mcp_call' ? role : 'function_call',
    call_index: index,
    output_index: output?.index ?? null,
    output: output?.value.content ?? null,
    envelope: output?.value ?? null,
  };
}

const BRACE = 123;
const BRACE_END = 125;

/** The object that a text is the JSON of. Texts that cannot be one are not even tried: a failed try costs far more than a look. */
export function objectIn(text: string): JsonObject | undefined {
  if (typeof text !== 'string') return undefined;
  const end = skipWhiteBack(text, 0, text.length);
  const start = skipWhite(text, 0, end);
  if (text.charCodeAt(start) !== BRACE || text.charCodeAt(end - 1) !== BRACE_END) return undefined;
  try {
    return JSON.parse(text) as JsonObject;
  } catch {
    return undefined;
  }
}
