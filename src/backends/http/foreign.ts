// Whether what arrives is of the protocol that was asked for. Where the address is right and the backend is not, asking again would bring
// the same, and be paid for each time.

import type { Failure } from '../../errors.ts';
import type { Fields } from '../../json.ts';
import { badReply, type Site } from './problems.ts';

export interface Recogniser {
  look(event: Fields): void;
  /** Undefined when something of the protocol has arrived, or nothing at all. */
  problem(site: Site): Failure | undefined;
}

/** `isOwn` tells an event of the protocol. */
export function recogniser(isOwn: (event: Fields) => boolean): Recogniser {
  let known = false;
  let odd: string | undefined;
  return {
    look(event) {
      if (known) return;
      known = isOwn(event);
      if (!known) odd ??= JSON.stringify(event);
    },
    problem: (site) => (known || odd === undefined ? undefined : foreign(site, odd)),
  };
}

/** `quote` came in place of an answer. */
export const foreign = (site: Site, quote: string): Failure =>
  badReply(site, 'sent no answer of this protocol', quote, false);
