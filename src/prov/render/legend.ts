// What stands below a drawing: its caption, and what its boxes and lines mean, of those that are in it. A table in Graphviz' HTML, so that
// no box and no arrow is in the graph that stands for nothing.

import type { ArrowName } from './arrows.ts';
import { withoutMarkup } from './dot-text.ts';
import type { Box, Drawing } from './drawing.ts';
import { COLOURS, FONT_SIZE } from './style.ts';
import { textWidth } from './text-width.ts';

/** Graphviz in WebAssembly fails, or never ends, at some tables that have cells without anything in them. */
const NOTHING = ' ';

/** The graph's label, with the angle brackets that make it HTML. */
export function legend({ caption, boxes, arrows }: Drawing): string {
  const lines = caption.map((line) => row(cell(line, ' ALIGN="LEFT" COLSPAN="2"')));
  const widest = Math.max(...caption.map(cellWidth));
  const samples = [boxSamples(boxes), arrowSamples(arrows)].filter((each) => each.length > 0);
  const widths = samples.map((each) =>
    each.reduce((sum, { text }) => sum + cellWidth(text) + SPACE, SPACE),
  );
  const longest = Math.max(0, ...widths);
  // What is left of a row goes into empty cells, so that no sample is stretched: in its own table, then beside all of them.
  const rest = empty(Math.max(1, widest - longest));
  const tables = samples.map((each, index) => {
    const missing = longest - (widths[index] ?? 0) - SPACE;
    const cells = each.map(({ text, style }) => cell(text, style)).join('');
    const filled = missing > 0 ? cells + empty(missing) : cells;
    return row(`<TD ALIGN="LEFT">${table(row(filled), SPACE)}</TD>${rest}`);
  });
  return `<${table([...tables, ...lines].join(''), 0)}>`;
}

interface Sample {
  readonly text: string;
  readonly style: string;
}

/** Points between the cells of a table. */
const SPACE = 6;

const table = (rows: string, space: number): string =>
  `<TABLE BORDER="0" CELLBORDER="0" CELLSPACING="${space}" CELLPADDING="2">${rows}</TABLE>`;

const row = (cells: string): string => `<TR>${cells}</TR>`;

const empty = (width: number): string => `<TD WIDTH="${width}">${NOTHING}</TD>`;

const cell = (text: string, style: string): string =>
  `<TD${style} WIDTH="${cellWidth(text)}">${withoutMarkup(text) || NOTHING}</TD>`;

/** As wide as its text is: Graphviz takes letters beyond ASCII for narrower ones. */
const cellWidth = (text: string): number => Math.ceil(textWidth(text) * FONT_SIZE) + 6;

const LEFT = ' ALIGN="LEFT"';

function boxSamples(boxes: readonly Box[]): readonly Sample[] {
  const has = (test: (box: Box) => boolean): boolean => boxes.some(test);
  const sample = (
    text: string,
    { fill, line }: { readonly fill: string; readonly line: string },
    border = 1,
    more = '',
  ): Sample => ({
    text,
    style: ` BORDER="${border}" BGCOLOR="${fill}" COLOR="${line}"${more}`,
  });
  return [
    ...(has(({ kind }) => kind === 'job') ? [sample('job', COLOURS.job)] : []),
    ...(has(({ kind }) => kind === 'chat') ? [sample('chat', COLOURS.chat)] : []),
    ...(has(({ status }) => status?.kind === 'failed')
      ? [sample('failed', COLOURS.failed, 3)]
      : []),
    ...(has(({ status }) => status?.kind === 'open')
      ? [sample('not done', COLOURS.open, 1, ' STYLE="dashed"')]
      : []),
    ...(has(({ count }) => count > 1) ? [{ text: 'double border: ×N nodes', style: LEFT }] : []),
    ...(has(({ isRoot }) => isRoot) ? [{ text: 'thick border: asked about', style: LEFT }] : []),
  ];
}

const ARROWS: readonly { readonly name: ArrowName | undefined; readonly text: string }[] = [
  { name: 'dependency', text: '──▶ dependency' },
  { name: 'result', text: '━━▶ result' },
  { name: 'delegated_result', text: '╌╌▶ delegated result' },
  { name: 'log', text: '┈┈▷ log' },
  { name: undefined, text: '┈┈○ through others' },
];

const arrowSamples = (arrows: Drawing['arrows']): readonly Sample[] =>
  ARROWS.filter(({ name }) => arrows.some((arrow) => arrow.name === name)).map(({ text }) => ({
    text,
    style: LEFT,
  }));
