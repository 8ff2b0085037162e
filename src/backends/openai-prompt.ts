// The messages of a prompt as Chat Completions messages. Pure; what had to be changed on the way is told as warnings.

import { locate, usageFailure } from '../errors.ts';
import type { Attachment, Message } from '../types.ts';
import { type Fields, isObject, parseJson } from './json.ts';
import type { PromptRequest } from './types.ts';

/** A message as it goes out. */
export type WireMessage = Readonly<Record<string, unknown>>;

export interface Translation {
  readonly messages: readonly WireMessage[];
  readonly warnings: readonly string[];
}

export interface TranslationOptions {
  /** Whether the server knows the role `developer`; others get `system` for it. */
  readonly developer: boolean;
}

type Part = Readonly<Record<string, unknown>>;

/**
 * Blank messages and content for other backends are left out. Text before tool calls and the calls that stand together
 * become one message; a file joins the user messages beside it. Ids that repeat are made unique, the same way each time.
 */
export function toWireMessages(request: PromptRequest, options: TranslationOptions): Translation {
  const state: State = { out: [], open: [], used: new Set(), warnings: [] };
  const { messages } = request;
  for (let index = 0; index < messages.length; index++) {
    const message = messages[index];
    if (message === undefined) break;
    const end = userRunEnd(messages, index);
    if (end > index) {
      addUserRun(state, messages.slice(index, end), request.attachments);
      index = end - 1;
    } else addMessage(state, message, options);
  }
  trimLast(state);
  if (request.note !== undefined) state.out.push({ role: 'user', content: request.note });
  return { messages: state.out, warnings: state.warnings };
}

interface State {
  readonly out: WireMessage[];
  /** Calls that wait for their outputs: the id in the chat, the id on the wire. */
  open: { readonly id: string; readonly wireId: string }[];
  readonly used: Set<string>;
  readonly warnings: string[];
}

function addMessage(state: State, message: Message, { developer }: TranslationOptions): void {
  const { role, content } = message;
  if (role === 'function_call') addCall(state, message);
  else if (role === 'function_call_output') addOutput(state, message);
  else if (role !== 'provider_content' && content.trim() !== '')
    state.out.push({ role: role === 'developer' && !developer ? 'system' : role, content });
}

const isUserSide = ({ role }: Message): boolean =>
  role === 'user' || role === 'image' || role === 'pdf';

/** Where user messages and files that stand together end. */
function userRunEnd(messages: readonly Message[], start: number): number {
  let end = start;
  for (let next = messages[end]; next !== undefined && isUserSide(next); next = messages[++end]);
  return end;
}

/** Without files each message stays its own; with files all become the parts of one, in their order. */
function addUserRun(
  state: State,
  run: readonly Message[],
  attachments: ReadonlyMap<string, Attachment>,
): void {
  const spoken = run.filter(({ content }) => content.trim() !== '');
  if (spoken.every(({ role }) => role === 'user')) {
    state.out.push(...spoken.map(({ content }) => ({ role: 'user', content })));
    return;
  }
  const parts = spoken.map((message) => userPart(message, attachments.get(message.content.trim())));
  state.out.push({ role: 'user', content: parts });
}

function userPart({ role, content }: Message, attachment: Attachment | undefined): Part {
  if (role === 'user') return { type: 'text', text: content };
  const path = content.trim();
  const url =
    attachment === undefined ? path : `data:${attachment.mediaType};base64,${attachment.base64}`;
  const isPdf =
    (attachment?.mediaType ?? (role === 'pdf' && 'application/pdf')) === 'application/pdf';
  if (isPdf) return { type: 'file', file: { filename: fileName(path), file_data: url } };
  return { type: 'image_url', image_url: { url } };
}

const fileName = (path: string): string => path.split(/[/\\]/).at(-1)?.split('?')[0] || 'file.pdf';

/** Calls that stand together are one message, with the text that stands right before them. */
function addCall(state: State, message: Message): void {
  const { name, id, arguments: given } = readObject(message);
  const wireId = uniqueId(
    state,
    typeof id === 'string' || typeof id === 'number' ? String(id) : '',
  );
  const call = {
    id: wireId,
    type: 'function',
    function: { name: String(name ?? ''), arguments: argumentText(state, name, given) },
  };
  state.open.push({ id: String(id ?? ''), wireId });
  const last = state.out.at(-1);
  if (last?.role === 'assistant') {
    const calls = Array.isArray(last.tool_calls) ? last.tool_calls : [];
    state.out[state.out.length - 1] = { ...last, tool_calls: [...calls, call] };
  } else state.out.push({ role: 'assistant', content: null, tool_calls: [call] });
}

/** Servers read the arguments again, and refuse the whole prompt when they are no JSON object. */
function argumentText(state: State, name: unknown, given: unknown): string {
  if (isObject(given)) return JSON.stringify(given);
  if (given === undefined || given === null) return '{}';
  const source = typeof given === 'string' ? given : JSON.stringify(given);
  if (source.trim() === '') return '{}';
  if (isObject(parseJson(source))) return source;
  state.warnings.push(
    `the arguments of a call of "${String(name)}" are no JSON object; sent as {}`,
  );
  return '{}';
}

function addOutput(state: State, message: Message): void {
  const { id, content } = readObject(message);
  const index = state.open.findIndex((call) => call.id === String(id ?? ''));
  const call = state.open[index];
  if (call === undefined) {
    state.warnings.push(`a tool output without its call is left out (id "${String(id)}")`);
    return;
  }
  state.open.splice(index, 1);
  const result = content ?? 'success';
  const text = typeof result === 'string' ? result : JSON.stringify(result);
  state.out.push({
    role: 'tool',
    tool_call_id: call.wireId,
    content: text.trim() === '' ? '(empty)' : text,
  });
}

function readObject(message: Message): Fields {
  const value = parseJson(message.content);
  if (isObject(value)) return value;
  const error = usageFailure('bad-tool-message', `"${message.role}:" does not hold a JSON object`);
  throw message.origin === undefined ? error : locate(error, message.origin);
}

/** Some servers count their ids from zero in each turn; others refuse an id that they have seen. */
function uniqueId({ used }: State, id: string): string {
  const base = id === '' ? 'call' : id;
  let unique = base;
  for (let number = 2; used.has(unique); number++) unique = `${base}_${number}`;
  used.add(unique);
  return unique;
}

/** A beginning that the model is to go on from may not end in white space. */
function trimLast({ out }: State): void {
  const last = out.at(-1);
  if (last?.role !== 'assistant' || typeof last.content !== 'string') return;
  out[out.length - 1] = { ...last, content: last.content.trimEnd() };
}
