// The command line as options.

import { usageFailure } from '../errors.ts';
import type { Options } from '../types.ts';
import type { AskFlags } from './types/flags.ts';

/** The flags as options: `-o key=value`, and the ones that have a name of their own. */
export function flagOptions(flags: AskFlags): Options {
  const pairs = (flags.options ?? []).map((text) => {
    const at = text.indexOf('=');
    const key = text.slice(0, Math.max(at, 0)).trim();
    // An empty value takes the option back, as in a chat.
    if (key !== '') return [key, text.slice(at + 1)] as const;
    throw usageFailure('bad-option', `-o takes key=value, not "${text}"`, {
      at: 'command line',
      next: 'write it as in -o temperature=0; chat help endpoints lists the options',
    });
  });
  const named = { endpoint: flags.endpoint, model: flags.model, backend: flags.backend };
  return Object.fromEntries([
    ...pairs,
    ...Object.entries(named).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, value] as const],
    ),
  ]);
}
