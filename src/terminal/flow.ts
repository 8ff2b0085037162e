// Breaks styled text into rows at word boundaries, as it comes: a word is placed once it is complete. Words longer than a
// row are cut by cells. Knows nothing of where the rows go.

import { pieces } from './breaks.ts';
import { cells, rowOf, startWithin } from './cells.ts';
import { plain, type Span, slice, textOf } from './spans.ts';

export interface Rows {
  /** Begins a row; the cells it has for content. */
  begin(): number;
  text(spans: readonly Span[]): void;
  end(): void;
}

export interface Flow {
  /** Begins a row now, if none is open: text is sure to come. */
  open(): void;
  add(spans: readonly Span[]): void;
  /** Space and text that wait for the end of their word. */
  waiting(): string;
  /** Places what waits and ends the row. */
  end(): void;
}

const PARTS = /\n|[ \t]+|[^ \t\n]+/g;
/** A longer word is placed before it is complete. */
const LONGEST_WORD = 1000;
/** Words that begin with one of these never form one character with what stands before them, so that widths add up. */
const SEPARATE =
  /^[\x20-\x7e\xa0-\u02ff\u0370-\u0482\u3000-\u3029\u3030-\u3098\u309b-\u30ff\u3400-\u9fff\uff01-\uff60]/;

export function flow(rows: Rows): Flow {
  /** Content of the row that is open, and the cells it takes. */
  let row: string | undefined;
  let used = 0;
  let room = 0;
  let gap: Span[] = [];
  let word: Span[] = [];
  let wordText = '';
  /** The word goes on with one that was placed. */
  let goesOn = false;

  const endRow = () => {
    if (row !== undefined) rows.end();
    row = undefined;
    gap = [];
  };
  const open = () => {
    if (row !== undefined) return;
    room = rows.begin();
    row = '';
    used = 0;
  };
  const widthWith = (text: string) =>
    SEPARATE.test(text) ? used + cells(text) : cells((row ?? '') + text);
  const put = (spans: readonly Span[], text: string) => {
    rows.text(spans);
    used = widthWith(text);
    row += text;
    gap = [];
  };
  const putCut = (spans: readonly Span[], text: string) => {
    for (let from = 0; from < text.length; ) {
      open();
      const rest = text.slice(from);
      const part = used === 0 ? rowOf(rest, room) : startWithin(rest, room - used);
      if (part !== '') put(slice(spans, from, from + part.length), part);
      from += part.length;
      if (from < text.length) endRow();
    }
  };
  const place = () => {
    if (wordText === '') return;
    const [spans, text, sameRow] = [word, wordText, goesOn];
    word = [];
    wordText = '';
    goesOn = false;
    open();
    const spaced = textOf(gap) + text;
    if (widthWith(spaced) <= room) return put([...gap, ...spans], spaced);
    if (row !== '' && !sameRow) endRow();
    open();
    if (used === 0 && cells(text) <= room) put(spans, text);
    else putCut(spans, text);
  };
  const addPiece = (text: string, marks: Span['marks']) => {
    const last = word.at(-1);
    if (last !== undefined && last.marks.join() === marks.join())
      word[word.length - 1] = { text: last.text + text, marks };
    else word.push({ text, marks });
    wordText += text;
    if (wordText.length <= LONGEST_WORD) return;
    place();
    goesOn = true;
  };
  const addWord = (text: string, marks: Span['marks']) => {
    const before = wordText.slice(-2);
    let start = -before.length;
    for (const piece of pieces(before + text)) {
      // What `before` repeats is in the word already: only the boundary matters.
      const fresh = piece.slice(Math.max(0, -start));
      if (start >= 0) place();
      if (fresh !== '') addPiece(fresh, marks);
      start += piece.length;
    }
  };
  const endWord = () => {
    place();
    goesOn = false;
  };
  return {
    open,
    add(spans) {
      for (const { text, marks } of spans)
        for (const [part] of text.matchAll(PARTS))
          if (part === '\n') {
            endWord();
            endRow();
          } else if (/^[ \t]/.test(part)) {
            endWord();
            if (row !== undefined) gap.push({ text: part.replaceAll('\t', '    '), marks });
          } else addWord(part, marks);
    },
    waiting: () => textOf(gap) + wordText,
    end() {
      endWord();
      endRow();
    },
  };
}

/** The spans in rows of at most so many cells. */
export function wrapSpans(spans: readonly Span[], room: number): Span[][] {
  const rows: Span[][] = [];
  const out = flow({
    begin: () => {
      rows.push([]);
      return room;
    },
    text: (more) => void rows.at(-1)?.push(...more),
    end: () => {},
  });
  out.add(spans);
  out.end();
  return rows;
}

/** The text in rows of at most so many cells, broken between words; its own line ends stay. At least one row; none is wider, but a wide character in a single cell. */
export function wrap(text: string, room: number): string[] {
  return text.split('\n').flatMap((line) => {
    const rows = wrapSpans([plain(line)], Math.max(1, room)).map(textOf);
    return rows.length === 0 ? [''] : rows;
  });
}
