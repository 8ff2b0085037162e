// Whether all boxes of a drawing can share one row of columns. Graphviz ranks each frame by itself otherwise, so that frames between which
// data goes back and forth become one long column each.

import type { Drawing } from './drawing.ts';

/** More parts that nothing connects are better packed, which cannot be done with shared columns. */
const MOST_PARTS = 14;

/** True for a drawing with frames whose parts hang together. It must have no rings then: Graphviz breaks down at some that have. */
export function sharesColumns({ boxes, arrows, frames }: Drawing): boolean {
  return frames.length > 0 && partsOf({ boxes, arrows, frames }) <= MOST_PARTS;
}

/** Parts of a drawing, each held together by arrows and by frames. */
function partsOf({ boxes, arrows, frames }: Pick<Drawing, 'boxes' | 'arrows' | 'frames'>): number {
  const joined = new Map<string, string>();
  const headOf = (id: string): string => {
    let head = id;
    for (let up = joined.get(head); up !== undefined; up = joined.get(head)) head = up;
    return head;
  };
  const join = (one: string, other: string): void => {
    const [head, otherHead] = [headOf(one), headOf(other)];
    if (head !== otherHead) joined.set(head, otherHead);
  };
  for (const { from, to } of arrows) join(from, to);
  for (const { id, frame } of boxes) if (frame !== undefined) join(id, frame);
  for (const { id, parent } of frames) if (parent !== undefined) join(id, parent);
  return new Set(boxes.map(({ id }) => headOf(id))).size;
}
