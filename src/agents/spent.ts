// What replies cost that no message was kept of: their round did not complete.

import { metaMessage } from '../ask/messages.ts';
import type { AskEvent } from '../ask/types/events.ts';
import type { Message } from '../types.ts';
import type { Clock } from '../world/types/clock.ts';

export interface Spent {
  see(event: AskEvent): void;
  /** A meta for each of them. */
  metas(): readonly Message[];
}

export function spentBy(endpoint: string, clock: Pick<Clock, 'id' | 'now'>): Spent {
  let open: Message[] = [];
  return {
    see(event) {
      if (event.kind === 'reply') {
        const { reply, seconds } = event;
        const book = {
          ...{ inferenceId: clock.id(), sent: new Date(clock.now().getTime() - seconds * 1000) },
          ...{ seconds, endpoint, model: reply.model, chatTotals: {}, processTotals: {} },
        };
        open.push(metaMessage(reply, book, true));
      }
      // A complete round has the metas of all its requests, what is kept of another one that of its last.
      if (event.kind === 'round') open = [];
      if (event.kind === 'partial' && event.messages.some(({ role }) => role === 'meta'))
        open = open.slice(0, -1);
    },
    metas: () => open,
  };
}
