// Spreads what would be one long column of a drawing: nodes with one neighbour in common and no other, and nodes without any.

import type { Drawing, DrawnArrow } from './drawing.ts';
import { groupBy } from './grouping.ts';

/** Fewer look best below each other. */
const LEAST = 14;
/** Boxes of a column for one of a row, so that a block of them is about as high as it is wide. */
const FLATNESS = 3;

/** Lengths of arrows, in columns. Arrows that are not in it have the usual one. */
export function staggered({ boxes, arrows }: Drawing): ReadonlyMap<DrawnArrow, number> {
  const ends = arrows.flatMap(({ from, to }) => [from, to]);
  const degrees = new Map([...groupBy(ends, (end) => end)].map(([end, all]) => [end, all.length]));
  const frames = new Map(boxes.map(({ id, frame }) => [id, frame]));
  const isLeaf = (id: string): boolean => degrees.get(id) === 1;
  const leaves = arrows.filter(({ from, to }) => isLeaf(from) || isLeaf(to));
  const fans = groupBy(leaves, ({ from, to }) => (isLeaf(from) ? `< ${to}` : `> ${from}`));
  const frameOf = ({ from, to }: DrawnArrow) => frames.get(isLeaf(from) ? from : to);
  const lengths = new Map<DrawnArrow, number>();
  for (const fan of fans.values()) {
    if (fan.length < LEAST) continue;
    const columns = Math.ceil(Math.sqrt(fan.length / FLATNESS));
    // Each frame has rows of its own.
    for (const framed of groupBy(fan, frameOf).values())
      for (const [index, arrow] of framed.entries()) lengths.set(arrow, 1 + (index % columns));
  }
  return lengths;
}

/** The number of rows for boxes that no arrow connects; undefined when there are arrows, or few boxes. */
export function gridRows({ boxes, arrows }: Drawing): number | undefined {
  if (arrows.length > 0 || boxes.length < LEAST) return undefined;
  return Math.ceil(Math.sqrt(boxes.length * FLATNESS));
}
