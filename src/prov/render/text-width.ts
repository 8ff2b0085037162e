// How wide a text is in a drawing, before there is one. A little more than true for letters beyond ASCII, never less.

import { cells, graphemes } from '../../terminal/cells.ts';

/** Advance widths of DejaVu Sans, from space to tilde, in hundredths of the font size. */
const WIDTHS =
  '32 40 46 84 64 95 78 27 39 39 50 84 32 36 32 34 64 64 64 64 64 64 64 64 64 64 34 34 84 84 84 53 100 68 69 70 77 63 58 77 75 29 29 66 56 86 75 79 60 79 69 63 61 73 68 99 69 61 69 39 34 39 84 50 50 61 63 55 63 62 35 63 63 28 28 58 28 97 63 61 63 63 41 52 39 63 59 82 59 59 52 64 34 64 84'
    .split(' ')
    .map(Number);

const FIRST = 32;
/** Of letters that take one cell and two cells of a terminal. */
const OTHER = { narrow: 90, wide: 110 } as const;

/** Width in units of the font size. */
export function textWidth(text: string): number {
  let sum = 0;
  for (const letter of graphemes(text)) {
    // A letter with accents is as wide as the letter.
    const base = letter.normalize('NFD').charCodeAt(0);
    sum += WIDTHS[base - FIRST] ?? (cells(letter) > 1 ? OTHER.wide : OTHER.narrow);
  }
  return sum / 100;
}
