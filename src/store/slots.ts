// A number of places for work; who finds none waits for its turn, first come, first served.

export interface Slots {
  /** Resolves when there is a place, which is then taken. Rejects with the signal's reason. */
  take(): Promise<Slot>;
  /** Nobody will ask any more: the signal is no longer listened to. */
  close(): void;
}

/** A place that can be left and entered again. Leaving one that was left does nothing. */
export interface Slot {
  leave(): void;
  enter(): Promise<void>;
}

export function createSlots(count: number, signal: AbortSignal): Slots {
  let free = count;
  const waiting: { readonly go: () => void; readonly stop: () => void }[] = [];

  const acquire = async (): Promise<void> => {
    signal.throwIfAborted();
    if (free > 0) {
      free -= 1;
      return;
    }
    await new Promise<void>((resolve, reject) => {
      waiting.push({ go: resolve, stop: () => reject(signal.reason) });
    });
  };
  const release = (): void => {
    const next = waiting.shift();
    if (next === undefined) free += 1;
    else next.go();
  };
  const stopAll = () => {
    for (const { stop } of waiting.splice(0)) stop();
  };
  signal.addEventListener('abort', stopAll, { once: true });
  return {
    close: () => signal.removeEventListener('abort', stopAll),
    async take() {
      await acquire();
      let inside = true;
      return {
        leave() {
          if (inside) release();
          inside = false;
        },
        async enter() {
          if (inside) return;
          await acquire();
          inside = true;
        },
      };
    },
  };
}
