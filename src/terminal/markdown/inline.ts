// Inline Markdown that arrives in pieces: hands on what no later text can change, as soon as its word is complete. A span that
// is open (emphasis, code, link) is waited for; one that stays open for too long is taken as plain text.

import { breakAfter } from '../breaks.ts';
import { plain, type Span } from '../spans.ts';

export type ParseInline = (text: string) => Span[];

export interface InlineReader {
  add(text: string): void;
  /** Text that was not handed on yet, as written. */
  waiting(): string;
  /** Hands on everything. */
  end(): void;
}

/** A span that is not closed within so many characters is none. */
const LONGEST_SPAN = 400;
/** Text without any space is handed on in pieces of so many characters. */
const LONGEST_WORD = 1000;

/** Where the text is cut depends on the text alone, never on the pieces it comes in. */
export function inlineReader(parse: ParseInline, write: (spans: Span[]) => void): InlineReader {
  let text = '';
  /** Up to here the text was handed on; up to `tried` it was looked at. */
  let start = 0;
  let tried = 0;

  const settle = (end: number) => {
    while (start < end) {
      const rest = text.slice(start, end);
      const settled = settledLength(rest);
      if (settled < rest.length && rest.length - settled <= LONGEST_SPAN) break;
      if (settled > 0) write(parse(rest.slice(0, settled)));
      const sign = runAt(rest, settled);
      if (sign !== '') write([plain(sign)]);
      start += settled + sign.length;
    }
    tried = end;
  };
  return {
    add(more) {
      text += more;
      for (let end = wordEnd(text, tried); end !== undefined; end = wordEnd(text, tried))
        settle(end);
      text = text.slice(start);
      tried -= start;
      start = 0;
    },
    waiting: () => text,
    end() {
      if (text !== '') write(parse(text));
      text = '';
      tried = 0;
    },
  };
}

/** The first offset behind `from` at which a word is complete. */
function wordEnd(text: string, from: number): number | undefined {
  const look = text.slice(0, from + LONGEST_WORD + 1);
  const unspaced = breakAfter(look, from) ?? Number.POSITIVE_INFINITY;
  const space = /[ \t\n]/g;
  space.lastIndex = from;
  const spaced = (space.exec(look)?.index ?? Number.POSITIVE_INFINITY) + 1;
  const first = Math.min(unspaced, spaced);
  if (Math.min(first, look.length) > from + LONGEST_WORD) return from + LONGEST_WORD;
  return Number.isFinite(first) ? first : undefined;
}

function runAt(text: string, index: number): string {
  const sign = text.charAt(index);
  let end = index;
  while (sign !== '' && text.charAt(end) === sign) end += 1;
  return text.slice(index, end);
}

/** Where the first span begins that later text could close; the text's length when there is none. */
export function settledLength(text: string): number {
  const open: { sign: string; size: number; index: number }[] = [];
  const signs = /[\\`<[*_~]/g;
  for (let hit = signs.exec(text); hit !== null; hit = signs.exec(text)) {
    const { index } = hit;
    const sign = hit[0];
    const end =
      sign === '*' || sign === '_' || sign === '~'
        ? delimiter(text, index, open)
        : skip(text, index, sign);
    if (end === undefined) return Math.min(index, open[0]?.index ?? index);
    signs.lastIndex = end;
  }
  return open[0]?.index ?? text.length;
}

/** The offset behind the construct at `index`; undefined when it is not complete. */
function skip(text: string, index: number, sign: string): number | undefined {
  if (sign === '\\') return index + 2;
  if (sign === '`') return behindCode(text, index);
  if (sign === '<')
    return /^<[a-z/!?]/i.test(text.slice(index, index + 2)) ? behind(text, '>', index) : index + 1;
  return behindBrackets(text, index);
}

function behind(text: string, sign: string, from: number): number | undefined {
  const found = text.indexOf(sign, from);
  return found === -1 ? undefined : found + sign.length;
}

function behindCode(text: string, index: number): number | undefined {
  const fence = runAt(text, index);
  for (let at = index + fence.length; ; ) {
    const next = text.indexOf('`', at);
    if (next === -1) return undefined;
    const run = runAt(text, next);
    at = next + run.length;
    if (run.length === fence.length) return at;
  }
}

function behindBrackets(text: string, index: number): number | undefined {
  const end = balanced(text, index, '[', ']');
  if (end === undefined || end === text.length) return undefined;
  return text.charAt(end) === '(' ? balanced(text, end, '(', ')') : end;
}

function balanced(
  text: string,
  index: number,
  opening: string,
  closing: string,
): number | undefined {
  let depth = 0;
  for (let at = index; at < text.length; at++) {
    const character = text.charAt(at);
    if (character === '\\') at += 1;
    else if (character === opening) depth += 1;
    else if (character === closing) {
      depth -= 1;
      if (depth === 0) return at + 1;
    }
  }
  return undefined;
}

const SPACE = /^\s?$/;
const PUNCTUATION = /[\p{P}\p{S}]/u;

/** Reads a run of emphasis signs: closes what it can, opens what is left. Returns the offset behind it. */
function delimiter(
  text: string,
  index: number,
  open: { sign: string; size: number; index: number }[],
): number {
  const run = runAt(text, index);
  const sign = run.charAt(0);
  const end = index + run.length;
  if (sign === '~' && run.length !== 2) return end;
  const [before, after] = [text.charAt(index - 1), text.charAt(end)];
  const opens =
    !SPACE.test(after) &&
    (!PUNCTUATION.test(after) || SPACE.test(before) || PUNCTUATION.test(before));
  const closes =
    !SPACE.test(before) &&
    (!PUNCTUATION.test(before) || SPACE.test(after) || PUNCTUATION.test(after));
  let left = run.length;
  if (closes && (sign !== '_' || !opens || PUNCTUATION.test(after))) left = close(sign, left, open);
  const mayOpen =
    sign === '*'
      ? !/[A-Za-z0-9]/.test(before)
      : sign === '~' || !closes || PUNCTUATION.test(before);
  if (left > 0 && opens && mayOpen) open.push({ sign, size: left, index: end - left });
  return end;
}

function close(
  sign: string,
  size: number,
  open: { sign: string; size: number; index: number }[],
): number {
  let left = size;
  while (left > 0) {
    const at = open.findLastIndex((each) => each.sign === sign);
    const opener = open[at];
    if (opener === undefined) break;
    const used = Math.min(left, opener.size);
    left -= used;
    open.length = at + 1;
    if (opener.size === used) open.pop();
    else open[at] = { ...opener, size: opener.size - used };
  }
  return left;
}
