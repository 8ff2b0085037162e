// `shorten_tools_epoch` and `shorten_tools_epoch_increment`: what is whole, shortened and dropped changes only when an epoch ends. Until
// then a prompt that grows keeps its beginning byte for byte, and the provider's cache works.

import type { Chat } from '../../types.ts';
import { type Counts, withFates, withNote } from './fates.ts';
import { evenRegions, growingRegions, type Regions } from './regions.ts';
import { type Thresholds, thresholds } from './thresholds.ts';
import { type Fate, type Pair, signatureOf, toolPairs } from './traffic.ts';
import type { StrategyContext } from './types.ts';

type Settings = Pick<StrategyContext, 'settings'>;

/** Epochs of one size. */
export function shortenToolsEpoch(prompt: Chat, { settings }: Settings): Chat {
  const limits = thresholds(settings);
  const pairs = toolPairs(prompt);
  const regions = evenRegions(pairs.length, limits);
  return regions === undefined ? prompt : compacted(prompt, pairs, regions, limits);
}

/** Epochs that grow. */
export function shortenToolsEpochIncrement(prompt: Chat, { settings }: Settings): Chat {
  const limits = thresholds(settings);
  const pairs = toolPairs(prompt);
  if (pairs.length <= limits.epoch_threshold) return prompt;
  const repeats = repeatsOf(prompt, pairs);
  const regions = growingRegions(pairs.length, (call) => repeats.has(call), limits);
  return regions === undefined ? prompt : compacted(prompt, pairs, regions, limits);
}

/** Numbers of the calls that were made before with the same arguments. */
function repeatsOf(prompt: Chat, pairs: readonly Pair[]): ReadonlySet<number> {
  const seen = new Set<string>();
  const repeats = new Set<number>();
  for (const [index, { call }] of pairs.entries()) {
    const message = prompt[call];
    const signature = message === undefined ? '' : signatureOf(message);
    if (seen.has(signature)) repeats.add(index + 1);
    seen.add(signature);
  }
  return repeats;
}

function compacted(
  prompt: Chat,
  pairs: readonly Pair[],
  regions: Regions,
  limits: Thresholds,
): Chat {
  const { pinnedTotal } = regions;
  const whole = latestRepeats(prompt, pairs.slice(0, pinnedTotal));
  const first = firstOfRound(pairs, pinnedTotal);
  const dropped = Math.min(regions.dropped, first);
  const end = Math.min(regions.dropped + regions.compacted, first);
  // A call that stands before the last shortened output is shortened with it: calls of one round stand before all of their outputs.
  const boundary = pairs[end - 1]?.output ?? -1;
  const fates = new Map<number, Fate>();
  for (const [index, pair] of pairs.entries()) {
    if (whole.has(pair)) continue;
    if (index < dropped) {
      fates.set(pair.call, 'drop');
      fates.set(pair.output, 'drop');
      continue;
    }
    for (const place of [pair.call, pair.output])
      if (place <= boundary) fates.set(place, 'shorten');
  }
  const { chat, counts } = withFates(prompt, fates, limits);
  return counts.shortened + counts.dropped === 0 ? prompt : withNote(chat, noteOf(counts));
}

/**
 * The first pair of the round that began the epoch. However many calls it made, they are whole: the model has not seen their outputs when
 * the epoch begins.
 */
function firstOfRound(pairs: readonly Pair[], index: number): number {
  let first = index;
  while (first > 0 && (pairs[first]?.call ?? 0) < (pairs[first - 1]?.output ?? 0)) first -= 1;
  return first;
}

/** Of calls that were repeated the latest: it is kept whole. Only what the epoch began with counts, so that a repeat within it moves nothing. */
function latestRepeats(prompt: Chat, pairs: readonly Pair[]): ReadonlySet<Pair> {
  const latest = new Map<string, Pair>();
  const repeated = new Set<string>();
  for (const pair of pairs) {
    const message = prompt[pair.call];
    if (message === undefined) continue;
    const signature = signatureOf(message);
    if (latest.has(signature)) repeated.add(signature);
    latest.set(signature, pair);
  }
  return new Set([...repeated].flatMap((signature) => latest.get(signature) ?? []));
}

/** What the model is told, and how it can tell a shortened text. */
const noteOf = ({ shortened, dropped }: Counts): string =>
  `[Not from the user: to save room, ${shortened} earlier tool messages are shortened in this prompt and ${dropped} are left out. A text that says "shortened from" stands here without its middle.]`;
