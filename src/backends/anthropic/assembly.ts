// Puts the content blocks of one Messages answer together, by their index, from the events of a stream or from a whole message. Trusts no
// field to be there; knows nothing of how the answer ends.

import { type Fields, fields, isObject, list, text } from '../../json.ts';
import type { ToolCall } from '../../types.ts';
import { argumentsOf, joinedArguments, ownIds } from '../call-arguments.ts';
import type { ReplyEvent } from '../types.ts';
import { type Block, GAP, isBlankText } from './blocks.ts';

export type Output = Extract<ReplyEvent, { kind: 'text' | 'thinking' }>;

export interface Assembly {
  /** `content_block_start`, or a block of a whole message. */
  start(index: unknown, block: unknown): Output[];
  /** `content_block_delta`. */
  delta(index: unknown, delta: unknown): Output[];
  /** The blocks as received, blank texts left out, and the calls among them. `freshId` is asked for ids that the host left out. */
  finish(freshId: () => string): Assembled;
}

export interface Assembled {
  readonly blocks: readonly Block[];
  /** With the names of the wire. */
  readonly calls: readonly ToolCall[];
  /** Calls that have no name, and are in neither. */
  readonly nameless: number;
}

interface Open {
  block: Record<string, unknown>;
  /** Pieces of a call's arguments; undefined when none came. */
  json: string | undefined;
  /** Text that waits for its first visible character. */
  held: string | undefined;
  /** Citations that came piece by piece, the block's own list. */
  cited?: unknown[];
}

/** `earlier`: blocks of the same answer that came with requests before; they stand before all others. */
export function assembly(earlier: readonly Block[] = []): Assembly {
  const open = new Map<number, Open>();
  let highest: number | undefined;
  const keep = (key: number, entry: Open) => {
    open.set(key, entry);
    highest = Math.max(highest ?? key, key);
    if (entry.block.type !== 'text') show.other(key);
  };
  const said = earlier.findLastIndex(({ type }) => type === 'text');
  const show = shower(said === -1 ? undefined : said - earlier.length);
  for (const [index, block] of earlier.entries())
    keep(index - earlier.length, { block: { ...block }, json: undefined, held: undefined });
  // Where the block of a number stands: a block under a number that is taken is another one, some gateways number all of them 0.
  const places = new Map<number, number>();
  const at = (index: unknown): number =>
    isIndex(index) ? (places.get(index) ?? index) : Math.max(highest ?? 0, 0);
  return {
    start(index, block) {
      const isFree = isIndex(index) && !open.has(index);
      const key = isFree ? index : (highest ?? -1) + 1;
      if (isIndex(index)) places.set(index, key);
      const entry: Open = { block: { ...fields(block) }, json: undefined, held: '' };
      keep(key, entry);
      const { type, text: words, thinking } = entry.block;
      if (type === 'text') return show.text(key, entry, text(words) ?? '');
      return type === 'thinking' ? thought(text(thinking)) : [];
    },
    delta(index, given) {
      const key = at(index);
      const delta = fields(given);
      const known = open.get(key);
      const entry = known ?? opened(delta);
      if (known === undefined) keep(key, entry);
      return extend(entry, delta, (words) => show.text(key, entry, words));
    },
    finish: (freshId) =>
      finished(
        [...open].sort(([one], [other]) => one - other),
        freshId,
      ),
  };
}

/** Beyond this, one more is the same number. */
const HIGHEST_INDEX = 2 ** 31;

const isIndex = (index: unknown): index is number =>
  typeof index === 'number' && Math.abs(index) < HIGHEST_INDEX;

/** Some gateways leave the start of a block out. */
function opened({ type }: Fields): Open {
  const block: Record<string, unknown> =
    type === 'thinking_delta' || type === 'signature_delta'
      ? { type: 'thinking', thinking: '' }
      : type === 'input_json_delta'
        ? { type: 'tool_use' }
        : { type: 'text', text: '' };
  return { block, json: undefined, held: '' };
}

function extend(entry: Open, delta: Fields, show: (words: string) => Output[]): Output[] {
  const { block } = entry;
  switch (delta.type) {
    case 'text_delta': {
      const words = text(delta.text) ?? '';
      block.text = (text(block.text) ?? '') + words;
      return show(words);
    }
    case 'thinking_delta': {
      const words = text(delta.thinking);
      block.thinking = (text(block.thinking) ?? '') + (words ?? '');
      return thought(words);
    }
    case 'signature_delta':
      block.signature = text(delta.signature) ?? block.signature;
      return [];
    case 'input_json_delta':
      if (isObject(delta.partial_json) || typeof delta.partial_json === 'string')
        entry.json = joinedArguments(entry.json ?? '', delta.partial_json);
      return [];
    case 'citations_delta':
      entry.cited ??= [...list(block.citations)];
      entry.cited.push(delta.citation);
      block.citations = entry.cited;
      return [];
    default:
      return [];
  }
}

const thought = (words: string | undefined): Output[] =>
  words === undefined ? [] : [{ kind: 'thinking', text: words }];

/**
 * Text for the reader as it comes. A text that is blank so far waits; line ends before the first visible text are left out; texts with
 * something else between them are told apart. `before` is the key of the last text that was shown already.
 */
function shower(before: number | undefined) {
  let spoken = before;
  // Keys of what is no text, in their order: an answer may have very many blocks.
  const others: number[] = [];
  return {
    other(key: number): void {
      const after = others.findLastIndex((each) => each <= key);
      if (others[after] !== key) others.splice(after + 1, 0, key);
    },
    text(index: number, entry: Open, words: string): Output[] {
      if (entry.held === undefined) return words === '' ? [] : [{ kind: 'text', text: words }];
      const held = entry.held + words;
      entry.held = held.trim() === '' ? held : undefined;
      if (entry.held !== undefined) return [];
      const other = others.findLast((key) => key < index);
      const between = other !== undefined && other > (spoken ?? index);
      const visible = spoken === undefined ? held.replace(/^[\r\n]+/, '') : held;
      spoken = index;
      return [{ kind: 'text', text: between ? GAP + visible : visible }];
    },
  };
}

function finished(entries: readonly (readonly [number, Open])[], freshId: () => string): Assembled {
  const blocks: Block[] = [];
  const calls: ToolCall[] = [];
  const own = ownIds();
  let nameless = 0;
  for (const [, { block, json }] of entries) {
    if (text(block.type) === undefined || isBlankText(block)) continue;
    if (block.type === 'thinking') blocks.push(signed(block));
    else if (block.type === 'tool_use') {
      const name = text(block.name);
      if (name === undefined) {
        nameless++;
        continue;
      }
      const id = own(text(block.id) ?? freshId());
      const given = inputOf(json, block.input);
      blocks.push({ ...block, id, input: isObject(given) ? given : {} });
      calls.push({ id, name, arguments: given });
    } else blocks.push(json === undefined ? block : { ...block, input: inputOf(json, {}) });
  }
  return { blocks, calls, nameless };
}

/** Both fields have to be there when the block goes back. */
const signed = (block: Block): Block => ({
  ...block,
  thinking: text(block.thinking) ?? '',
  signature: text(block.signature) ?? '',
});

/** The pieces that came, else what the block was opened with. */
function inputOf(json: string | undefined, input: unknown): ToolCall['arguments'] {
  if (json !== undefined && json.trim() !== '') return argumentsOf(json);
  if (typeof input === 'string') return argumentsOf(input);
  return isObject(input) ? input : {};
}
