// Which saved blocks of an answer go back to the provider, and which of the chat's calls they cover. Pure.

import type { Message } from '../../types.ts';
import type { WireNames } from '../tool-names.ts';
import { type CallFields, readCall, readOutput } from '../traffic.ts';
import type { PromptRequest } from '../types.ts';
import {
  type Block,
  isThinking,
  matched,
  plain,
  type StoredAnswer,
  storedBlocks,
} from './blocks.ts';

/** How far back thinking is given back: everywhere, from the last question on, nowhere. */
export type History = 'all' | 'turn' | 'none';

export interface Replay {
  readonly blocks: readonly Block[];
  /** The call in the chat for each call among the blocks. */
  readonly calls: ReadonlyMap<Block, CallFields>;
  /** Calls of the same answer that no block covers: somebody added them. */
  readonly further: readonly CallFields[];
  /** Index behind the answer, where its outputs begin. */
  readonly end: number;
}

export interface ReplayOptions {
  readonly names: WireNames;
  readonly history: History;
  /** The host that is asked. */
  readonly place: string;
}

/**
 * The answer whose blocks stand at `index`. Undefined when there are none, or they came from another host, or the chat says something else
 * than they do by now, or one of their calls has no output.
 */
export function replayAt(
  { messages, turnStart }: Pick<PromptRequest, 'messages' | 'turnStart'>,
  index: number,
  { names, history, place }: ReplayOptions,
): Replay | undefined {
  const kept = messages[index];
  const stored = kept?.role === 'provider_content' ? storedBlocks(kept) : undefined;
  if (stored === undefined || (stored.place ?? place) !== place) return undefined;
  const { blocks } = stored;
  const answer = answerAt(messages, index + 1, blocks);
  const calls = matched(blocks, answer, names);
  if (calls === undefined || !areAnswered(calls, messages, answer.end)) return undefined;
  const isNewest = messages.findLastIndex(({ role }) => ANSWERING.has(role)) < answer.end;
  // A provider wants the thinking of a tool loop that goes on, wherever the question stands.
  const inTurn = index >= turnStart || (isNewest && answer.calls.length > 0);
  const whole = history === 'all' || (history === 'turn' && inTurn);
  const sent = whole ? blocks : blocks.filter((block) => !isThinking(block));
  // Thinking that led to nothing cannot be all that was said.
  if (sent.every(isThinking)) return undefined;
  const covered = new Set(calls.values());
  const further = answer.calls.filter((call) => !covered.has(call));
  return { blocks: sent, calls, further, end: answer.end };
}

const ANSWERING: ReadonlySet<string> = new Set(['assistant', 'function_call', 'provider_content']);

/** Text and calls of one answer; `end` is the index behind them. */
function answerAt(
  messages: readonly Message[],
  start: number,
  blocks: readonly Block[],
): StoredAnswer & { readonly end: number } {
  let end = start;
  const said = messages[end];
  const hasText = said?.role === 'assistant' && blocks.some(({ type }) => type === 'text');
  if (hasText) end += 1;
  const calls: CallFields[] = [];
  for (let next = messages[end]; next?.role === 'function_call'; next = messages[++end])
    calls.push(readCall(next));
  return { text: hasText ? plain(said.content) : '', calls, end };
}

function areAnswered(
  calls: ReadonlyMap<Block, CallFields>,
  messages: readonly Message[],
  start: number,
): boolean {
  const outputs = new Set<string>();
  let at = start;
  for (let next = messages[at]; next?.role === 'function_call_output'; next = messages[++at])
    outputs.add(readOutput(next).id);
  return [...calls.values()].every(({ id }) => outputs.has(id));
}
