// Time, chance and fresh ids of this machine.

import type { Clock } from './types/clock.ts';

export function createClock(): Clock {
  return {
    now: () => new Date(),
    monotonic: () => performance.now(),
    // The global is loaded at its first use, `node:crypto` with the program.
    id: () => globalThis.crypto.randomUUID(),
    random: () => Math.random(),
    sleep,
  };
}

function sleep(milliseconds: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason);
    const stop = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', stop);
      resolve();
    }, milliseconds);
    signal?.addEventListener('abort', stop, { once: true });
  });
}
