// Rows as text: aligned columns that fit a terminal, or a table of tabs with a `#` header anywhere else.

import { greatest } from '../lists.ts';
import { neutralise } from '../terminal/neutralise.ts';
import { cells, padEnd, shortenEnd } from '../terminal/width.ts';
import type { Stream } from '../world/types/streams.ts';

export interface TableText {
  readonly text: string;
  /** Columns that did not fit. */
  readonly hidden: readonly string[];
}

const GAP = 2;
/** A column is not made narrower than this, in cells. */
const NARROWEST = 8;

/** The rows below their header. On a terminal cells are cut to what fits, and the last columns left out when that is not enough. */
export function tableText(
  header: readonly string[],
  rows: readonly (readonly string[])[],
  { terminal, columns }: Pick<Stream, 'terminal' | 'columns'>,
): TableText {
  if (!terminal) return { text: [header, ...rows].map(tabbed).join(''), hidden: [] };
  const shown = Math.min(
    header.length,
    Math.max(1, Math.floor((columns + GAP) / (NARROWEST + GAP))),
  );
  const lines = [header, ...rows].map((row) =>
    row.slice(0, shown).map((cell) => neutralise(cell.replaceAll('\t', ' '))),
  );
  const widths = fitted(
    header.slice(0, shown).map((_, column) => widest(lines, column)),
    columns - GAP * (shown - 1),
  );
  return { text: lines.map((line) => aligned(line, widths)).join(''), hidden: header.slice(shown) };
}

function tabbed(row: readonly string[], index: number): string {
  const line = row.map((cell) => cell.replaceAll(/[\t\r\n]/g, ' ')).join('\t');
  return `${index === 0 ? '#' : ''}${line}\n`;
}

function aligned(line: readonly string[], widths: readonly number[]): string {
  const parts = line.map((cell, column) => {
    const width = widths[column] ?? 0;
    return padEnd(shortenEnd(cell, width), width);
  });
  return `${parts.join(' '.repeat(GAP)).trimEnd()}\n`;
}

function widest(lines: readonly (readonly string[])[], column: number): number {
  let most = 1;
  for (const line of lines) {
    const cell = line[column] ?? '';
    // A cell is at most two cells of the terminal for each unit: short ones need not be measured.
    if (cell.length * 2 > most) most = Math.max(most, cells(cell));
  }
  return most;
}

/** The widths that fit: the widest columns give first, all of them the same. */
function fitted(widths: readonly number[], room: number): readonly number[] {
  let most = greatest(widths);
  const total = () => widths.reduce((sum, width) => sum + Math.min(width, most), 0);
  while (total() > room && most > NARROWEST) most--;
  return widths.map((width) => Math.min(width, most));
}
