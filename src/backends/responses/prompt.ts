// The messages of a prompt as the input of a Responses request. Pure; what had to be changed on the way is told as warnings.

import { contentText } from '../../chat/normalise.ts';
import type { Fields } from '../../json.ts';
import type { Message } from '../../types.ts';
import { choiceSetting } from '../settings.ts';
import type { WireNames } from '../tool-names.ts';
import { readOutput } from '../traffic.ts';
import type { PromptRequest } from '../types.ts';
import { type WireIds, wireIds } from '../wire-ids.ts';
import { type Entry, readAnswer, type WireCall } from './answer.ts';
import { type StoredCall, saidItem, storedCall, textItem, userItem } from './items.ts';
import { namedResponse, ownArguments, readBlocks, toKept } from './kept.ts';
import type { Replay } from './known.ts';
import { placeKey } from './place.ts';

/** An answer in the input that a request may go on from. */
export interface Mark {
  readonly id: string;
  /** Digest of the history that it was made from. */
  readonly history: string;
  /** Its own items are those in [start, end). */
  readonly start: number;
  readonly end: number;
}

export interface Translation {
  /** The system messages at the head, which no answer carries on. */
  readonly instructions?: string;
  readonly entries: readonly Entry[];
  readonly marks: readonly Mark[];
  /** The response that the chat itself names, and the entries before that place. */
  readonly named?: { readonly id: string; readonly at: number };
  readonly warnings: readonly string[];
}

/**
 * Blank messages and content for other backends are left out. What the provider must get back goes before the text and the calls it belongs to, in the
 * order in which it came; it is left out when those were changed, when it comes from another model, and as `reasoning_history` and
 * `replay` say.
 */
export function toInput(
  request: PromptRequest,
  names: WireNames,
  replay: Replay = 'all',
): Translation {
  const { messages } = request;
  const head = headEnd(messages);
  const instructions = messages.slice(0, head).map(contentText).filter(Boolean).join('\n\n');
  const state = emptyState(request, names, replay);
  for (let index = head; index < messages.length; index++) {
    const message = messages[index];
    if (message === undefined) break;
    const group = groupAt(messages, index);
    if (group !== undefined) {
      addGroup(state, group);
      index = group.end - 1;
    } else addMessage(state, message);
  }
  return {
    entries: state.entries,
    marks: state.marks,
    warnings: state.warnings,
    ...(instructions === '' ? {} : { instructions }),
    ...(state.named === undefined ? {} : { named: state.named }),
  };
}

interface State {
  readonly request: PromptRequest;
  readonly place: string;
  /** Content that goes back is that of messages from here on. */
  readonly from: number;
  readonly replay: Replay;
  readonly entries: Entry[];
  readonly marks: Mark[];
  readonly warnings: string[];
  readonly ids: WireIds;
  readonly toWire: (name: string) => string;
  named: Translation['named'];
}

function emptyState(request: PromptRequest, names: WireNames, replay: Replay): State {
  return {
    request,
    place: placeKey(request.endpoint),
    from: replayStart(request),
    replay,
    entries: [],
    marks: [],
    warnings: [],
    ids: wireIds(),
    toWire: names.toWire,
    named: undefined,
  };
}

/** `turn` keeps that of the turn in progress, and that of the newest calls, whose outputs are about to be read. */
function replayStart({ endpoint, messages, turnStart }: PromptRequest): number {
  const level = choiceSetting(endpoint, 'reasoning_history', ['drop', 'turn', 'all']) ?? 'all';
  if (level === 'drop') return Number.POSITIVE_INFINITY;
  if (level === 'all') return 0;
  const newest = messages.findLastIndex(({ role }) => role === 'provider_content');
  const said = messages.slice(newest + 1).find(({ role }) => role !== 'assistant');
  return newest >= 0 && said?.role === 'function_call' ? Math.min(newest, turnStart) : turnStart;
}

function headEnd(messages: readonly Message[]): number {
  const end = messages.findIndex(({ role }) => role !== 'system');
  return end === -1 ? messages.length : end;
}

/** Messages that are translated together. */
interface Group {
  readonly index: number;
  readonly end: number;
  readonly kind: 'user' | 'model';
  readonly messages: readonly Message[];
}

const USER_SIDE: ReadonlySet<string> = new Set(['user', 'image', 'pdf']);

/** User messages and files that stand together, or what an answer left with its text and its calls. */
function groupAt(messages: readonly Message[], index: number): Group | undefined {
  const role = messages[index]?.role ?? '';
  let end = index;
  if (USER_SIDE.has(role)) while (USER_SIDE.has(messages[end]?.role ?? '')) end++;
  else if (role === 'provider_content') {
    end++;
    if (messages[end]?.role === 'assistant') end++;
    while (messages[end]?.role === 'function_call') end++;
  }
  if (end === index) return undefined;
  const kind = role === 'provider_content' ? 'model' : 'user';
  return { index, end, kind, messages: messages.slice(index, end) };
}

function addGroup(state: State, group: Group): void {
  if (group.kind === 'model') addAnswer(state, group);
  else addUserRun(state, group.messages);
}

/** Without files each message stays its own. */
function addUserRun(state: State, run: readonly Message[]): void {
  const spoken = run.filter((message) => contentText(message) !== '');
  if (spoken.every(({ role }) => role === 'user'))
    for (const each of spoken) add(state, textItem(each));
  else add(state, userItem(spoken, state.request.attachments));
}

function add(state: State, item: Fields, own = false): void {
  state.entries.push({ item, own });
}

function addMessage(state: State, message: Message): void {
  if (message.role === 'function_call') add(state, callItem(state, storedCall(message)).item);
  else if (message.role === 'function_call_output') addOutput(state, message);
  else if (contentText(message) === '') return;
  else if (message.role === 'assistant') add(state, saidItem(contentText(message)));
  else add(state, textItem(message));
}

function callItem(state: State, call: StoredCall, given?: string): WireCall {
  if (call.odd)
    state.warnings.push(`the arguments of a call of "${call.name}" are no JSON object; sent as {}`);
  const id = state.ids.call(call.id);
  const name = state.toWire(call.name);
  const args = ownArguments(given, call.json);
  return {
    item: { type: 'function_call', call_id: id, name, arguments: args },
    sameId: id === call.id,
  };
}

function addOutput(state: State, message: Message): void {
  const { id, text: output } = readOutput(message);
  const wireId = state.ids.output(id);
  if (wireId === undefined)
    state.warnings.push(`a tool output without its call is left out (id "${id}")`);
  else add(state, { type: 'function_call_output', call_id: wireId, output });
}

/** What was left by an answer, with the answer itself. A place that the chat names is noted. */
function addAnswer(state: State, { index, messages }: Group): void {
  const [left, ...rest] = messages;
  const blocks = readBlocks(left?.content ?? '') ?? [];
  const id = namedResponse(blocks);
  if (id !== undefined) state.named = { id, at: state.entries.length };
  const said = rest.find(({ role }) => role === 'assistant');
  const stored = rest.filter(({ role }) => role === 'function_call').map(storedCall);
  const answer = readAnswer(toKept(blocks), state.place, {
    text: said === undefined ? '' : contentText(said),
    calls: stored,
  });
  const calls = stored.map((call) => callItem(state, call, answer.given(call.id)));
  const start = state.entries.length;
  state.entries.push(...answer.entries(calls, index < state.from ? 'none' : state.replay));
  const mark = answer.mark(calls);
  if (mark !== undefined) state.marks.push({ ...mark, start, end: state.entries.length });
}
