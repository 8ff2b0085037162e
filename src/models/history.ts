// Turns the messages of a prompt into the history that a model's chat template takes. Pure.

import { providerFailure } from '../errors.ts';
import { objectIn, parsedJson } from '../json.ts';
import type { Chat, Message } from '../types.ts';
import type { HistoryItem } from './llama.ts';

/** A call while its output may still come. */
interface OpenCall {
  readonly type: 'functionCall';
  readonly name: string;
  readonly params: unknown;
  readonly startsNewChunk: boolean;
  result: unknown;
}

interface Building {
  readonly items: HistoryItem[];
  readonly open: { readonly id: unknown; readonly call: OpenCall }[];
  /** The message before was a call. */
  inBatch: boolean;
}

/**
 * The history in the order of the messages; each call gets its output. `note` goes last. Throws a Failure (exit 4) for an image or a PDF:
 * these models read text only.
 */
export function toHistory(messages: Chat, note?: string): readonly HistoryItem[] {
  const building: Building = { items: [], open: [], inBatch: false };
  for (const message of messages) {
    add(message, building);
    building.inBatch = message.role === 'function_call';
  }
  if (note !== undefined) building.items.push({ type: 'user', text: note });
  return building.items;
}

function add(message: Message, building: Building): void {
  const { role, content } = message;
  switch (role) {
    case 'system':
    case 'developer':
      building.items.push({ type: 'system', text: content });
      return;
    case 'user':
      building.items.push({ type: 'user', text: content });
      return;
    case 'assistant':
      addToModel(content, building);
      return;
    case 'function_call':
      addCall(content, building);
      return;
    case 'function_call_output':
      addOutput(content, building);
      return;
    case 'image':
    case 'pdf':
      throw cannotSee(message);
    default:
      // What another provider wants back.
      return;
  }
}

/** One item holds everything that the model said and did between two other messages. */
function addToModel(part: string | OpenCall, { items }: Building): void {
  const last = items.at(-1);
  if (last?.type === 'model')
    items[items.length - 1] = { ...last, response: [...last.response, part] };
  else items.push({ type: 'model', response: [part] });
}

function addCall(content: string, building: Building): void {
  const { id, name, arguments: args } = objectIn(content) ?? {};
  const call: OpenCall = {
    type: 'functionCall',
    name: typeof name === 'string' ? name : 'unknown',
    params: json(args),
    startsNewChunk: !building.inBatch,
    result: undefined,
  };
  building.open.push({ id, call });
  addToModel(call, building);
}

function addOutput(content: string, { open }: Building): void {
  const { id, name: _name, content: value, ...rest } = objectIn(content) ?? {};
  const index = open.findIndex((each) => each.id === id);
  const [found] = index < 0 ? [] : open.splice(index, 1);
  if (found !== undefined) found.call.result = value === undefined ? rest : json(value);
}

function cannotSee({ role, origin }: Message): unknown {
  return providerFailure('vision-unsupported', 'the embedded model reads text only', {
    ...(origin === undefined ? {} : { at: origin }),
    next: `leave the "${role}" message out, or ask an endpoint whose model can see (-e)`,
    facts: { kind: 'vision_unsupported' },
  });
}

/** The value that a text holds as JSON; the text itself when it holds none. */
function json(value: unknown): unknown {
  if (typeof value !== 'string') return value;
  try {
    return parsedJson(value);
  } catch {
    return value;
  }
}
