// Breaks styled text into rows at word boundaries, as it comes: a word is placed once it is complete. Words longer than a
// row are cut by cells. Knows nothing of where the rows go.

import { pieces } from './breaks.ts';
import { cells, graphemes, startWithin } from './cells.ts';
import { plain, type Span, slice, textOf } from './spans.ts';

export interface Rows {
  /** Begins a row; the cells it has for content. */
  begin(): number;
  text(spans: readonly Span[]): void;
  end(): void;
}

export interface Flow {
  add(spans: readonly Span[]): void;
  /** Space and text that wait for the end of their word. */
  waiting(): string;
  /** Places what waits and ends the row. */
  end(): void;
}

const PARTS = /\n|[ \t]+|[^ \t\n]+/g;

export function flow(rows: Rows): Flow {
  /** Content of the row that is open. */
  let row: string | undefined;
  let room = 0;
  let gap: Span[] = [];
  let word: Span[] = [];

  const endRow = () => {
    if (row !== undefined) rows.end();
    row = undefined;
    gap = [];
  };
  const put = (spans: readonly Span[]) => {
    rows.text(spans);
    row += textOf(spans);
    gap = [];
  };
  const open = () => {
    if (row !== undefined) return;
    room = rows.begin();
    row = '';
  };
  const putCut = (spans: readonly Span[]) => {
    let rest = spans;
    for (let text = textOf(rest); text !== ''; text = textOf(rest)) {
      open();
      const fitting = startWithin(text, room) || first(graphemes(text));
      put(slice(rest, 0, fitting.length));
      rest = slice(rest, fitting.length);
      if (rest.length > 0) endRow();
    }
  };
  const place = () => {
    if (word.length === 0) return;
    const spans = word;
    word = [];
    open();
    if (row !== '' && cells(row + textOf(gap) + textOf(spans)) > room) endRow();
    open();
    if (cells(textOf(spans)) > room) putCut(spans);
    else put([...gap, ...spans]);
  };
  const addWord = (text: string, marks: Span['marks']) => {
    const before = textOf(word).slice(-2);
    let start = -before.length;
    for (const piece of pieces(before + text)) {
      // The pieces of `before` are in the word already: only the boundary matters.
      const fresh = piece.slice(Math.max(0, -start));
      if (start >= 0) place();
      if (fresh !== '') word.push({ text: fresh, marks });
      start += piece.length;
    }
  };
  return {
    add(spans) {
      for (const { text, marks } of spans)
        for (const [part] of text.matchAll(PARTS))
          if (part === '\n') {
            place();
            endRow();
          } else if (part.trimStart() === '') {
            place();
            if (row !== undefined) gap.push({ text: part.replaceAll('\t', '    '), marks });
          } else addWord(part, marks);
    },
    waiting: () => textOf(gap) + textOf(word),
    end() {
      place();
      endRow();
    },
  };
}

/** The spans in rows of at most so many cells (a single character that is wider stands alone). */
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

/** The text in rows of at most so many cells, broken between words; its own line ends stay. At least one row; none is wider, but a single character that is. */
export function wrap(text: string, room: number): string[] {
  return text.split('\n').flatMap((line) => {
    const rows = wrapSpans([plain(line)], Math.max(1, room)).map(textOf);
    return rows.length === 0 ? [''] : rows;
  });
}

function first(values: Iterable<string>): string {
  for (const value of values) return value;
  return '';
}
