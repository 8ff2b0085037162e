// Reads chat text into messages. Never throws, whatever the text, and takes time in proportion to its length.

import type { Message, Origin, Warn } from '../types.ts';
import { commandOf, roleEnd, squareCloser } from './classify.ts';
import { type Block, type BlockKind, countLines, type Visitor, walk } from './walk.ts';
import { skipWhite, trimmed } from './white-space.ts';

const RETURN = 13;

export interface ParseOptions {
  /** Named in the origin of each message and in warnings. */
  readonly file?: string;
  /** Role of text before the first header; `user` when absent. */
  readonly role?: string;
  /** Told about each block that is never closed, with the line where it opens. */
  readonly warn?: Warn;
}

/** The messages of a chat text, each with the line it starts on. Contents are trimmed and have LF line ends. */
export function parse(text: string, options: ParseOptions = {}): Message[] {
  const reader = createReader(text, options);
  walk(text, reader.visitor);
  return reader.finish();
}

/**
 * The text with CRLF turned into LF, also where several CR stand before the LF: what is left could otherwise be taken for a CRLF the next
 * time, and each printing would lose one more. (Replacing takes far more memory than splitting and joining.)
 */
export function withoutCarriageReturns(text: string): string {
  if (!text.includes('\r\n')) return text;
  const lines = text.split('\r\n');
  if (!text.includes('\r\r\n')) return lines.join('\n');
  return lines
    .map((line, index) => (index < lines.length - 1 ? beforeReturns(line) : line))
    .join('\n');
}

function beforeReturns(line: string): string {
  let end = line.length;
  while (end > 0 && line.charCodeAt(end - 1) === RETURN) end--;
  return line.slice(0, end);
}

const BLOCK_NAMES: Readonly<Record<BlockKind, string>> = {
  fence: 'code fence',
  square: '"[[" block',
  command: 'command output block',
  tag: 'tag',
};

/** What to call a block in a sentence. */
export function blockName(kind: BlockKind): string {
  return BLOCK_NAMES[kind];
}

interface Reader {
  readonly visitor: Visitor;
  /** To be called once, behind the walk. */
  finish(): Message[];
}

function createReader(source: string, options: ParseOptions): Reader {
  const { file, warn } = options;
  const messages: Message[] = [];
  const roles: string[] = [];
  const hasCarriageReturns = source.includes('\r\n');
  let role = options.role ?? 'user';
  // Line of the block header that the content belongs to, 0 for text without one.
  let headerLine = 0;
  let from = source.charCodeAt(0) === 0xfeff ? 1 : 0;
  let fromLine = 1;
  // Where content without a header begins, 0 as long as there was only white space.
  let firstLine = 0;
  // What the content consists of before `from`, when a line of it is not taken over as it stands.
  let pieces: string[] = [];

  const originAt = (line: number): Origin => (file === undefined ? { line } : { file, line });

  function endContent(end: number): void {
    if (headerLine === 0) {
      if (from >= end && pieces.length === 0) return;
      findFirstLine(end, end);
    }
    let content = '';
    if (pieces.length === 0) {
      content = trimmed(source, from, end);
      if (hasCarriageReturns) content = withoutCarriageReturns(content);
    } else {
      keep(end, end);
      // Only now: a mark that was removed may have stood between a CR and its LF.
      content = trimmed(withoutCarriageReturns(pieces.join('')));
      pieces = [];
    }
    if (headerLine > 0 || content !== '')
      messages.push({ role, content, origin: originAt(headerLine || firstLine) });
  }

  function findFirstLine(end: number, next: number): void {
    if (firstLine > 0) return;
    const at = skipWhite(source, from, end);
    fromLine += countLines(source, from, at < end ? at : next);
    if (at < end) firstLine = fromLine;
  }

  /** One string for all messages of a role: a chat has many messages and few roles. */
  function roleAt(start: number, colon: number): string {
    for (const each of roles)
      if (each.length === colon - start && source.startsWith(each, start)) return each;
    const name = source.slice(start, colon);
    if (roles.length < 8) roles.push(name);
    return name;
  }

  function header(start: number, end: number, line: number): void {
    endContent(start);
    const colon = roleEnd(source, start, end);
    const name = roleAt(start, colon);
    const content = trimmed(source, colon + 1, end);
    from = end + 1;
    fromLine = line + 1;
    firstLine = 0;
    if (content === '') {
      role = name;
      headerLine = line;
      return;
    }
    messages.push({ role: name, content, origin: originAt(line) });
    // Text behind these two belongs to the user again.
    if (name === 'agent' || name === 'previous_response_id') role = 'user';
    headerLine = 0;
  }

  function keep(end: number, next: number): void {
    if (headerLine === 0) findFirstLine(end, next);
    pieces.push(source.slice(from, end));
    from = next;
  }

  function square({ start, openerEnd, closerStart, end }: Block): void {
    const mark = skipWhite(source, start, openerEnd);
    if (skipWhite(source, mark + 2, openerEnd) === openerEnd) keep(start, openerEnd + 1);
    else keep(mark, mark + 2);
    if (closerStart === -1) return;
    const closer = squareCloser(source, closerStart, end);
    if (skipWhite(source, closerStart, closer) === closer) keep(closerStart, end + 1);
    else keep(closer, closer + 2);
  }

  function command({ line, start, openerEnd, closerStart, end }: Block): void {
    keep(start, openerEnd);
    firstLine ||= line;
    pieces.push(`<cmd_output cmd="${commandOf(source, start, openerEnd) ?? ''}">`);
    if (closerStart === -1) return;
    keep(closerStart, end);
    pieces.push('</cmd_output>');
  }

  function block(found: Block): void {
    if (found.closerStart === -1) {
      warn?.({
        code: 'unclosed-block',
        message: `the ${blockName(found.kind)} that opens here is never closed: everything below is part of it`,
        origin: originAt(found.line),
      });
    }
    if (found.kind === 'square') square(found);
    if (found.kind === 'command') command(found);
  }

  return {
    visitor: { header, block, escape: (start) => keep(start, start + 1) },
    finish() {
      endContent(source.length);
      return messages;
    },
  };
}
