// Puts a content into lines that read back as that content, whatever is in it.

import { classify, LINE, type Line } from './classify.ts';
import { matchFences } from './fences.ts';
import { type FindTagEnd, matchTags } from './tag-blocks.ts';
import { closerEnd } from './tags.ts';
import { lineEnd } from './walk.ts';

/** Names of tags that stand open before the content: a closing tag of one of them would close it. */
export type WaitingTags = ReadonlySet<string>;

/**
 * The content with one backslash before every line that reading would treat specially. A fence or tag block that closes
 * inside the content stays as it is, unless a closing tag that something before waits for stands in it.
 */
export function escapeLines(content: string, waiting: WaitingTags): string {
  const blockEnd = blockFinder(content);
  const nextCloser = closerFinder(content, waiting);
  const pieces: string[] = [];
  let from = 0;
  let start = 0;
  while (start < content.length) {
    const end = lineEnd(content, start);
    const kind = classify(content, start, end);
    const block = blockEnd(kind, start);
    const closer = nextCloser(start);
    if (block !== -1 && closer >= block) {
      start = block + 1;
      continue;
    }
    if (kind !== LINE.text || closer < end) {
      pieces.push(content.slice(from, start), '\\');
      from = start;
    }
    start = end + 1;
  }
  if (pieces.length === 0) return content;
  pieces.push(content.slice(from));
  return pieces.join('');
}

/** Whether a closing tag of one of these names stands in the text. */
export function holdsCloserOf(text: string, names: WaitingTags): boolean {
  return names.size > 0 && findWaited(text, 0, names) !== Infinity;
}

/** Where the fence or tag block ends that opens on a line, -1 when the content does not close it. */
function blockFinder(content: string): (kind: Line, start: number) => number {
  let findTagEnd: FindTagEnd | undefined;
  let findFenceEnd: ReturnType<typeof matchFences> | undefined;
  return (kind, start) => {
    if (kind === LINE.tag) {
      findTagEnd ??= matchTags(content, start);
      return findTagEnd(start);
    }
    if (kind !== LINE.fence) return -1;
    findFenceEnd ??= matchFences(content);
    return findFenceEnd(start);
  };
}

/** Offset of the first closing tag from a line on that something before the content waits for; Infinity when there is none. */
function closerFinder(content: string, waiting: WaitingTags): (start: number) => number {
  if (waiting.size === 0) return () => Infinity;
  let next = -1;
  return (start) => {
    if (next < start) next = findWaited(content, start, waiting);
    return next;
  };
}

function findWaited(content: string, start: number, waiting: WaitingTags): number {
  let at = content.indexOf('</', start);
  while (at !== -1) {
    const end = closerEnd(content, at, content.length);
    if (end !== -1 && waiting.has(content.slice(at + 2, end - 1))) return at;
    at = content.indexOf('</', at + 2);
  }
  return Infinity;
}
