// Reads what a tool output tells of delegated work: receipts of requests and of jobs, in the current form and in the older one.
// Malformed entries are told and passed over, never guessed at.

import { type MetaFields, TOKEN_FIELDS } from '../chat/meta.ts';
import { isObject } from '../json.ts';
import { addAll } from '../lists.ts';
import type { Chat } from '../types.ts';
import { metaFields } from './meta-fields.ts';
import { countReason, jobOf, requestFields } from './request-fields.ts';
import { type JsonObject, type ToolCallRecord, toolCalls } from './tool-calls.ts';
import type { ChatProblem, Receipt } from './types/facts.ts';
import type { CallReference, ReceiptKey } from './types/places.ts';
import type { WarningReason } from './types/warnings.ts';

/**
 * Receipts of a chat, in the order of its calls: entries of `meta` (or `agent_meta`, when there is no `meta`) in outputs that belong to a call.
 * `tell` hears of each entry that is malformed, and of counts that are none.
 */
export function receipts(
  calls: readonly ToolCallRecord[],
  tell: (problem: ChatProblem) => void,
): Receipt[] {
  const found: Receipt[] = [];
  for (const call of calls) if (call.envelope !== null) addAll(found, receiptsOf(call, tell));
  return found;
}

/** The same for a chat. */
export const receiptsIn = (chat: Chat, tell: (problem: ChatProblem) => void = () => {}) =>
  receipts(toolCalls(chat), tell);

function receiptsOf(call: ToolCallRecord, tell: (problem: ChatProblem) => void): Receipt[] {
  const { envelope, output_index: index } = call;
  if (envelope === null || index === null) return [];
  const key = keyOf(envelope);
  if (key === undefined) return [];
  const reference: CallReference = {
    id: call.call_id === null ? null : String(call.call_id),
    tool: call.name,
  };
  const entries = envelope[key];
  if (!Array.isArray(entries)) {
    tell({ ...problem('not_an_array', key), place: [index], call: reference });
    return [];
  }
  const agent = agentOf(call);
  const found: Receipt[] = [];
  for (const [entry, value] of entries.entries()) {
    const place: Receipt['place'] = [index, key, entry];
    const fields = key === 'meta' ? currentFields(value) : olderFields(value);
    if (typeof fields === 'string') {
      tell({ ...problem(fields, key), place, call: reference });
      continue;
    }
    const request = requestFields(fields, ({ code, message }) =>
      tell({ reason: countReason(code), message, place, call: reference }),
    );
    const job = jobOf(fields);
    if (request === undefined && job === undefined) continue;
    found.push({
      place,
      call: reference,
      ...(agent === undefined ? {} : { agent }),
      ...(request === undefined ? {} : { request }),
      ...(job === undefined ? {} : { job }),
    });
  }
  return found;
}

function keyOf(envelope: JsonObject): ReceiptKey | undefined {
  if (Object.hasOwn(envelope, 'meta')) return 'meta';
  return Object.hasOwn(envelope, 'agent_meta') ? 'agent_meta' : undefined;
}

/** The entry's fields, or why it has none. */
function currentFields(entry: unknown): MetaFields | WarningReason {
  if (!isObject(entry)) return 'not_a_hash';
  const fields = Object.entries(entry).flatMap(([name, value]): [string, string | number][] =>
    value === null ? [] : [[name, fieldOf(name, value)]],
  );
  return fields.length === 0 ? 'empty_meta' : Object.fromEntries(fields);
}

/** As it would stand in a meta message: counts in texts are read, what is neither text nor number becomes its JSON. */
function fieldOf(name: string, value: unknown): string | number {
  if (typeof value === 'string')
    return COUNTS.has(name) && /^\d{1,15}$/.test(value) ? Number(value) : value;
  return typeof value === 'number' ? value : JSON.stringify(value);
}

const COUNTS: ReadonlySet<string> = new Set(TOKEN_FIELDS);

function olderFields(entry: unknown): MetaFields | WarningReason {
  if (!isObject(entry)) return 'not_a_hash';
  if (entry.role !== 'meta') return 'invalid_role';
  if (typeof entry.content !== 'string') return 'invalid_content';
  const fields = metaFields(entry.content);
  return Object.keys(fields).length === 0 ? 'unparseable_meta' : fields;
}

/** Who was asked: the tools of delegation name the agent among their arguments, or in their own name. */
function agentOf({ name, arguments: given }: ToolCallRecord): string | undefined {
  const named = /^hand_off_to_(.+)$/.exec(name ?? '')?.[1];
  if (named !== undefined) return named;
  const value = typeof given === 'string' ? parsed(given) : given;
  return isObject(value) && typeof value.agent === 'string' ? value.agent : undefined;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const WHY: Readonly<Partial<Record<WarningReason, string>>> = {
  not_an_array: 'is no list of receipts',
  not_a_hash: 'has an entry that is no object',
  empty_meta: 'has an entry without fields',
  invalid_role: 'has an entry whose role is not meta',
  invalid_content: 'has an entry whose content is no text',
  unparseable_meta: 'has an entry whose content has no key=value',
};

const problem = (reason: WarningReason, key: ReceiptKey) => ({
  reason,
  message: `"${key}" of a tool output ${WHY[reason]}; it is not counted`,
});
