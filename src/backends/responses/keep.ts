// What is kept of a Responses answer in the chat, so that a later request can go on from it or send it back. Pure.

import { type Fields, isObject, text } from '../../json.ts';
import type { Keeps } from './body.ts';
import { isReadable, type Part, saidDigest, toBlocks } from './kept.ts';
import type { OwnCall, Slot } from './output.ts';

export interface Answered {
  readonly id: string | undefined;
  readonly slots: readonly Slot[];
  /** As it was shown. */
  readonly text: string;
  readonly calls: readonly OwnCall[];
}

/** The blocks in the order of the output, undefined when there is nothing to keep. */
export function keptBlocks(answer: Answered, keeps: Keeps): readonly Fields[] | undefined {
  const { id, text: said, calls } = answer;
  if (said.trim() === '' && calls.length === 0) return undefined;
  const parts = withoutLoose(partsOf(answer, keeps));
  // The provider would not know the outputs of calls that got other ids here.
  const known = calls.every(({ call, slot }) => call.id === slot.item.call_id);
  const goesOn = id !== undefined && keeps.stored && keeps.history !== undefined && known;
  if (!goesOn && parts.every(({ kind }) => kind !== 'item')) return undefined;
  const header = {
    place: keeps.place,
    said: saidDigest({ text: said, calls: calls.map(({ call }) => call) }),
    ...(goesOn ? { id, history: keeps.history } : {}),
  };
  return toBlocks({ header, parts });
}

function partsOf({ slots, calls }: Answered, keeps: Keeps): readonly Part[] {
  const several = slots.filter((slot) => slot.text.trim() !== '').length > 1;
  const bySlot = new Map(calls.map((each) => [each.slot, each]));
  return slots.flatMap((slot): readonly Part[] => {
    const { item } = slot;
    if (item.type === 'function_call') {
      const own = bySlot.get(slot);
      return own === undefined ? [] : [callPart(own)];
    }
    if (item.type === 'message' || item.type === undefined) return messagePart(slot, several);
    // Reasoning that is a mere name can go back where the provider keeps what it stands for.
    const isUseful = slot.done && (keeps.stored || isReadable(item));
    return isUseful ? [{ kind: 'item', item: sendable(item) }] : [];
  });
}

function messagePart({ item, text: said }: Slot, several: boolean): readonly Part[] {
  if (said.trim() === '') return [];
  const phase = text(item.phase);
  const some = { ...(several ? { text: said } : {}), ...(phase === undefined ? {} : { phase }) };
  return [{ kind: 'message', ...some }];
}

/** The provider's own text is kept where the stored object would be written differently. */
function callPart({ call, source }: OwnCall): Part {
  const same = !isObject(call.arguments) || JSON.stringify(call.arguments) === source;
  return {
    kind: 'call',
    id: call.id,
    ...(same || source.trim() === '' ? {} : { arguments: source }),
  };
}

/** As the provider takes it back: it says more about its own items than it lets itself be told. */
function sendable(item: Fields): Fields {
  const { status, ...rest } = item;
  const kept = item.type === 'reasoning' ? rest : item;
  return Object.fromEntries(Object.entries(kept).filter(([, value]) => value !== null));
}

/** Reasoning has to be followed by what it led to: what stands at the end led to nothing. */
function withoutLoose(parts: readonly Part[]): readonly Part[] {
  const last = parts.findLastIndex(({ kind }) => kind !== 'item');
  return parts.slice(0, last + 1);
}
