// The terminal as the renderer sees it: rows are only ever added at the end. Behind what is settled of the last row the
// text that is still open may be previewed; a preview never leaves its row, so no row above is ever touched.

import { cells, endWithin, expandTabs } from '../cells.ts';
import { type Paint, type Span, textOf } from '../spans.ts';

export interface Ink {
  /** Whether sequences that erase to the end of a row may be sent. Without them spaces do it. */
  readonly sequences: boolean;
  readonly paint: Paint;
}

export interface Paper {
  text(spans: readonly Span[]): void;
  endRow(): void;
  /** Replaces the preview; '' takes it away. */
  preview(text: string): void;
  /** What must be written since the last call. */
  take(): string;
}

// A preview shorter than this says nothing.
const LEAST_PREVIEW = 8;
const LONGEST_LOOK = 400;
// Characters that some terminals draw wider than their width says.
const DOUBTFUL =
  /[^\x20-\u02ff\u0370-\u052f\u2010-\u2027\u3000-\u30ff\u4e00-\u9fff\uac00-\ud7a3]/gu;

export function createPaper(size: { readonly columns: number }, ink: Ink): Paper {
  let out = '';
  let row = '';
  let painted = '';
  let shown = '';

  const hide = () => {
    if (shown === '') return;
    const erase = ink.sequences ? '\x1b[K' : `${' '.repeat(cells(row + shown))}\r`;
    out += `\r${erase}${painted}`;
    shown = '';
  };
  return {
    text(spans) {
      hide();
      const text = ink.paint(spans);
      row += textOf(spans);
      painted += text;
      out += text;
    },
    endRow() {
      hide();
      out += '\n';
      row = '';
      painted = '';
    },
    preview(text) {
      const end = text.slice(-LONGEST_LOOK).replaceAll('\n', ' ');
      const wanted = shorten(expandTabs(end, cells(row)), row, size.columns);
      if (wanted === shown) return;
      if (shown !== '' && wanted.startsWith(shown)) out += wanted.slice(shown.length);
      else {
        hide();
        out += wanted;
      }
      shown = wanted;
    },
    take() {
      const text = out;
      out = '';
      return text;
    },
  };
}

/** As much of the end of the text as surely fits behind the row. */
function shorten(text: string, row: string, columns: number): string {
  const doubtful = (row + text).match(DOUBTFUL)?.length ?? 0;
  const room = columns - 1 - cells(row) - doubtful;
  if (cells(text) <= room) return text;
  if (room < LEAST_PREVIEW) return '';
  const cut = text.startsWith(' ') ? ' …' : '…';
  return cut + endWithin(text, room - cut.length);
}
