// How many cells of a terminal a text takes, and how much of it fits into some. Loads string-width (about 20 ms of
// CPU): import it on demand in commands that must start fast.

import stringWidth from 'string-width';

const PRINTABLE_ASCII = /^[\x20-\x7e]*$/;
const TAB_STOP = 4;

let segmenter: Intl.Segmenter | undefined;

/** Cells that the text takes on a terminal; sequences of style count nothing, tabs and line ends neither: expand them before. */
export function cells(text: string): number {
  return PRINTABLE_ASCII.test(text) ? text.length : stringWidth(text);
}

/** What a reader sees as one character each: an emoji with its modifiers, a letter with its accents. */
export function* graphemes(text: string): Generator<string> {
  if (PRINTABLE_ASCII.test(text)) {
    yield* text;
    return;
  }
  segmenter ??= new Intl.Segmenter();
  for (const { segment } of segmenter.segment(text)) yield segment;
}

/** The longest start of the text that fits into so many cells, never cut inside a character. */
export function startWithin(text: string, room: number): string {
  if (PRINTABLE_ASCII.test(text)) return text.slice(0, Math.max(0, room));
  let used = 0;
  let length = 0;
  for (const grapheme of graphemes(text)) {
    used += cells(grapheme);
    if (used > room) break;
    length += grapheme.length;
  }
  return text.slice(0, length);
}

/** What of a long text goes into a row of so many cells: as much as fits, yet at least something, so that there is an end to it. */
export function rowOf(text: string, room: number): string {
  const fitting = startWithin(text, room);
  return fitting === '' ? String.fromCodePoint(text.codePointAt(0) ?? 0x20) : fitting;
}

/** The longest end of the text that fits into so many cells, never cut inside a character. */
export function endWithin(text: string, room: number): string {
  if (PRINTABLE_ASCII.test(text)) return room > 0 ? text.slice(-room) : '';
  let used = 0;
  let start = text.length;
  for (const grapheme of [...graphemes(text)].reverse()) {
    used += cells(grapheme);
    if (used > room) break;
    start -= grapheme.length;
  }
  return text.slice(start);
}

/** The text with tabs as spaces up to the next stop (every 4 cells), for a text that begins at cell `from`. */
export function expandTabs(text: string, from = 0): string {
  if (!text.includes('\t')) return text;
  let out = '';
  let column = from;
  for (const piece of text.split(/(\t)/)) {
    const shown = piece === '\t' ? ' '.repeat(TAB_STOP - (column % TAB_STOP)) : piece;
    out += shown;
    column += cells(shown);
  }
  return out;
}
