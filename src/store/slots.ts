// A number of places for work; who finds none waits for its turn, first come, first served.

import type { SharedSlots, Slots } from './types.ts';

interface Waiting {
  readonly signal: AbortSignal;
  readonly go: () => void;
  readonly stop: () => void;
}

export function createSlots(count: number): SharedSlots {
  let free = count;
  let waiting: Waiting[] = [];

  const acquire = async (signal: AbortSignal): Promise<void> => {
    signal.throwIfAborted();
    if (free > 0) {
      free -= 1;
      return;
    }
    await new Promise<void>((resolve, reject) => {
      waiting.push({ signal, go: resolve, stop: () => reject(signal.reason) });
    });
  };
  const release = (): void => {
    const next = waiting.shift();
    if (next === undefined) free += 1;
    else next.go();
  };
  const stopAll = (signal: AbortSignal) => {
    const stopped = waiting.filter((each) => each.signal === signal);
    waiting = waiting.filter((each) => each.signal !== signal);
    for (const { stop } of stopped) stop();
  };
  return { of: (signal) => slotsOf(signal, { acquire, release, stopAll }) };
}

function slotsOf(
  signal: AbortSignal,
  places: {
    readonly acquire: (signal: AbortSignal) => Promise<void>;
    readonly release: () => void;
    readonly stopAll: (signal: AbortSignal) => void;
  },
): Slots {
  const stop = () => places.stopAll(signal);
  signal.addEventListener('abort', stop, { once: true });
  return {
    close: () => signal.removeEventListener('abort', stop),
    async take() {
      await places.acquire(signal);
      let inside = true;
      return {
        leave() {
          if (inside) places.release();
          inside = false;
        },
        async enter() {
          if (inside) return;
          await places.acquire(signal);
          inside = true;
        },
      };
    },
  };
}
