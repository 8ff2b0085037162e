// Warnings about a request are the same in each round of a run: they are told once.

import type { BackendContext, PromptRequest } from './types.ts';

/** A process may serve many runs. */
const MOST_TOLD = 1000;

/** Passes on the warnings that the run has not heard yet. */
export function createTeller() {
  const told = new Set<string>();
  return (
    { sessionId }: Pick<PromptRequest, 'sessionId'>,
    { warnings }: { readonly warnings: readonly string[] },
    { warn }: Pick<BackendContext, 'warn'>,
  ): void => {
    if (told.size > MOST_TOLD) told.clear();
    for (const warning of warnings) {
      const said = `${sessionId} ${warning}`;
      if (!told.has(said)) warn(warning);
      told.add(said);
    }
  };
}
