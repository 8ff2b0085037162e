// The messages of a prompt as Chat Completions messages. Pure; what had to be changed on the way is told as warnings.

import { type Fields, isObject, parseJson } from '../../json.ts';
import type { Attachment, Message } from '../../types.ts';
import { withoutOldImages } from '../old-images.ts';
import type { WireNames } from '../tool-names.ts';
import { readCall, readOutput } from '../traffic.ts';
import type { PromptRequest } from '../types.ts';
import { type WireIds, wireIds } from '../wire-ids.ts';
import { storedDetails } from './details.ts';
import { type HistoryLevel, storedReasoning } from './reasoning.ts';

/** A message as it goes out. */
export type WireMessage = Readonly<Record<string, unknown>>;

export interface Translation {
  readonly messages: readonly WireMessage[];
  readonly warnings: readonly string[];
}

export interface TranslationOptions {
  /** Whether the server knows the role `developer`; others get `system` for it. */
  readonly developer: boolean;
  /** Which of the saved reasoning goes back. */
  readonly reasoning: HistoryLevel;
  readonly names: WireNames;
}

type Part = Readonly<Record<string, unknown>>;

/**
 * Blank messages and content for other backends are left out; the request's note is not added. Text before tool calls and the calls that stand
 * together become one message; a file joins the user messages beside it. Ids are made valid and unique, the same way each time.
 */
export function toWireMessages(request: PromptRequest, options: TranslationOptions): Translation {
  const state: State = { ...options, out: [], ids: wireIds(), thought: undefined, warnings: [] };
  const messages = withoutOldImages(request.messages);
  for (let index = 0; index < messages.length; index++) {
    const message = messages[index];
    if (message === undefined) break;
    const end = userRunEnd(messages, index);
    if (end > index) {
      state.thought = undefined;
      addUserRun(state, messages.slice(index, end), request.attachments);
      index = end - 1;
    } else if (message.role === 'provider_content') {
      const wanted =
        options.reasoning === 'all' || (options.reasoning === 'turn' && index >= request.turnStart);
      state.thought = wanted ? thoughtIn(message, request.endpoint.model) : undefined;
    } else addMessage(state, message);
  }
  trimLast(state);
  return { messages: state.out, warnings: state.warnings };
}

interface State extends TranslationOptions {
  readonly out: WireMessage[];
  readonly ids: WireIds;
  /** Fields of the message that comes next that hold its reasoning. */
  thought: Fields | undefined;
  readonly warnings: string[];
}

function addMessage(state: State, message: Message): void {
  const { role, content } = message;
  if (role === 'function_call') addCall(state, message);
  else if (role === 'function_call_output') addOutput(state, message);
  else if (content.trim() === '') return;
  else if (role === 'assistant') state.out.push({ role, content, ...reasoned(state) });
  else {
    // Its message is not there any more: it belongs to no other.
    state.thought = undefined;
    state.out.push({ role: role === 'developer' && !state.developer ? 'system' : role, content });
  }
}

/** Details are the whole of it; the text stands for it where there are none. */
function thoughtIn(message: Message, model: string | undefined): Fields | undefined {
  const details = storedDetails(message, model);
  if (details !== undefined) return { reasoning_details: details };
  const reasoning = storedReasoning(message);
  return reasoning === undefined ? undefined : { reasoning_content: reasoning };
}

/** The waiting reasoning; it waits no more. */
function reasoned(state: State): Fields {
  const { thought } = state;
  state.thought = undefined;
  return thought ?? {};
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
  const { name, id, arguments: given } = readCall(message);
  const call = {
    id: state.ids.call(id),
    type: 'function',
    function: {
      name: state.names.toWire(name),
      arguments: argumentText(state, name, given),
    },
  };
  const last = state.out.at(-1);
  // Reasoning that waits belongs to these calls, and not to the text before them.
  if (last?.role === 'assistant' && state.thought === undefined) {
    const calls = Array.isArray(last.tool_calls) ? last.tool_calls : [];
    state.out[state.out.length - 1] = { ...last, tool_calls: [...calls, call] };
  } else
    state.out.push({
      role: 'assistant',
      content: null,
      ...reasoned(state),
      tool_calls: [call],
    });
}

/** Servers read the arguments again, and refuse the whole prompt when they are no JSON object. */
function argumentText(state: State, name: string, given: unknown): string {
  if (isObject(given)) return JSON.stringify(given);
  if (given === undefined || given === null) return '{}';
  const source = typeof given === 'string' ? given : JSON.stringify(given);
  if (source.trim() === '') return '{}';
  if (isObject(parseJson(source))) return source;
  state.warnings.push(`the arguments of a call of "${name}" are no JSON object; sent as {}`);
  return '{}';
}

function addOutput(state: State, message: Message): void {
  const { id, text } = readOutput(message);
  const wireId = state.ids.output(id);
  state.thought = undefined;
  if (wireId === undefined)
    state.warnings.push(`a tool output without its call is left out (id "${id}")`);
  else state.out.push({ role: 'tool', tool_call_id: wireId, content: text });
}

/** A beginning that the model is to go on from may not end in white space. */
function trimLast({ out }: State): void {
  const last = out.at(-1);
  if (last?.role !== 'assistant' || typeof last.content !== 'string') return;
  out[out.length - 1] = { ...last, content: last.content.trimEnd() };
}
