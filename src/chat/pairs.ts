// Makes tool traffic fit for a provider: every call has its output right after its batch, and no output stands alone.

import { objectIn } from '../json.ts';
import { addAll } from '../lists.ts';
import type { Chat, Message, Warn } from '../types.ts';

/** What a model is told about a call that has no result. */
export const NOT_FINISHED = 'not finished: there is no result, the run was stopped before it came';

interface Entry {
  readonly message: Message;
  readonly kind: 'call' | 'output' | 'other' | 'unusable';
  readonly id: string;
  readonly name: string;
  readonly value: Readonly<Record<string, unknown>>;
}

/**
 * The chat with `mcp_call` told as `function_call`, a stand-in output for each open call, outputs without a call and
 * unreadable ones left out, each with a warning. Pairs that are in order stay where they are. Ids may repeat.
 */
export function pairCalls(chat: Chat, warn: Warn): Chat {
  if (!chat.some(isTraffic)) return chat;
  const entries = chat.map(entryOf);
  const outputOf = pairing(entries);
  const paired = new Set(outputOf.values());
  const result: Message[] = [];
  let index = 0;
  for (let entry = entries[index]; entry !== undefined; entry = entries[++index]) {
    if (entry.kind === 'other') result.push(entry.message);
    if (entry.kind === 'unusable') tell(warn, entry, 'it is no JSON object with a name and an id');
    if (entry.kind === 'output' && !paired.has(entry)) tell(warn, entry, 'its call is not there');
    if (entry.kind !== 'call') continue;
    const batch = entries.slice(index, batchEnd(entries, index));
    const calls = batch.filter(({ kind }) => kind === 'call');
    addAll(result, calls.map(callMessage));
    addAll(result, outputsFor(calls, batch, outputOf, warn));
    for (const each of batch)
      if (each.kind === 'output' && !paired.has(each)) tell(warn, each, 'its call is not there');
    index += batch.length - 1;
  }
  return result;
}

const isTraffic = ({ role }: Message): boolean =>
  role === 'function_call' || role === 'function_call_output' || role === 'mcp_call';

function entryOf(message: Message): Entry {
  const plain = { message, id: '', name: '', value: {} };
  if (!isTraffic(message)) return { ...plain, kind: 'other' };
  const value = objectIn(message.content);
  const id = value?.id ?? value?.call_id ?? value?.tool_call_id;
  const name = value?.name;
  const isOutput = message.role === 'function_call_output';
  if (value === undefined || (typeof id !== 'string' && typeof id !== 'number') || id === '')
    return { ...plain, kind: 'unusable' };
  if (!isOutput && (typeof name !== 'string' || name === '')) return { ...plain, kind: 'unusable' };
  return {
    message,
    kind: isOutput ? 'output' : 'call',
    id: String(id),
    name: typeof name === 'string' ? name : '',
    value,
  };
}

/**
 * Each output belongs to the first open call of its id in its own turn, else to the nearest one before it, else to the
 * first one after it.
 */
function pairing(entries: readonly Entry[]): ReadonlyMap<Entry, Entry> {
  const outputOf = new Map<Entry, Entry>();
  const open = new Map<string, { readonly call: Entry; readonly turn: number }[]>();
  const early: Entry[] = [];
  let turn = 0;
  for (const entry of entries) {
    if (entry.kind === 'other' && entry.message.role === 'user') turn += 1;
    if (entry.kind === 'call')
      open.set(entry.id, [...(open.get(entry.id) ?? []), { call: entry, turn }]);
    if (entry.kind !== 'output') continue;
    const waiting = open.get(entry.id) ?? [];
    const chosen = waiting.find((each) => each.turn === turn) ?? waiting.at(-1);
    if (chosen === undefined) early.push(entry);
    else {
      outputOf.set(chosen.call, entry);
      open.set(
        entry.id,
        waiting.filter((each) => each !== chosen),
      );
    }
  }
  for (const output of early) {
    const call = open.get(output.id)?.shift()?.call;
    if (call !== undefined) outputOf.set(call, output);
  }
  return outputOf;
}

/** A batch: calls that stand together, and the outputs that stand together after them. */
function batchEnd(entries: readonly Entry[], start: number): number {
  let end = start;
  while (entries[end]?.kind === 'call') end += 1;
  while (entries[end]?.kind === 'output') end += 1;
  return end;
}

function outputsFor(
  calls: readonly Entry[],
  batch: readonly Entry[],
  outputOf: ReadonlyMap<Entry, Entry>,
  warn: Warn,
): Chat {
  const own = new Set(calls.map((call) => outputOf.get(call)));
  const inPlace = batch.filter((entry) => own.has(entry));
  const others = calls.filter((call) => {
    const output = outputOf.get(call);
    return output === undefined || !batch.includes(output);
  });
  return [
    ...inPlace.map(outputMessage),
    ...others.map((call) => {
      const output = outputOf.get(call);
      return output === undefined ? standIn(call, warn) : outputMessage(output);
    }),
  ];
}

function standIn({ id, name, message }: Entry, warn: Warn): Message {
  warn({
    code: 'open-call',
    message: `the call "${name}" has no result; the model is told that it was not finished`,
    ...(message.origin === undefined ? {} : { origin: message.origin }),
  });
  return {
    ...message,
    role: 'function_call_output',
    content: JSON.stringify({ name, content: NOT_FINISHED, id }),
  };
}

const callMessage = ({ message }: Entry): Message =>
  message.role === 'mcp_call' ? { ...message, role: 'function_call' } : message;

/** Some providers refuse an empty result. */
function outputMessage({ message, value }: Entry): Message {
  const { content } = value;
  const text = typeof content === 'string' && content.trim() === '' ? '(empty)' : content;
  if (text === content && content !== undefined && content !== null) return message;
  return { ...message, content: JSON.stringify({ ...value, content: text ?? 'success' }) };
}

function tell(warn: Warn, { message }: Entry, why: string): void {
  warn({
    code: 'left-out',
    message: `"${message.role}:" is left out of the prompt: ${why}`,
    ...(message.origin === undefined ? {} : { origin: message.origin }),
  });
}
