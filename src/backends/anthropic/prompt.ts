// The messages of a prompt as turns of the Messages protocol: roles joined, results first, saved blocks given back as they came. Pure;
// what had to be changed on the way is told as warnings.

import type { Attachment, Message } from '../../types.ts';
import { withoutOldImages } from '../old-images.ts';
import type { WireNames } from '../tool-names.ts';
import { argumentObject, type CallFields, readCall, readOutput } from '../traffic.ts';
import type { PromptRequest } from '../types.ts';
import { type WireIds, wireIds } from '../wire-ids.ts';
import { type Block, plain } from './blocks.ts';
import { mediaBlock } from './media.ts';
import { placeKey } from './place.ts';
import { type History, type ReplayOptions, replayAt } from './replay.ts';

/** A block and whether it stands elsewhere in the next request, so that no mark for the cache may be on it. */
export interface Piece {
  readonly block: Block;
  readonly moves?: true;
}

export interface Turn {
  readonly role: 'user' | 'assistant';
  readonly pieces: readonly Piece[];
}

export interface Translation {
  /** The text before the first turn; '' when there is none. */
  readonly system: string;
  readonly turns: readonly Turn[];
  readonly warnings: readonly string[];
}

export interface TranslationOptions {
  readonly history: History;
  readonly names: WireNames;
  /** Said at the very end. */
  readonly notes: readonly string[];
}

/** Turns begin with the user's and take turns from there; none is without a block, and no text block is blank. */
export function toTurns(request: PromptRequest, options: TranslationOptions): Translation {
  const { attachments } = request;
  const messages = withoutOldImages(request.messages);
  const state: State = {
    turns: [],
    names: options.names,
    ids: wireIds(),
    warnings: [],
  };
  const head = headEnd(messages);
  const replay = { ...options, place: placeKey(request.endpoint) };
  for (let index = head; index < messages.length; ) {
    const message = messages[index];
    if (message === undefined) break;
    index =
      giveBack(state, request, index, replay) ?? addMessage(state, message, attachments, index);
  }
  trimEnd(state);
  for (const note of options.notes) add(state, 'user', [textPiece(note, true)]);
  return {
    system: messages
      .slice(0, head)
      .map(({ content }) => plain(content))
      .filter((content) => content.trim() !== '')
      .join('\n\n'),
    turns: finished(state.turns),
    warnings: state.warnings,
  };
}

interface State {
  readonly turns: { role: Turn['role']; pieces: Piece[] }[];
  readonly names: WireNames;
  readonly ids: WireIds;
  readonly warnings: string[];
}

const isSystem = ({ role }: Message): boolean => role === 'system' || role === 'developer';

function headEnd(messages: readonly Message[]): number {
  const end = messages.findIndex((message) => !isSystem(message));
  return end === -1 ? messages.length : end;
}

function add({ turns }: State, role: Turn['role'], pieces: readonly Piece[]): void {
  const last = turns.at(-1);
  if (last?.role === role) last.pieces.push(...pieces);
  else turns.push({ role, pieces: [...pieces] });
}

const textPiece = (text: string, moves = false): Piece => ({
  block: { type: 'text', text },
  ...(moves ? { moves: true } : {}),
});

/** Returns the index of the next message. */
function addMessage(
  state: State,
  message: Message,
  attachments: ReadonlyMap<string, Attachment>,
  index: number,
): number {
  const { role, content } = message;
  if (role === 'function_call') addCall(state, readCall(message));
  else if (role === 'function_call_output') addOutput(state, message);
  else if (role === 'image' || role === 'pdf')
    add(state, 'user', [{ block: mediaBlock(message, attachments) }]);
  else if (role !== 'provider_content') {
    const text = plain(content);
    // A system message further down depends on the model; every model takes it from the user.
    if (role !== 'assistant')
      add(state, 'user', text.trim() === '' ? [] : [textPiece(text, isSystem(message))]);
    else if (text.trim() !== '') add(state, 'assistant', [textPiece(text)]);
  }
  return index + 1;
}

function addCall(state: State, { id, name, arguments: given }: CallFields): void {
  const input = argumentObject(given);
  if (input === undefined)
    state.warnings.push(`the arguments of a call of "${name}" are no JSON object; sent as {}`);
  const block = {
    type: 'tool_use',
    id: state.ids.call(id),
    name: state.names.toWire(name),
    input: input ?? {},
  };
  add(state, 'assistant', [{ block }]);
}

function addOutput(state: State, message: Message): void {
  const { id, text, failed } = readOutput(message);
  const wireId = state.ids.output(id);
  if (wireId === undefined) {
    state.warnings.push(`a tool output without its call is left out (id "${id}")`);
    return;
  }
  const block = {
    type: 'tool_result',
    tool_use_id: wireId,
    content: text,
    ...(failed ? { is_error: true } : {}),
  };
  add(state, 'user', [{ block }]);
}

/**
 * The saved blocks of the answer that begins at `index`, in place of the text and the calls that they cover; calls that were added to it
 * follow. Returns the index behind the answer, undefined when it is told message by message.
 */
function giveBack(state: State, request: PromptRequest, index: number, options: ReplayOptions) {
  const { ids, names } = state;
  const replay = replayAt(request, index, options);
  if (replay === undefined) return undefined;
  const pieces = replay.blocks.map((block) => {
    const call = replay.calls.get(block);
    if (call === undefined) return { block };
    return { block: { ...block, id: ids.call(call.id), name: names.toWire(String(block.name)) } };
  });
  add(state, 'assistant', pieces);
  for (const call of replay.further) addCall(state, call);
  return replay.end;
}

/** A beginning that the model is to go on from may not end in white space. */
function trimEnd({ turns }: State): void {
  const last = turns.at(-1);
  const piece = last?.role === 'assistant' ? last.pieces.at(-1) : undefined;
  if (piece === undefined || last === undefined || typeof piece.block.text !== 'string') return;
  const block = { ...piece.block, text: piece.block.text.trimEnd() };
  last.pieces.splice(-1, 1, { ...piece, block });
}

/** Results stand before everything else that the user says; who says nothing says "(empty)". The first word is the user's. */
function finished(turns: readonly Turn[]): readonly Turn[] {
  const all =
    turns[0]?.role === 'assistant' ? [{ role: 'user', pieces: [] } as const, ...turns] : turns;
  return all.map(({ role, pieces }) => {
    if (role === 'assistant') return { role, pieces };
    const isResult = ({ block }: Piece) => block.type === 'tool_result';
    const ordered = [...pieces.filter(isResult), ...pieces.filter((each) => !isResult(each))];
    return { role, pieces: ordered.length === 0 ? [textPiece('(empty)')] : ordered };
  });
}
