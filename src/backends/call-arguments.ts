// The arguments and the ids of the calls in an answer, however a server cuts and numbers them. Pure.

import { isObject, parseJson } from '../json.ts';
import type { ToolCall } from '../types.ts';

/** No text means no arguments; an object is given as one; what is no object stays the text that it is. */
export function argumentsOf(source: string): ToolCall['arguments'] {
  if (source.trim() === '') return {};
  const value = parseJson(source);
  if (value === null) return {};
  return isObject(value) ? value : source;
}

/** The text so far with another piece, or with all of it as an object. What is neither adds nothing. */
export function joinedArguments(before: string, piece: unknown): string {
  if (isObject(piece)) return JSON.stringify(piece);
  if (typeof piece !== 'string') return before;
  // Some gateways open with an empty object as a place-holder and send the real one after it.
  const isPlaceHolder = before.trim() === '{}' && piece.trimStart().startsWith('{');
  return isPlaceHolder ? piece : before + piece;
}

/** Ids for the calls of one answer: two with the same could not be told apart by their outputs. */
export function ownIds(): (id: string) => string {
  const used = new Set<string>();
  // Where the search for a free number goes on: a server may give thousands the same.
  const copies = new Map<string, number>();
  return (id) => {
    let own = id;
    let copy = copies.get(id) ?? 2;
    for (; used.has(own); copy++) own = `${id}_${copy}`;
    copies.set(id, copy);
    used.add(own);
    return own;
  };
}
