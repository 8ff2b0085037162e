// `shorten_tools`: from the newest call back, whole as long as there is room, then shortened, then dropped.

import type { Chat } from '../../types.ts';
import { withFates } from './fates.ts';
import { thresholds } from './thresholds.ts';
import { type Fate, toolPairs } from './traffic.ts';
import type { StrategyContext } from './types.ts';

/** Its boundary moves with every call, so that a provider's cache is of little use to it. */
export function shortenTools(prompt: Chat, { settings }: Pick<StrategyContext, 'settings'>): Chat {
  const limits = thresholds(settings);
  const pairs = toolPairs(prompt);
  /** By place of either message: the rank of its pair, counted from the newest output. */
  const rankOf = new Map<number, number>();
  for (const [index, { call, output }] of pairs.entries()) {
    rankOf.set(call, pairs.length - index);
    rankOf.set(output, pairs.length - index);
  }
  const seen = prompt.findLastIndex(({ role }) => role === 'assistant' || role === 'function_call');
  /** Outputs that the model has not seen yet, with their calls. */
  const fresh = new Set(pairs.flatMap(({ call, output }) => (output > seen ? [call, output] : [])));
  const places = [...rankOf.keys()].sort((one, other) => other - one);
  const whole = new Set<number>();
  let length = 0;
  for (const place of places) {
    const isNew = fresh.has(place) || (rankOf.get(place) ?? 0) <= limits.full_tool_outputs;
    if (!isNew && length >= limits.max_tool_chars) continue;
    whole.add(place);
    length += prompt[place]?.content.length ?? 0;
  }
  const most = Math.min(limits.max_tool_calls, limits.max_tool_outputs);
  const fates = new Map<number, Fate>();
  for (const { call, output } of pairs) {
    const isOver = (rankOf.get(output) ?? 0) > most;
    if (isOver && !whole.has(output)) {
      fates.set(call, 'drop');
      fates.set(output, 'drop');
      continue;
    }
    for (const place of [call, output]) if (!whole.has(place)) fates.set(place, 'shorten');
  }
  return withFates(prompt, fates, limits).chat;
}
