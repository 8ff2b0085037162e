// What a Responses answer leaves in the chat for later requests, and whether it still belongs to the text and the calls that stand behind it.

import { createHash } from 'node:crypto';
import { contentText } from '../../chat/normalise.ts';
import { type Fields, fields, isObject, list, parseJson, text } from '../../json.ts';
import type { ToolCall } from '../../types.ts';
import { bodyText } from '../body-json.ts';

/** The first block of an answer: what the others belong to. */
export interface Header {
  /** Server and model that made it. */
  readonly place: string;
  /** Digest of the answer's text and calls as they are stored. */
  readonly said: string;
  /** The provider's id, when a later request may go on from it. */
  readonly id?: string;
  /** Digest of the history that it was made from; there whenever `id` is. */
  readonly history?: string;
}

/** The blocks of one answer in the order of its output. */
export interface Kept {
  /** Absent in blocks that something else made. */
  readonly header?: Header;
  readonly parts: readonly Part[];
}

export type Part =
  /** An item that goes back as it came: reasoning, a search of the provider. */
  | { readonly kind: 'item'; readonly item: Fields }
  /** Stands for text of the answer: all of it, or `text` where it came in several messages. */
  | { readonly kind: 'message'; readonly text?: string; readonly phase?: string }
  /** Stands for a call. `arguments` is there when the provider's text differs from that of the stored object. */
  | { readonly kind: 'call'; readonly id: string; readonly arguments?: string };

/** The blocks for a `provider_content` message. */
export function toBlocks({ header, parts }: Kept): readonly Fields[] {
  return [...(header === undefined ? [] : [{ type: 'response', ...header }]), ...parts.map(block)];
}

function block(part: Part): Fields {
  if (part.kind === 'item') return part.item;
  const { kind, ...rest } = part;
  return { type: kind === 'call' ? 'function_call' : 'message', ...rest };
}

/** The blocks of a `provider_content` message of this backend, undefined for one of another. Unreadable ones are left out. */
export function readBlocks(content: string): readonly Fields[] | undefined {
  const value = fields(parseJson(content));
  return value.backend === 'responses' ? list(value.blocks).filter(isObject) : undefined;
}

/** The blocks of one answer, read. */
export function toKept(blocks: readonly Fields[]): Kept {
  const head = blocks.find(({ type }) => type === 'response');
  const header = head === undefined ? undefined : readHeader(head);
  const parts = blocks.flatMap((each) => (each === head ? [] : readPart(each)));
  return { parts, ...(header === undefined ? {} : { header }) };
}

function readHeader(head: Fields): Header {
  const id = text(head.id);
  const history = text(head.history);
  return {
    place: text(head.place) ?? '',
    said: text(head.said) ?? '',
    ...(id === undefined || history === undefined ? {} : { id, history }),
  };
}

function readPart(each: Fields): readonly Part[] {
  if (each.type === 'message') {
    const said = text(each.text);
    const phase = text(each.phase);
    const some = { ...(said === undefined ? {} : { text: said }), ...(phase && { phase }) };
    return [{ kind: 'message', ...some }];
  }
  if (each.type === 'function_call') {
    const id = text(each.id);
    const given = text(each.arguments);
    if (id === undefined) return [];
    return [{ kind: 'call', id, ...(given === undefined ? {} : { arguments: given }) }];
  }
  const isItem = text(each.type) !== undefined && each.type !== NAMED;
  return isItem ? [{ kind: 'item', item: each }] : [];
}

/** A block of this type stands where the chat itself names the response to go on from. */
const NAMED = 'previous_response';

/** The response that the blocks name, undefined when they name none. */
export function namedResponse(blocks: readonly Fields[]): string | undefined {
  return text(blocks.find(({ type }) => type === NAMED)?.id);
}

/** Whether an item brings what it says: reasoning can also be a mere name for what the provider keeps. */
export function isReadable({ type, content, encrypted_content }: Fields): boolean {
  return type !== 'reasoning' || text(encrypted_content) !== undefined || list(content).length > 0;
}

/** What stands behind the blocks in the chat. */
export interface Standing {
  /** '' when no text is there. */
  readonly text: string;
  /** Its calls as stored, in their order. */
  readonly calls: readonly Pick<ToolCall, 'id' | 'name' | 'arguments'>[];
}

/** Whether the answer is still the one that the blocks were made with: nobody changed its text or its calls. */
export function fits({ header, parts }: Kept, place: string, standing: Standing): boolean {
  if (header === undefined) return parts.every(({ kind }) => kind === 'item');
  return header.place === place && header.said === saidDigest(standing);
}

/** Of an answer in the form in which it is stored. */
export function saidDigest({ text: said, calls }: Standing): string {
  const stored = contentText({ role: 'assistant', content: said });
  const made = calls.map(({ id, name, arguments: args }) => [id, name, args]);
  return createHash('sha256')
    .update(bodyText([stored, made]))
    .digest('hex')
    .slice(0, 16);
}

/** The provider's argument text, when it means what the stored object means. */
export function ownArguments(given: string | undefined, stored: string): string {
  if (given === undefined) return stored;
  const value = parseJson(given);
  return isObject(value) && JSON.stringify(value) === stored ? given : stored;
}
