// Rows of text views: pieces with a meaning, fitted into a terminal where there is one. In a pipe nothing is cut and nothing is
// changed but line ends: a name makes no second row.

import { wrap } from '../../terminal/flow.ts';
import { neutralise } from '../../terminal/neutralise.ts';
import { type Mark, type Paint, paintNothing, type Span } from '../../terminal/spans.ts';
import { cells, shortenEnd, shortenMiddle } from '../../terminal/width.ts';

/** Where rows go. */
export interface Page {
  /** Cells of a row; undefined where nothing is cut. */
  readonly columns: number | undefined;
  readonly paint: Paint;
}

/** A file or a pipe: the text as it is. */
export const PLAIN_PAGE: Page = { columns: undefined, paint: paintNothing };

/** A piece of a row. One that gives way is shortened in its middle when the row is too long. */
export interface Piece {
  readonly text: string;
  readonly mark?: Mark;
  readonly gives?: true;
}

/** The row with its line end. Pieces are joined as they are. */
export function row(pieces: readonly Piece[], { columns, paint }: Page): string {
  if (columns === undefined) return `${paint(pieces.map(span)).replaceAll('\n', '␊')}\n`;
  const shown = pieces.map((piece) => ({ ...piece, text: neutralise(piece.text) }));
  const rest = shown.filter(({ gives }) => gives !== true);
  const room = columns - rest.reduce((sum, { text }) => sum + cells(text), 0);
  const fitted = shown.map((piece) =>
    piece.gives === true
      ? { ...piece, text: shortenMiddle(piece.text, Math.max(LEAST_NAME, room)) }
      : piece,
  );
  return `${shortenEnd(paint(fitted.map(span)), columns)}\n`;
}

/** One row; where the terminal is too narrow for it, its second half stands below, wrapped: counts must not be cut. */
export function foldedRow(lead: readonly Piece[], rest: Piece, page: Page): string {
  const whole = [...lead, rest];
  if (page.columns === undefined || fits(whole, page)) return row(whole, page);
  const lines = wrap(
    neutralise(rest.text).trim(),
    Math.max(LEAST_LINE, page.columns - INDENT.length),
  );
  const below = lines.map((text) => row([{ text: INDENT }, { ...rest, text }], page));
  return (lead.length === 0 ? '' : row(withoutEnd(lead), page)) + below.join('');
}

/** Whether a row has room for all of these pieces. */
export function fits(pieces: readonly Piece[], { columns }: Page): boolean {
  const width = pieces.reduce((sum, { text }) => sum + cells(neutralise(text)), 0);
  return columns === undefined || width <= columns;
}

/** Without the space to what stood behind it. */
const withoutEnd = (pieces: readonly Piece[]): readonly Piece[] =>
  pieces.map((piece, index) =>
    index === pieces.length - 1 ? { ...piece, text: piece.text.trimEnd() } : piece,
  );

const INDENT = '      ';

/** A name is not cut below so many cells: what is behind it tells that something failed. Then the end of the row goes. */
const LEAST_NAME = 3;
/** Lines below a row have at least so many cells. */
const LEAST_LINE = 8;

const span = ({ text, mark }: Piece): Span => ({ text, marks: mark === undefined ? [] : [mark] });
