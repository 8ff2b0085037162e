// The items of one Responses answer as they arrive: what of their text is new, and the calls among them. Knows neither events nor HTTP.

import { type Fields, fields, isObject, list, text } from '../../json.ts';
import type { ToolCall } from '../../types.ts';
import { argumentsOf, joinedArguments, ownIds } from '../call-arguments.ts';
import type { WireNames } from '../tool-names.ts';

/** One item of the output. */
export interface Slot {
  /** As it was told last. */
  item: Fields;
  /** It is whole. */
  done: boolean;
  /** What was shown of it. */
  text: string;
  thought: string;
  refusal: string;
  arguments: string;
  /** Text that came after it was whole, and says what it holds again. */
  again: string;
}

export interface Output {
  /** In the order in which they began. */
  readonly slots: readonly Slot[];
  /** All text that was shown. */
  spoken(): string;
  began(index: unknown, item: unknown): void;
  /** More text of an item. Returns what to show: several messages are set apart. */
  said(index: unknown, more: string): string;
  /** All the text of a part at once. Returns what to show: nothing when its pieces came before. */
  saidWhole(index: unknown, all: string): string;
  /** More reasoning of an item, of its part of that number. */
  thought(index: unknown, part: unknown, more: string): string;
  refused(index: unknown, more: string): void;
  argued(index: unknown, more: string): void;
  /** All the arguments of a call at once, in place of their pieces. */
  arguedWhole(index: unknown, all: string): void;
  /** An item is whole. Returns what of it was not shown yet. */
  ended(index: unknown, item: unknown): { readonly text: string; readonly thought: string };
}

const GAP = '\n\n';

/** Items are told apart by their index; one that begins under an index that is taken is another one: some gateways number all of them 0. */
export function collectOutput(): Output {
  const slots: Slot[] = [];
  const byIndex = new Map<unknown, Slot>();
  const parts = new Map<Slot, unknown>();
  let spoken = '';
  let thoughtful = false;
  const open = (index: unknown, item: Fields = {}): Slot => {
    const slot = {
      item,
      done: false,
      text: '',
      thought: '',
      refusal: '',
      arguments: '',
      again: '',
    };
    slots.push(slot);
    byIndex.set(index, slot);
    return slot;
  };
  const at = (index: unknown): Slot => byIndex.get(index) ?? open(index);
  const show = (slot: Slot, more: string): string => {
    // Line ends before the first visible text are left out: templates put them after the reasoning.
    const visible = spoken === '' ? more.replace(/^[\r\n]+/, '') : more;
    const shown = slot.text === '' && visible !== '' && spoken !== '' ? GAP + visible : visible;
    slot.text += more;
    spoken += shown;
    return shown;
  };
  const think = (slot: Slot, part: unknown, more: string): string => {
    const apart = slot.thought === '' ? thoughtful : parts.get(slot) !== part;
    slot.thought += more;
    parts.set(slot, part);
    thoughtful = true;
    return apart ? GAP + more : more;
  };
  return {
    slots,
    spoken: () => spoken,
    began(index, item) {
      const slot = byIndex.get(index);
      if (slot === undefined || isTold(slot)) open(index, fields(item));
      else slot.item = fields(item);
    },
    said(index, more) {
      const slot = at(index);
      if (more === '' || !slot.done) return more === '' ? '' : show(slot, more);
      // Pieces that come behind the whole are the same text, unless they say something else.
      const again = slot.again + more;
      slot.again = slot.text.startsWith(again) ? again : '';
      return slot.again === '' ? show(open(index), again) : '';
    },
    saidWhole: (index, all) => (at(index).text === '' && all !== '' ? show(at(index), all) : ''),
    thought: (index, part, more) => (more === '' ? '' : think(at(index), part, more)),
    refused(index, more) {
      at(index).refusal += more;
    },
    argued(index, more) {
      const slot = at(index);
      slot.arguments = joinedArguments(slot.arguments, more);
    },
    arguedWhole(index, all) {
      at(index).arguments = all;
    },
    ended(index, item) {
      const known = at(index);
      const slot = known.done ? open(index) : known;
      slot.item = { ...slot.item, ...fields(item) };
      slot.done = true;
      slot.refusal = partsOf(slot.item, 'refusal', 'refusal') || slot.refusal;
      const whole = partsOf(slot.item, 'output_text', 'text');
      const rest = whole.startsWith(slot.text) ? whole.slice(slot.text.length) : '';
      const reasoning = slot.thought === '' ? reasoningOf(slot.item) : '';
      return {
        text: rest === '' ? '' : show(slot, rest),
        thought: reasoning === '' ? '' : think(slot, undefined, reasoning),
      };
    },
  };
}

const isTold = ({ item }: Slot): boolean => item.type !== undefined;

function partsOf({ type, content }: Fields, kind: string, field: string): string {
  if (type !== 'message') return '';
  const own = list(content)
    .map(fields)
    .filter((part) => part.type === kind);
  return own.map((part) => text(part[field]) ?? '').join('');
}

/** The summary, or the reasoning itself where a model shows it. */
function reasoningOf({ type, summary, content }: Fields): string {
  if (type !== 'reasoning') return '';
  const told = [list(summary), list(content)].map((parts) =>
    parts.map((part) => text(fields(part).text) ?? '').filter(Boolean),
  );
  return (told.find((parts) => parts.length > 0) ?? []).join(GAP);
}

/** The calls in the order of the output. `freshId` is asked for the ids that the server left out. */
export function callsOf(
  slots: readonly Slot[],
  names: WireNames,
  freshId: () => string,
): { readonly calls: readonly OwnCall[]; readonly nameless: number } {
  const all = slots.filter(({ item }) => item.type === 'function_call');
  const named = all.filter(({ item }) => text(item.name) !== undefined);
  const own = ownIds();
  return {
    calls: named.map((slot) => ({
      slot,
      source: sourceOf(slot),
      call: {
        id: own(text(slot.item.call_id) ?? freshId()),
        name: names.fromWire(text(slot.item.name) ?? ''),
        arguments: argumentsOf(sourceOf(slot)),
      },
    })),
    nameless: all.length - named.length,
  };
}

export interface OwnCall {
  readonly call: ToolCall;
  readonly slot: Slot;
  /** The argument text as it came. */
  readonly source: string;
}

function sourceOf({ item, arguments: joined }: Slot): string {
  if (isObject(item.arguments)) return JSON.stringify(item.arguments);
  return text(item.arguments) ?? joined;
}
