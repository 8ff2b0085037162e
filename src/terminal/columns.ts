// Rows as columns that fit a terminal. In a pipe nothing is cut.

import { greatest } from '../lists.ts';
import { cells, padEnd, shortenMiddle } from './width.ts';

/** Cells of a last column below which it is no use there. */
const LEAST = 24;
const GAP = '  ';
const INDENT = '     ';

export interface Room {
  /** Cells of a line; as many as it takes when absent. */
  readonly columns?: number;
  /** A cell of the last column that is left out where that column has to stand on lines of its own. */
  readonly usual?: string;
}

/**
 * The rows, a line each, columns aligned. Where the lines are too long the last column, of paths and the like, is shortened in the middle;
 * where too little is left of it, it stands below its row. Without a line end behind the last line.
 */
export function inColumns(rows: readonly (readonly string[])[], room: Room = {}): string {
  const { columns = Infinity, usual } = room;
  const widths = (rows[0] ?? []).map((_, column) =>
    greatest(rows.map((row) => cells(row[column] ?? ''))),
  );
  const line = (row: readonly string[]) =>
    row
      .map((cell, column) => padEnd(cell, widths[column] ?? 0))
      .join(GAP)
      .trimEnd();
  const before = widths.slice(0, -1).reduce((sum, width) => sum + width + GAP.length, 0);
  const left = columns - before;
  if ((widths.at(-1) ?? 0) <= left) return rows.map(line).join('\n');
  const split = rows.map((row) => [row.slice(0, -1), row.at(-1) ?? ''] as const);
  if (left >= LEAST)
    return split.map(([row, last]) => line([...row, shortenMiddle(last, left)])).join('\n');
  return split
    .flatMap(([row, last], index) => [
      line(row),
      // The heading of the column says nothing there.
      ...(index === 0 || last === usual
        ? []
        : [INDENT + shortenMiddle(last, columns - INDENT.length)]),
    ])
    .join('\n');
}
