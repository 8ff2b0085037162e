// The strategies by name. `none` and `inbox` change no prompt by themselves: what the inbox brings is added by the run that asks.

import { shortenToolsEpoch, shortenToolsEpochIncrement } from './shorten-epochs.ts';
import { shortenTools } from './shorten-tools.ts';
import type { Strategy } from './types.ts';

const same: Strategy = (prompt) => prompt;

export const STRATEGIES: Readonly<Record<string, Strategy>> = {
  shorten_tools: shortenTools,
  shorten_tools_epoch: shortenToolsEpoch,
  shorten_tools_epoch_increment: shortenToolsEpochIncrement,
  inbox: same,
  none: same,
};

export const DEFAULT_STRATEGIES: readonly string[] = ['shorten_tools_epoch_increment', 'inbox'];

/** The strategy of that name; undefined when it is none of the program's own. */
export const strategyNamed = (name: string): Strategy | undefined =>
  Object.hasOwn(STRATEGIES, name) ? STRATEGIES[name] : undefined;

/** Names of the program's own strategies. */
export const OWN_STRATEGIES: readonly string[] = Object.keys(STRATEGIES);
