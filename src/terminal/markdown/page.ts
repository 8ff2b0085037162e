// Rows inside quotes and list items: each row begins with the bars and indents of what it stands in, the first row of an item with its marker.

import { cells, endWithin } from '../cells.ts';
import type { Rows } from '../flow.ts';
import { type Span, textOf } from '../spans.ts';
import type { Paper } from './paper.ts';

export type Frame = { readonly kind: 'quote' } | { readonly kind: 'item'; readonly marker: string };

export interface Page extends Rows {
  /** What follows stands inside one more quote or item. */
  open(frame: Frame): void;
  /** What follows stands inside the outermost `depth` frames only. */
  close(depth: number): void;
  /** An empty row is due before the next row, if there is one. */
  blank(): void;
  /** Writes the empty row that is due, inside the frames open now. */
  settleBlank(): void;
  /** Cells that the next row has for content. */
  readonly room: number;
  /** Forgets the frames and the blank row: the text is over. */
  reset(): void;
}

const BAR = '│ ';

export function createPage(paper: Paper, size: { readonly columns: number }): Page {
  let frames: { frame: Frame; shown: boolean }[] = [];
  let started = false;
  let due = false;

  const columns = () => Math.max(1, size.columns);
  const prefixOf = ({ frame, shown }: (typeof frames)[number]): Span => {
    if (frame.kind === 'quote') return { text: BAR, marks: ['faint'] };
    return { text: shown ? ' '.repeat(cells(frame.marker)) : frame.marker, marks: [] };
  };
  const page: Page = {
    get room() {
      return columns() - cells(textOf(narrow(frames.map(prefixOf), columns())));
    },
    begin() {
      page.settleBlank();
      const { room } = page;
      const prefix = narrow(frames.map(prefixOf), columns());
      frames = frames.map(({ frame }) => ({ frame, shown: true }));
      started = true;
      if (prefix.length > 0) paper.text(prefix);
      return room;
    },
    text: (spans) => paper.text(spans),
    end: () => paper.endRow(),
    open: (frame) => void frames.push({ frame, shown: false }),
    close(depth) {
      const empty = frames.slice(depth).some(({ frame, shown }) => frame.kind === 'item' && !shown);
      if (empty) {
        page.begin();
        page.end();
      }
      frames = frames.slice(0, depth);
    },
    blank() {
      due = started;
    },
    settleBlank() {
      if (!due) return;
      due = false;
      const bars = frames.map((each) => prefixOf({ ...each, shown: true }));
      const kept = narrow(
        bars.slice(0, bars.findLastIndex(({ marks }) => marks.length > 0) + 1),
        columns(),
      );
      if (kept.length > 0) paper.text(kept);
      paper.endRow();
    },
    reset() {
      page.close(0);
      started = false;
      due = false;
    },
  };
  return page;
}

/** Content keeps at least half of the row: of a deeper prefix only the end is shown, where the marker is. */
function narrow(prefix: readonly Span[], columns: number): readonly Span[] {
  const room = columns - Math.min(columns, Math.max(2, Math.ceil(columns / 2)));
  const text = textOf(prefix);
  if (cells(text) <= room) return prefix;
  const kept = endWithin(text, room);
  return kept === '' ? [] : [{ text: kept, marks: ['faint'] }];
}
