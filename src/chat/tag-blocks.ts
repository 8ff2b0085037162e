// Finds where the tag blocks of a text close. All tags are matched in one pass, so that neither tags that nobody closes
// nor tags inside each other make reading slower than the text is long.

import { classify, LINE } from './classify.ts';
import { attributesEnd, closerEnd, tagNameEnd } from './tags.ts';
import { isWhite, skipWhite } from './white-space.ts';

/**
 * Offset of the end of the line on which the tag closes that opens the line at `lineStart`, or -1 when it never does.
 * Lines are asked about in the order of the text.
 */
export type FindTagEnd = (lineStart: number) => number;

/**
 * Matches the tags from `from` (a line start) to the end of the text: each `<name…>` with the `</name>` that brings
 * the count of that name back to where it was. Tags on escaped lines count for nothing; all others do, wherever they stand.
 */
export function matchTags(text: string, from: number): FindTagEnd {
  if (text.indexOf('</', from) === -1) return () => -1;
  const { starts, ends } = pairTags(text, from);
  let index = 0;
  return (lineStart) => {
    while (index < starts.length && (starts[index] ?? 0) < lineStart) index++;
    return starts[index] === lineStart ? (ends[index] ?? -1) : -1;
  };
}

/** The lines that a tag opens, and for each the end of the line on which it closes (-1: never). */
interface Pairs {
  readonly starts: readonly number[];
  readonly ends: readonly number[];
}

/** Stands on the stack for an opener further inside a line, which no block can begin with. */
const INSIDE = -1;

function pairTags(text: string, from: number): Pairs {
  const starts: number[] = [];
  const ends: number[] = [];
  const stacks = new Map<string, number[]>();
  eachTag(text, from, {
    open(name, lineStart) {
      const entry = lineStart === INSIDE ? INSIDE : starts.length;
      if (entry !== INSIDE) {
        starts.push(lineStart);
        ends.push(-1);
      }
      const stack = stacks.get(name);
      if (stack === undefined) stacks.set(name, [entry]);
      else stack.push(entry);
    },
    close(name, lineEnd) {
      const entry = stacks.get(name)?.pop() ?? INSIDE;
      if (entry !== INSIDE) ends[entry] = lineEnd;
    },
  });
  return { starts, ends };
}

interface TagVisitor {
  /** `lineStart` is INSIDE when something else than white space stands before the tag on its line. */
  open(name: string, lineStart: number): void;
  close(name: string, lineEnd: number): void;
}

function eachTag(text: string, from: number, visitor: TagVisitor): void {
  let at = text.indexOf('<', from);
  while (at !== -1) {
    const start = Math.max(from, text.lastIndexOf('\n', at) + 1);
    const next = text.indexOf('\n', at);
    const end = next === -1 ? text.length : next;
    const isEscaped = text[start] === '\\' && classify(text, start, end) === LINE.escape;
    at = isEscaped ? text.indexOf('<', end) : eachTagOfLine(text, start, end, visitor);
  }
}

/** Returns the offset of the first `<` behind the line. */
function eachTagOfLine(text: string, start: number, end: number, visitor: TagVisitor): number {
  const lead = skipWhite(text, start, end);
  let at = text.indexOf('<', start);
  // Where the attributes end that were looked at last: what has no `>` is not searched again for each `<name ` in it.
  let stop = -1;
  while (at !== -1 && at < end) {
    const closed = closerEnd(text, at, end);
    let behind = closed;
    if (closed !== -1) visitor.close(text.slice(at + 2, closed - 1), end);
    else {
      const nameEnd = tagNameEnd(text, at + 1, end);
      const hasAttributes = nameEnd > at + 1 && nameEnd < end && isWhite(text.charCodeAt(nameEnd));
      if (hasAttributes && stop < nameEnd) stop = attributesEnd(text, nameEnd, end);
      const last = hasAttributes ? stop : nameEnd;
      const isOpener = nameEnd > at + 1 && last < end && text[last] === '>';
      if (isOpener) visitor.open(text.slice(at + 1, nameEnd), at === lead ? start : INSIDE);
      behind = isOpener ? last + 1 : nameEnd;
    }
    at = text.indexOf('<', behind);
  }
  return at;
}
