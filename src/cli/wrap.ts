// Plain text in a column: paragraphs and two-column tables for --help. Counts letters, not cells: help is ASCII.

import type { Stream } from '../world/types/streams.ts';

/** Columns of every help text where nothing says that there are fewer. */
export const WIDTH = 80;
/** Narrower than this nothing can be read. */
const LEAST_WIDTH = 20;
/** Meanings have at least so many columns beside their names, or stand below them. */
const LEAST_MEANING = 24;

/** The columns of a help text here: those of a narrow terminal, else 80. */
export function helpWidth({ terminal, columns }: Pick<Stream, 'terminal' | 'columns'>): number {
  return terminal ? Math.min(WIDTH, Math.max(LEAST_WIDTH, columns)) : WIDTH;
}

/** A paragraph in lines of at most `width` letters, each behind `indent` spaces. A word longer than a line stays whole, and U+00A0 joins words. */
export function wrap(text: string, indent = 0, width = WIDTH): string {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(/[ \n]+/).filter((each) => each !== '')) {
    if (line !== '' && indent + line.length + 1 + word.length > width) {
      lines.push(line);
      line = word;
    } else line = line === '' ? word : `${line} ${word}`;
  }
  return [...lines, line]
    .map((each) => ' '.repeat(indent) + each.replaceAll('\u00a0', ' '))
    .join('\n');
}

/** A name and what it means. */
export type Row = readonly [string, string];

const WIDEST_LEFT = 28;
/** Where a meaning begins below its name. */
const BELOW = 6;

/** Rows of a name and its meaning; a name that is too wide for the column gets a line of its own, and so do all in a narrow text. */
export function columns(rows: readonly Row[], start = meaningColumn(rows), width = WIDTH): string {
  const narrow = width - start < LEAST_MEANING;
  return rows
    .map(([left, right]) => {
      const text = wrap(right, narrow ? BELOW : start, width);
      return !narrow && left.length + 4 <= start
        ? `  ${left.padEnd(start - 2)}${text.trimStart()}`
        : `  ${left}\n${text}`;
    })
    .join('\n');
}

/** Where the meanings begin when these rows stand in one table, or in tables below each other. */
export function meaningColumn(rows: readonly Row[]): number {
  const fitting = rows.map(([left]) => left.length).filter((length) => length <= WIDEST_LEFT);
  return Math.max(8, ...fitting) + 4;
}
