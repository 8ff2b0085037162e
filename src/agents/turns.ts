// Lets so many pieces of work run at a time; the others wait in the order in which they came.

import type { Turns } from './types.ts';

export function turns(): Turns {
  let running = 0;
  const waiting: (() => void)[] = [];
  return {
    async take(most, work) {
      if (running >= most) await new Promise<void>((resolve) => waiting.push(resolve));
      else running++;
      try {
        return await work();
      } finally {
        const next = waiting.shift();
        // A turn is passed on, so that nobody slips in between.
        if (next === undefined) running--;
        else next();
      }
    },
  };
}
