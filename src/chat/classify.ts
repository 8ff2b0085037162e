// What one line of a chat means by itself. The reader and the writer both ask this one function, so what is escaped on
// writing is exactly what would be special on reading. Knows nothing of the lines around.

import { fenceRunEnd } from './fences.ts';
import { holdsCloser, isOpener } from './tags.ts';
import { isWhite, skipWhite, skipWhiteBack } from './white-space.ts';

export const LINE = {
  /** Content, whatever it is. */
  text: 0,
  /** `role:` alone. */
  block: 1,
  /** `role: content`. */
  inline: 2,
  fence: 3,
  square: 4,
  tag: 5,
  command: 6,
  /** Backslashes before a line that would be special: text, less one backslash. */
  escape: 7,
} as const;

export type Line = (typeof LINE)[keyof typeof LINE];

const SPACE = 32;
const DASH = 45;
const SLASH = 47;
const COLON = 58;
const LESS = 60;
const SQUARE = 91;
const BACKSLASH = 92;
const SQUARE_END = 93;
const BACKTICK = 96;
const TILDE = 126;

/** The meaning of the line [start, end), line end excluded, outside of protected blocks. One pass over the line. */
export function classify(text: string, start: number, end: number): Line {
  const at = skipWhite(text, start, end);
  if (at === end) return LINE.text;
  switch (text.charCodeAt(at)) {
    case BACKSLASH:
      if (at === start) return classifyEscape(text, start, end);
      break;
    case BACKTICK:
    case TILDE:
      if (fenceRunEnd(text, start, end) !== -1) return LINE.fence;
      break;
    case SQUARE:
      if (opensSquare(text, at, end)) return LINE.square;
      break;
    case LESS:
      if (isOpener(text, at, end)) return LINE.tag;
      break;
  }
  return classifyWord(text, start, at, end);
}

/** Offset of the colon of a header line; where there is none, of the first code unit that no role name can have. */
export function roleEnd(text: string, start: number, end: number): number {
  let at = start;
  while (at < end && isRoleCode(text.charCodeAt(at))) at++;
  return at;
}

/** The command of a line that opens a command block, undefined for any other. */
export function commandOf(text: string, start: number, end: number): string | undefined {
  const word = firstWordEnd(text, skipWhite(text, start, end), end);
  if (!isPromptEnd(text, start, word, end)) return undefined;
  const rest = text.slice(word + 1, end);
  const brace = rest.lastIndexOf(' {{{');
  return brace === -1 ? undefined : rest.slice(0, brace);
}

/** Whether a line closes a command block. */
export function closesCommand(text: string, start: number, end: number): boolean {
  const line = text.slice(start, end);
  const prompt = line.indexOf(':--');
  return prompt !== -1 && line.indexOf(' }}}', prompt + 3) !== -1;
}

/** Offset of the `]]` that ends the line (white space may follow), or -1. */
export function squareCloser(text: string, start: number, end: number): number {
  const last = skipWhiteBack(text, start, end) - 1;
  if (last <= start || text.charCodeAt(last) !== SQUARE_END) return -1;
  return text.charCodeAt(last - 1) === SQUARE_END ? last - 1 : -1;
}

function classifyEscape(text: string, start: number, end: number): Line {
  let at = start;
  while (at < end && text.charCodeAt(at) === BACKSLASH) at++;
  const special = classify(text, at, end) !== LINE.text || holdsCloser(text, at, end);
  return special ? LINE.escape : LINE.text;
}

/** What the first word of a line makes of it: a header, a command opener or text. */
function classifyWord(text: string, start: number, at: number, end: number): Line {
  const nameEnd = roleEnd(text, at, end);
  const word = firstWordEnd(text, nameEnd, end);
  if (isPromptEnd(text, at, word, end) && commandOf(text, start, end) !== undefined)
    return LINE.command;
  if (at !== start || nameEnd === start || nameEnd === end) return LINE.text;
  if (text.charCodeAt(nameEnd) !== COLON || isAddress(text, nameEnd, end)) return LINE.text;
  return skipWhite(text, nameEnd + 1, end) === end ? LINE.block : LINE.inline;
}

function opensSquare(text: string, at: number, end: number): boolean {
  return at + 1 < end && text.charCodeAt(at + 1) === SQUARE && squareCloser(text, at, end) === -1;
}

function firstWordEnd(text: string, start: number, end: number): number {
  let at = start;
  while (at < end && !isWhite(text.charCodeAt(at))) at++;
  return at;
}

/** Whether the word that ends here is followed by a space and ends in `:--`. */
function isPromptEnd(text: string, start: number, wordEnd: number, end: number): boolean {
  return (
    wordEnd < end &&
    wordEnd - start >= 3 &&
    text.charCodeAt(wordEnd) === SPACE &&
    text.charCodeAt(wordEnd - 1) === DASH &&
    text.charCodeAt(wordEnd - 2) === DASH &&
    text.charCodeAt(wordEnd - 3) === COLON
  );
}

function isAddress(text: string, colon: number, end: number): boolean {
  return (
    colon + 2 < end && text.charCodeAt(colon + 1) === SLASH && text.charCodeAt(colon + 2) === SLASH
  );
}

function isRoleCode(code: number): boolean {
  return (code >= 97 && code <= 122) || (code >= 48 && code <= 57) || code === 95;
}
