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
  const simpler: string[] = [];
  let drawn: Drawn | undefined = draw(provenance, shown, options);
  let boxes = 0;
  let plain = false;
  while (drawn !== undefined) {
    const { drawing } = drawn;
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
    } else {
      drawn = smaller(drawn, (from) => draw(provenance, shown, options, from));
      if (drawn !== undefined) note(`${time}; more nodes are folded into one`);
    }
  }
  throw workFailure(
    'layout-too-long',
    `no layout of ${boxesText(boxes)} ended within ${deadline / 1000} s`,
    {
      next: 'show less with --depth, --only or --max-nodes, give it longer with --timeout, or write the graph with --dot',
    },
  );
}

type Drawn = ReturnType<typeof draw>;

/** The next drawing with fewer boxes; undefined when there is none. The same one would take as long again. */
function smaller({ drawing, step }: Drawn, next: (from: number) => Drawn): Drawn | undefined {
  for (let from = step + 1; from < FOLD_STEPS; ) {
    const found = next(from);
    if (found.drawing.boxes.length < drawing.boxes.length) return found;
    from = found.step + 1;
  }
  return undefined;
}

const boxesText = (count: number): string => (count === 1 ? '1 box' : `${count} boxes`);
