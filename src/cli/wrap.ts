// Plain text in a column: paragraphs and two-column tables for --help. Counts letters, not cells: help is ASCII.

/** Columns of every help text. */
export const WIDTH = 80;

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

/** Rows of a name and its meaning; a name that is too wide for the column gets a line of its own. */
export function columns(rows: readonly Row[], start = meaningColumn(rows)): string {
  return rows
    .map(([left, right]) => {
      const text = wrap(right, start);
      return left.length + 4 <= start
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
