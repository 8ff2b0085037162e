// Content blocks of an answer, kept to be given back: which have to be kept, what they say to a reader, and whether they still say what
// the chat says. Pure.

import { contentText } from '../../chat/normalise.ts';
import { type Fields, fields, isObject, list, parseJson, text } from '../../json.ts';
import type { Message } from '../../types.ts';
import type { WireNames } from '../tool-names.ts';
import { argumentObject, type CallFields } from '../traffic.ts';

export type Block = Fields;

export interface StoredBlocks {
  readonly blocks: readonly Block[];
  /** The host that they came from; absent where nobody said so. */
  readonly place?: string;
}

/** The block of our own that stands before those of an answer. */
const HOST = 'host';

/** The blocks of an answer as they are kept, with where they came from. */
export const withPlace = (blocks: readonly unknown[], place: string): readonly unknown[] => [
  { type: HOST, place },
  ...blocks,
];

/** The blocks in a `provider_content` message; undefined when somebody made something else of it. */
export function storedBlocks({ content }: Message): StoredBlocks | undefined {
  const [head, ...rest] = list(fields(parseJson(content)).blocks);
  const { type, place } = fields(head);
  const all = type === HOST ? rest : [head, ...rest];
  if (all.length === 0 || !all.every((each) => text(fields(each).type) !== undefined))
    return undefined;
  const blocks = all.map(fields).filter((block) => !isBlankText(block));
  return {
    blocks,
    ...(type === HOST && text(place) !== undefined ? { place: String(place) } : {}),
  };
}

export const isThinking = ({ type }: Block): boolean =>
  type === 'thinking' || type === 'redacted_thinking';

export const isBlankText = ({ type, text: words }: Block): boolean =>
  type === 'text' && (typeof words !== 'string' || words.trim() === '');

/** The last words of a prompt may not end in white space when they are the model's. */
export function withoutLastSpace(blocks: readonly Block[]): readonly Block[] {
  const last = blocks.at(-1);
  if (last?.type !== 'text' || typeof last.text !== 'string') return blocks;
  return [...blocks.slice(0, -1), { ...last, text: last.text.trimEnd() }];
}

/** Whether text and calls alone could not say the same again: thinking, blocks of the provider's own tools, an order of its own. */
export function mustBeKept(blocks: readonly Block[]): boolean {
  const firstCall = blocks.findIndex(({ type }) => type === 'tool_use');
  return blocks.some(
    ({ type, citations }, index) =>
      (type !== 'text' && type !== 'tool_use') ||
      list(citations).length > 0 ||
      (type === 'text' && firstCall !== -1 && index > firstCall),
  );
}

/** What stands between two texts that have something else between them. */
export const GAP = '\n\n';

/** The text that a reader of the blocks sees, in the form that a chat stores. */
export function visibleText(blocks: readonly Block[]): string {
  let visible = '';
  let last = -1;
  for (const [index, block] of blocks.entries()) {
    if (block.type !== 'text' || isBlankText(block)) continue;
    visible += `${last !== -1 && last < index - 1 ? GAP : ''}${block.text}`;
    last = index;
  }
  return plain(visible);
}

/** Text as it comes out of a chat file again: what goes out must not depend on whether it was there. */
export function plain(words: string): string {
  return contentText({ role: 'assistant', content: words }).replace(/\p{Surrogate}/gu, '\uFFFD');
}

/** What the chat has of the same answer. */
export interface StoredAnswer {
  readonly text: string;
  readonly calls: readonly CallFields[];
}

/**
 * Each call of the blocks by its place in the chat's calls. Undefined when the chat says something else by now: the text was edited, a call
 * is gone or was changed. Further calls in the chat are no difference.
 */
export function matched(
  blocks: readonly Block[],
  { text: stored, calls }: StoredAnswer,
  names: WireNames,
): ReadonlyMap<Block, CallFields> | undefined {
  if (visibleText(blocks) !== stored) return undefined;
  const result = new Map<Block, CallFields>();
  const taken = new Set<CallFields>();
  for (const block of blocks) {
    if (block.type !== 'tool_use') continue;
    const call = calls.find((each) => !taken.has(each) && isSame(block, each, names));
    if (call === undefined) return undefined;
    taken.add(call);
    result.set(block, call);
  }
  return result;
}

function isSame(block: Block, call: CallFields, names: WireNames): boolean {
  return (
    block.id === call.id &&
    names.toWire(String(block.name)) === names.toWire(call.name) &&
    sorted(block.input ?? {}) === sorted(argumentObject(call.arguments) ?? {})
  );
}

/** JSON text that does not depend on the order of keys. */
function sorted(value: unknown): string {
  return JSON.stringify(value, (_, each) =>
    isObject(each)
      ? Object.fromEntries(Object.entries(each).sort(([one], [other]) => (one < other ? -1 : 1)))
      : each,
  );
}
