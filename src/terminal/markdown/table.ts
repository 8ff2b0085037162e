// Tables with columns that line up by cells and shrink to the width there is. Where even narrow columns do not fit, each row
// becomes a short list of "head: value".

import { greatest } from '../../lists.ts';
import { cells } from '../cells.ts';
import { wrapSpans } from '../flow.ts';
import { marked, plain, type Span, textOf } from '../spans.ts';

export type Alignment = 'left' | 'right' | 'center';

export interface Table {
  readonly head: readonly (readonly Span[])[];
  readonly rows: readonly (readonly (readonly Span[])[])[];
  readonly alignments: readonly Alignment[];
}

const DELIMITER = /^\s*\|?\s*:?-+:?\s*(?:\|\s*:?-+:?\s*)*\|?\s*$/;
const SEPARATOR = ' │ ';
const LEAST_COLUMN = 3;

/** The texts of the cells of a line. A pipe behind a backslash is part of its cell. */
export function splitRow(line: string): string[] {
  const row = line
    .trim()
    .replace(/^\|/, '')
    .replace(/(?<!\\)\|$/, '');
  return row.split(/(?<!\\)\|/).map((cell) => cell.trim().replaceAll('\\|', '|'));
}

/** The alignments that a line below a table's head declares; undefined when it is no such line. */
export function readDelimiter(line: string): Alignment[] | undefined {
  if (!line.includes('|') || !DELIMITER.test(line)) return undefined;
  return splitRow(line).map((cell) => {
    if (!cell.endsWith(':')) return 'left';
    return cell.startsWith(':') ? 'center' : 'right';
  });
}

/** The table in rows of at most so many cells. */
export function layTable(table: Table, room: number): Span[][] {
  const all = [table.head, ...table.rows];
  const count = greatest(all.map((row) => row.length));
  const free = room - (count - 1) * SEPARATOR.length;
  if (free < count * LEAST_COLUMN) return layList(table, room);
  const columns = Array.from({ length: count }, (_, column) => column);
  const natural = columns.map((column) => Math.max(1, ...all.map((row) => widthOf(row[column]))));
  const widths = shrink(natural, free);
  const lay = (row: readonly (readonly Span[])[]) => layRow(row, widths, table.alignments);
  const rule = faint(widths.map((width) => '─'.repeat(width)).join('─┼─'));
  const bodies = table.rows.map(lay);
  const spaced = bodies.some((rows) => rows.length > 1);
  return [
    ...lay(table.head.map((cell) => marked(cell, 'heading'))),
    [rule],
    ...bodies.flatMap((rows, index) => (spaced && index > 0 ? [[rule], ...rows] : rows)),
  ];
}

function layRow(
  row: readonly (readonly Span[])[],
  widths: readonly number[],
  alignments: readonly Alignment[],
): Span[][] {
  const wrapped = widths.map((width, column) => wrapSpans(row[column] ?? [], width));
  const height = Math.max(1, ...wrapped.map((lines) => lines.length));
  return Array.from({ length: height }, (_, line) =>
    wrapped.flatMap((lines, column) => [
      ...(column === 0 ? [] : [faint(SEPARATOR)]),
      ...align(
        lines[line] ?? [],
        widths[column] ?? 0,
        alignments[column],
        column === widths.length - 1,
      ),
    ]),
  );
}

function align(
  spans: readonly Span[],
  width: number,
  alignment: Alignment | undefined,
  last: boolean,
): Span[] {
  const free = Math.max(0, width - widthOf(spans));
  const before = { left: 0, center: Math.floor(free / 2), right: free }[alignment ?? 'left'];
  const after = last ? 0 : free - before;
  return [plain(' '.repeat(before)), ...spans, plain(' '.repeat(after))];
}

/** Widths of at most `room` together: wide columns give first. */
function shrink(natural: readonly number[], room: number): number[] {
  const total = (cap: number) => natural.reduce((sum, width) => sum + Math.min(width, cap), 0);
  let cap = Math.min(room, greatest(natural));
  while (total(cap) > room) cap -= 1;
  let rest = room - total(cap);
  return natural.map((width) => {
    if (width <= cap || rest === 0) return Math.min(width, cap);
    rest -= 1;
    return cap + 1;
  });
}

function layList({ head, rows }: Table, room: number): Span[][] {
  const item = (cell: readonly Span[], column: number): Span[] => {
    const name = head[column] ?? [];
    return name.length === 0 ? [...cell] : [...marked(name, 'heading'), plain(': '), ...cell];
  };
  const rule = [faint('─'.repeat(room))];
  if (rows.length === 0) return head.flatMap((name) => wrapSpans(marked(name, 'heading'), room));
  return rows.flatMap((row, index) => [
    ...(index === 0 ? [] : [rule]),
    ...Array.from({ length: Math.max(row.length, head.length) }, (_, column) =>
      wrapSpans(item(row[column] ?? [], column), room),
    ).flat(),
  ]);
}

const widthOf = (spans: readonly Span[] | undefined): number => cells(textOf(spans ?? []));
const faint = (text: string): Span => ({ text, marks: ['faint'] });
