// Goes through a chat text once and tells a visitor about everything in it that is not plain content: headers, escapes
// and protected blocks. Builds nothing.

import { classify, closesCommand, LINE, squareCloser } from './classify.ts';
import { closesFence, fenceOf } from './fences.ts';
import { type FindTagEnd, matchTags } from './tag-blocks.ts';

export type BlockKind = 'fence' | 'square' | 'tag' | 'command';

/** A protected block. Offsets are of UTF-16 code units, line ends excluded. */
export interface Block {
  readonly kind: BlockKind;
  /** Its first line, counted from 1. */
  readonly line: number;
  readonly start: number;
  readonly openerEnd: number;
  /** Where its last line starts; -1 when it is never closed and runs to the end of the text. */
  readonly closerStart: number;
  readonly end: number;
}

/** Told in the order of the text. Lines between are plain content. */
export interface Visitor {
  /** A block or inline header. */
  header(start: number, end: number, line: number): void;
  escape?(start: number, end: number, line: number): void;
  block?(block: Block): void;
  /** A line that a tag opens which is never closed: plain content as things stand. */
  openTag?(start: number, end: number, line: number): void;
}

/**
 * Walks through a text. A byte order mark at its start is skipped; the CR of a CRLF counts as white space at the end of its
 * line, which makes no difference here. Linear, never throws by itself.
 */
export function walk(text: string, visitor: Visitor): void {
  let findTagEnd: FindTagEnd | undefined;
  let line = 1;
  let start = text.charCodeAt(0) === 0xfeff ? 1 : 0;
  while (start < text.length) {
    const end = lineEnd(text, start);
    const kind = classify(text, start, end);
    let after = end;
    switch (kind) {
      case LINE.text:
        break;
      case LINE.block:
      case LINE.inline:
        visitor.header(start, end, line);
        break;
      case LINE.escape:
        visitor.escape?.(start, end, line);
        break;
      default: {
        if (kind === LINE.tag) findTagEnd ??= matchTags(text, start);
        const block = blockAt(text, { kind, line, start, openerEnd: end }, findTagEnd);
        if (block === undefined) visitor.openTag?.(start, end, line);
        else {
          visitor.block?.(block);
          after = block.end;
          line += countLines(text, end, after);
        }
      }
    }
    start = after + 1;
    line++;
  }
}

interface Opener {
  readonly kind: typeof LINE.fence | typeof LINE.square | typeof LINE.command | typeof LINE.tag;
  readonly line: number;
  readonly start: number;
  readonly openerEnd: number;
}

/** The block that a line opens; undefined when a tag opens it that is never closed. */
function blockAt(text: string, opener: Opener, findTagEnd?: FindTagEnd): Block | undefined {
  const { line, start, openerEnd } = opener;
  switch (opener.kind) {
    case LINE.tag: {
      const end = findTagEnd?.(start) ?? -1;
      if (end === -1) return undefined;
      const closerStart = text.lastIndexOf('\n', end - 1) + 1;
      return { kind: 'tag', line, start, openerEnd, closerStart, end };
    }
    case LINE.fence: {
      const fence = fenceOf(text, start, openerEnd);
      const closes: Closes = (each, from, to) => closesFence(each, from, to, fence);
      return { kind: 'fence', line, start, openerEnd, ...findCloser(text, openerEnd, closes) };
    }
    case LINE.square: {
      const closes: Closes = (each, from, to) => squareCloser(each, from, to) !== -1;
      return { kind: 'square', line, start, openerEnd, ...findCloser(text, openerEnd, closes) };
    }
    case LINE.command:
      return {
        kind: 'command',
        line,
        start,
        openerEnd,
        ...findCloser(text, openerEnd, closesCommand),
      };
  }
}

type Closes = (text: string, start: number, end: number) => boolean;

/** The first line behind the opener that closes the block, or -1 and the end of the text. */
function findCloser(
  text: string,
  openerEnd: number,
  closes: Closes,
): Pick<Block, 'closerStart' | 'end'> {
  let start = openerEnd + 1;
  while (start < text.length) {
    const end = lineEnd(text, start);
    if (closes(text, start, end)) return { closerStart: start, end };
    start = end + 1;
  }
  return { closerStart: -1, end: text.length };
}

/** Number of line ends in [start, end). */
export function countLines(text: string, start: number, end: number): number {
  let count = 0;
  for (let at = text.indexOf('\n', start); at !== -1 && at < end; at = text.indexOf('\n', at + 1))
    count++;
  return count;
}

/** Offset of the line end at or behind an offset; the end of the text when there is none. */
export function lineEnd(text: string, start: number): number {
  const end = text.indexOf('\n', start);
  return end === -1 ? text.length : end;
}
