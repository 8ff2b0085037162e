// The tools that a server refused in the course of a run: one that it does not take does not make the other requests of the run fail.

import type { PromptRequest } from './types.ts';

export interface LeftTools {
  /** Names of those that are left out of the run's requests. */
  of(request: PromptRequest): ReadonlySet<string>;
  keep(request: PromptRequest, names: ReadonlySet<string>): void;
}

/** A process may serve many runs. */
const MOST_RUNS = 1000;

export function createLeftTools(): LeftTools {
  const runs = new Map<string, ReadonlySet<string>>();
  const keyOf = ({ sessionId, endpoint }: PromptRequest) =>
    JSON.stringify([sessionId, endpoint.name, endpoint.url, endpoint.model]);
  return {
    of: (request) => runs.get(keyOf(request)) ?? NONE,
    keep(request, names) {
      if (names.size === 0) return;
      if (runs.size > MOST_RUNS) runs.clear();
      runs.set(keyOf(request), names);
    },
  };
}

const NONE: ReadonlySet<string> = new Set();
