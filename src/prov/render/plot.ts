// Draws a report into a picture. When a layout takes too long a simpler one is tried, down to one that always ends, and the picture says so.

import { workFailure } from '../../errors.ts';
import type { Provenance } from '../types/graph.ts';
import { type DotOptions, dot } from './dot.ts';
import { type DrawingOptions, draw } from './drawing.ts';
import { FOLD_STEPS } from './fold.ts';
import { type Format, type LayoutOptions, type LayoutWorld, layout } from './layout.ts';
import type { Shown } from './visible.ts';

export interface PlotOptions extends DrawingOptions, Pick<DotOptions, 'folder'>, LayoutOptions {
  readonly format: Format;
}

/** The bytes of the picture. Rejects with a Failure when no layout came to an end. */
export async function plot(
  provenance: Provenance,
  shown: Shown,
  world: LayoutWorld,
  options: PlotOptions,
): Promise<Uint8Array> {
  const { deadline, note, folder } = options;
  let from = 0;
  let plain = false;
  let boxes = 0;
  const simpler: string[] = [];
  for (;;) {
    const { drawing, step } = draw(provenance, shown, options, from);
    boxes = drawing.boxes.length;
    const caption = [...drawing.caption.slice(0, -1), ...simpler, ...drawing.caption.slice(-1)];
    const text = await dot({ ...drawing, caption }, { folder, plain });
    const picture = await layout(text, options.format, world, options);
    if (picture !== 'too long') return picture;
    const time = `the layout of ${boxesText(boxes)} took more than ${deadline / 1000} s`;
    if (!plain) {
      plain = true;
      simpler.push('drawn with straight lines: the usual layout took too long');
      note(`${time}; straight lines are tried`);
    } else if (step + 1 < FOLD_STEPS) {
      from = step + 1;
      note(`${time}; more nodes are folded into one`);
    } else break;
  }
  throw workFailure(
    'layout-too-long',
    `no layout of ${boxesText(boxes)} ended within ${deadline / 1000} s`,
    {
      next: 'show less with --depth, --only or --max-nodes, give it longer with --timeout, or write the graph with --dot',
    },
  );
}

const boxesText = (count: number): string => (count === 1 ? '1 box' : `${count} boxes`);
