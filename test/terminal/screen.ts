// What a terminal shows after some output: enough of one to judge ours (line ends, carriage returns, erasing, styles).

import { cells, graphemes } from '../../src/terminal/cells.ts';

const SEQUENCE = /^\x1b\[([\d;]*)([A-Za-z])/;

/** The rows, without styles and without spaces at their ends. Throws on any other control: our output has none. */
export function screen(output: string, columns: number): string[] {
  const rows: string[][] = [[]];
  let column = 0;
  let rest = output;
  const row = () => rows.at(-1) ?? [];
  while (rest !== '') {
    const [whole, , letter] = SEQUENCE.exec(rest) ?? [];
    if (whole !== undefined) {
      if (letter === 'K') row().length = Math.min(row().length, column);
      else if (letter !== 'm') throw new Error(`unexpected sequence ${JSON.stringify(whole)}`);
      rest = rest.slice(whole.length);
      continue;
    }
    const plainLength = rest.search(/[\x1b\r\n]/);
    if (plainLength !== 0) {
      const text = plainLength === -1 ? rest : rest.slice(0, plainLength);
      if (/[\x00-\x1f\x7f-\x9f]/.test(text)) throw new Error(`control in ${JSON.stringify(text)}`);
      for (const grapheme of graphemes(text)) {
        const width = cells(grapheme);
        if (column + width > columns) {
          rows.push([]);
          column = 0;
        }
        while (row().length < column) row().push(' ');
        if (width === 0 && column === 0) continue;
        if (width === 0) row()[column - 1] += grapheme;
        else row().splice(column, width, grapheme, ...Array.from({ length: width - 1 }, () => ''));
        column += width;
      }
      rest = rest.slice(text.length);
      continue;
    }
    if (rest.startsWith('\x1b'))
      throw new Error(`unexpected escape in ${JSON.stringify(rest.slice(0, 20))}`);
    if (rest.startsWith('\n')) rows.push([]);
    column = 0;
    rest = rest.slice(1);
  }
  return rows.map((characters) => characters.join('').trimEnd());
}

export const withoutStyles = (text: string): string => text.replace(/\x1b\[[\d;]*m/g, '');
