// How much a model is to think, as the setting `thinking` says.

import type { Endpoint } from '../config/types.ts';

export type ThinkingLevel = 'low' | 'medium' | 'high';

export const LEVELS: readonly ThinkingLevel[] = ['low', 'medium', 'high'];

/** Undefined: nothing is said about it. An unknown level counts as none, with a warning. */
export function thinkingLevel({ settings }: Pick<Endpoint, 'settings'>): {
  readonly level?: ThinkingLevel | 'off';
  readonly warnings: readonly string[];
} {
  const { thinking: given } = settings;
  if (given === 'off' || given === false) return { level: 'off', warnings: [] };
  const level = LEVELS.find((each) => each === given);
  if (level !== undefined) return { level, warnings: [] };
  const unset = given === undefined || given === null || given === '' || given === 'default';
  const warning = `"thinking" must be off, low, medium, high or default, not ${JSON.stringify(given)}; left out`;
  return { warnings: unset ? [] : [warning] };
}
