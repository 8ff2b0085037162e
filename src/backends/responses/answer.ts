// An answer of the chat as items: its text, its calls, and what the provider gets back with them. Pure.

import type { Fields } from '../../json.ts';
import { saidItem } from './items.ts';
import { fits, isReadable, type Kept, type Standing } from './kept.ts';
import type { Replay } from './known.ts';

/** An item of the input. `own` ones are the provider's: they say nothing that is not in the chat in words. */
export interface Entry {
  readonly item: Fields;
  readonly own: boolean;
}

export interface WireCall {
  readonly item: Fields;
  /** The id in the chat is the one on the wire. */
  readonly sameId: boolean;
}

export interface Answer {
  /** The provider's text of a call's arguments. */
  given(id: string): string | undefined;
  /** In the order of the output. */
  entries(calls: readonly WireCall[], replay: Replay): readonly Entry[];
  /** The response, when a request may go on from it. */
  mark(calls: readonly WireCall[]): { readonly id: string; readonly history: string } | undefined;
}

/** What was kept counts only for the answer that it was kept with; for a changed one only its words are sent. */
export function readAnswer(kept: Kept, place: string, standing: Standing): Answer {
  const empty = standing.text === '' && standing.calls.length === 0;
  const whole = !empty && fits(kept, place, standing);
  const { header, parts } = kept;
  return {
    given(id) {
      const own = parts.find((part) => part.kind === 'call' && part.id === id);
      return whole && own?.kind === 'call' ? own.arguments : undefined;
    },
    entries(calls, replay) {
      const items = calls.map(({ item }) => item);
      if (!whole) return plain(standing.text, items);
      const entries = inOrder(kept, standing.text, items).filter(
        ({ item, own }) => !own || replay === 'all' || (replay === 'readable' && isReadable(item)),
      );
      // Blocks that something else made do not tell what belongs where: they go before all the rest.
      return header === undefined ? [...entries, ...plain(standing.text, items)] : entries;
    },
    mark(calls) {
      const { id, history } = header ?? {};
      if (!whole || id === undefined || history === undefined) return undefined;
      return calls.every(({ sameId }) => sameId) ? { id, history } : undefined;
    },
  };
}

const entry = (item: Fields): Entry => ({ item, own: false });

function plain(text: string, calls: readonly Fields[]): readonly Entry[] {
  return [...(text === '' ? [] : [saidItem(text)]), ...calls].map(entry);
}

function inOrder({ parts }: Kept, text: string, calls: readonly Fields[]): readonly Entry[] {
  const waiting = [...calls];
  return parts.flatMap((part) => {
    if (part.kind === 'item') return [{ item: part.item, own: true }];
    if (part.kind === 'call') return waiting.splice(0, 1).map(entry);
    return [entry(saidItem(part.text ?? text, part.phase))];
  });
}
