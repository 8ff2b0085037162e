// From a drawing to DOT. Shape tells the kind, border and words the status, line style the relation: no colour has to be seen.

import * as path from 'node:path';
import type { GraphAttributesObject } from 'ts-graphviz';
import { dotLabel, dotTooltip } from './dot-text.ts';
import type { Box, Drawing, DrawnArrow } from './drawing.ts';
import type { Frame } from './frames.ts';
import { groupBy } from './grouping.ts';
import { legend } from './legend.ts';
import { backward } from './order.ts';
import { sharesColumns } from './ranks.ts';
import { gridRows, staggered } from './stagger.ts';
import {
  type Attributes,
  arrowStyle,
  boxStyle,
  COLOURS,
  type DotGraph,
  FONT,
  FONT_SIZE,
} from './style.ts';
import { textWidth } from './text-width.ts';

export interface DotOptions {
  /** Absolute: links to files are told from there. */
  readonly folder: string;
  /** Straight lines and a shorter search for good places: faster, and less beautiful. */
  readonly plain?: boolean;
}

/** The text of the DOT file. */
export async function dot(drawing: Drawing, options: DotOptions): Promise<string> {
  const { digraph, toDot } = await import('ts-graphviz');
  const lengths = staggered(drawing);
  const rows = gridRows(drawing);
  // Arrows that lead back leave to the left, too, and Graphviz finds no ring.
  const turned = backward(drawing);
  const attributes = {
    ...graphAttributes(drawing, options),
    nodesep: lengths.size > 0 ? 0.08 : drawing.boxes.length > FEW ? 0.15 : 0.3,
    ...(rows === undefined ? {} : { packmode: `array_${rows}` }),
  } as GraphAttributesObject;
  const model = digraph('provenance', attributes, (graph) => {
    graph.node({ ...FONTS, margin: '0.12,0.06', style: 'filled' });
    graph.edge({ ...FONTS, color: COLOURS.arrow, arrowsize: 0.7, ...PORTS });
    const frames = new Map<string, DotGraph>();
    const inside = (frame: string | undefined): DotGraph => frames.get(frame ?? '') ?? graph;
    for (const frame of drawing.frames)
      frames.set(
        frame.id,
        inside(frame.parent).subgraph(`cluster_${frame.id}`, frameAttributes(frame)),
      );
    for (const box of rows === undefined ? drawing.boxes : fromBelow(drawing.boxes, rows))
      inside(box.frame).node(box.id, boxAttributes(box, options));
    for (const arrow of drawing.arrows) {
      const attributes = arrowAttributes(arrow, lengths.get(arrow));
      const { from, to } = arrow;
      if (turned.has(arrow)) graph.edge([to, from], turnedRound(attributes));
      else graph.edge([from, to], attributes);
    }
  });
  return `${toDot(model)}\n`;
}

/** With the data from left to right, a grid is filled column by column from below. */
function fromBelow(boxes: readonly Box[], rows: number): readonly Box[] {
  const columns = groupBy(boxes.entries(), ([index]) => Math.floor(index / rows));
  return [...columns.values()].flatMap((column) => column.map(([, box]) => box).reverse());
}

/** So few boxes have room between them, so that arrows find their way. */
const FEW = 20;

/** Arrows go from side to side: those that lead far up or down would else run through the boxes of a column. */
const PORTS = { tailport: 'e', headport: 'w' } as const;

const FONTS = { fontname: FONT, fontsize: FONT_SIZE } as const;

function graphAttributes(drawing: Drawing, { plain = false }: DotOptions): Attributes {
  return {
    ...FONTS,
    rankdir: 'LR',
    label: legend(drawing),
    labelloc: 'b',
    labeljust: 'l',
    tooltip: dotTooltip(drawing.caption[0] ?? ''),
    bgcolor: 'white',
    ranksep: 0.5,
    // Parts that nothing connects are put side by side instead of into one long column. Arrows then lose their labels: they have none.
    // Graphviz never ends, or breaks down, at some drawings that ask for both.
    ...(!plain && sharesColumns(drawing) ? { newrank: true } : { pack: 12 }),
    ...(plain ? { splines: 'line', nslimit: 1, mclimit: 0.2 } : {}),
  };
}

function frameAttributes({ title, kind }: Frame): Attributes {
  const color = COLOURS.frame[kind];
  const style = kind === 'workflow' ? 'rounded' : 'rounded,dashed';
  const label = dotLabel(padded(title));
  return {
    ...FONTS,
    label,
    labelloc: 't',
    labeljust: 'l',
    tooltip: dotTooltip(title),
    style,
    color,
    fontcolor: color,
  };
}

/** Graphviz takes letters that it does not know for narrow ones: spaces behind them make up for it. */
function padded(text: string): string {
  const unknown = textWidth(text.replace(/[\x20-\x7e]/g, ''));
  return text + ' '.repeat(Math.ceil(unknown / textWidth(' ')));
}

const POINTS_PER_INCH = 72;
/** Points beside the text; a note has a folded corner. */
const ASIDE = { job: 18, chat: 26 } as const;

function boxAttributes(box: Box, { folder }: DotOptions): Attributes {
  const lines = [box.name, ...(box.detail === '' ? [] : [box.detail])];
  const text = Math.max(...lines.map(textWidth)) * FONT_SIZE;
  return {
    label: dotLabel(lines.join('\n')),
    width: Number(((text + ASIDE[box.kind]) / POINTS_PER_INCH).toFixed(2)),
    tooltip: dotTooltip(box.tooltip),
    ...(box.file === undefined ? {} : { URL: linkTo(box.file, folder) }),
    ...boxStyle(box),
  };
}

function arrowAttributes({ name, count }: DrawnArrow, length: number | undefined): Attributes {
  const words = (name ?? 'through nodes that are not shown').replace('_', ' ');
  return {
    ...arrowStyle(name),
    tooltip: count > 1 ? `${words} ×${count}` : words,
    ...(length === undefined || length === 1 ? {} : { minlen: length }),
  };
}

/** For an arrow that is told from its end to its start. */
function turnedRound({ arrowhead = 'normal', ...rest }: Attributes): Attributes {
  return { ...rest, dir: 'back', arrowtail: arrowhead };
}

/** A link from a folder to a file: relative, so that both can be moved together, and never with a scheme. */
export function linkTo(file: string, folder: string): string {
  const parts = path.relative(folder, file).split(path.sep);
  const encoded = parts.map((part) => encodeURIComponent(part)).join('/');
  return parts[0] === '..' ? encoded : `./${encoded}`;
}
