// Reasoning of a Chat Completions model that goes back to it: what of a saved chat is sent again, and how a reply's reasoning is kept. Pure.

import { type Fields, fields, list, parseJson, text } from '../../json.ts';
import type { Message } from '../../types.ts';
import { choiceSetting } from '../settings.ts';
import type { PromptRequest } from '../types.ts';

/** How much of the saved reasoning is sent: none, that of the turn in progress, or that of every turn. */
export type HistoryLevel = 'drop' | 'turn' | 'all';

const LEVELS: readonly HistoryLevel[] = ['drop', 'turn', 'all'];

/**
 * The endpoint's `reasoning_history`. Without one, a server that showed reasoning gets all of it back: the history then stays the same to the byte, and
 * templates leave out what they have no use for. The original shows none and takes none.
 */
export function historyLevel({ endpoint }: PromptRequest, original: boolean): HistoryLevel {
  return choiceSetting(endpoint, 'reasoning_history', LEVELS) ?? (original ? 'drop' : 'all');
}

/** What is stored of a reply's reasoning. */
export function reasoningBlocks(reasoning: string): readonly Fields[] {
  return [{ type: 'reasoning_content', text: reasoning }];
}

/** The reasoning in a `provider_content` message; undefined for content of another kind. */
export function storedReasoning({ content }: Message): string | undefined {
  const texts = list(fields(parseJson(content)).blocks)
    .map(fields)
    .filter(({ type }) => type === 'reasoning_content')
    .map((block) => text(block.text) ?? '');
  const joined = texts.join('');
  return joined === '' ? undefined : joined;
}
