// How the parts of a drawing look: letters, colours, shapes, lines.

import type { RootGraphModel, SubgraphModel } from 'ts-graphviz';
import type { ArrowName } from './arrows.ts';
import type { Box } from './drawing.ts';

export type Attributes = Readonly<Record<string, string | number | boolean>>;
export type DotGraph = RootGraphModel | SubgraphModel;

/** The font whose measures Graphviz knows without having it. It comes with the program and has most letters. */
export const FONT = 'DejaVu Sans';
export const FONT_SIZE = 10;

/** Okabe and Ito's colours, which colour-blind people can tell apart, lightened where text stands on them. */
export const COLOURS = {
  job: { fill: '#DCEEF9', line: '#0072B2' },
  chat: { fill: '#FDF6D8', line: '#9A7B00' },
  failed: { fill: '#FBE3D3', line: '#D55E00' },
  open: { fill: '#FFFFFF', line: '#555555' },
  frame: { workflow: '#0072B2', society: '#9A7B00' },
  arrow: '#444444',
} as const;

/** How a box looks: its shape by kind, its colours and border by status. */
export function boxStyle({
  kind,
  status,
  isRoot,
  count,
}: Pick<Box, 'kind' | 'status' | 'isRoot' | 'count'>): Attributes {
  const colours = status === undefined ? COLOURS[kind] : COLOURS[status.kind];
  const styles = [
    'filled',
    ...(status?.kind === 'open' ? ['dashed'] : []),
    ...(isRoot || status?.kind === 'failed' ? ['bold'] : []),
  ];
  return {
    shape: kind === 'job' ? 'box' : 'note',
    style: styles.join(','),
    fillcolor: colours.fill,
    color: colours.line,
    ...(status?.kind === 'failed' ? { penwidth: 3 } : {}),
    ...(count > 1 ? { peripheries: 2 } : {}),
  };
}

const LINES: Readonly<Record<ArrowName, Attributes>> = {
  dependency: { style: 'solid' },
  result: { style: 'bold' },
  delegated_result: { style: 'dashed' },
  log: { style: 'dotted', arrowhead: 'onormal' },
};

/** How an arrow looks, by its relation. */
export const arrowStyle = (name: ArrowName | undefined): Attributes =>
  name === undefined ? { style: 'dotted', arrowhead: 'odot' } : LINES[name];
