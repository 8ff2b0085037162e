// The options that every command takes.

import type { OptionSpec } from './spec.ts';

export const GLOBAL_OPTIONS: readonly OptionSpec[] = [
  { long: 'help', short: 'h', summary: 'Show this help and exit' },
  { long: 'version', summary: 'Show the version and exit' },
  { long: 'quiet', short: 'q', summary: 'Print nothing on standard error but errors' },
  { long: 'verbose', short: 'v', summary: 'Print more on standard error' },
  {
    long: 'color',
    value: 'when',
    choices: ['auto', 'always', 'never'],
    summary: 'Colour the output: auto (on a terminal), always or never',
  },
  { long: 'debug', summary: 'Add the stack to an error message' },
];

/** The options of a command with the global ones that it does not define itself. */
export function allOptions(own: readonly OptionSpec[]): readonly OptionSpec[] {
  return [...own, ...globalsBeside(own)];
}

/** The global options that a command does not define itself. */
export function globalsBeside(own: readonly OptionSpec[]): readonly OptionSpec[] {
  return GLOBAL_OPTIONS.filter((option) => !own.some(({ long }) => long === option.long));
}
