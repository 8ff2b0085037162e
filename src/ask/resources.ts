// What a run opens and shares with those that it asks (servers of tools): there once, and ended with the last that uses it.

import type { Ledger, Resources } from './types/run.ts';

export function createResources(): Resources {
  const open = new Map<string, { close(): Promise<void> }>();
  let holders = 0;
  const close = async () => {
    const all = [...open.values()];
    open.clear();
    await Promise.all(all.map((each) => each.close()));
  };
  return {
    obtain<T extends { close(): Promise<void> }>(name: string, make: () => T): T {
      const found = open.get(name) ?? make();
      open.set(name, found);
      // Whoever asks under a name knows what it made there.
      return found as T;
    },
    hold() {
      let isHeld = true;
      holders += 1;
      return async () => {
        if (!isHeld) return;
        isHeld = false;
        holders -= 1;
        if (holders === 0) await close();
      };
    },
  };
}

/** Those of the run that takes from this ledger, and of all that take from it too. */
export function resourcesOf(ledger: Ledger): Resources {
  ledger.resources ??= createResources();
  return ledger.resources;
}
