// Whether all boxes of a drawing can share one row of columns. Graphviz ranks each frame by itself otherwise, so that frames between which
// data goes back and forth become one long column each.

import type { Drawing } from './drawing.ts';
import { groupBy } from './grouping.ts';

/** More parts that nothing connects are better packed, which cannot be done with shared columns. */
const MOST_PARTS = 14;

/** True for a drawing with frames and without rings whose parts hang together. */
export function sharesColumns({ boxes, arrows, frames }: Drawing): boolean {
  if (frames.length === 0 || hasRing({ boxes, arrows })) return false;
  return partsOf({ boxes, arrows, frames }) <= MOST_PARTS;
}

/** Boxes are taken away as long as there is one that no arrow leads to: what is left then lies in a ring, or behind one. */
function hasRing({ boxes, arrows }: Pick<Drawing, 'boxes' | 'arrows'>): boolean {
  const next = groupBy(arrows, ({ from }) => from);
  const before = new Map(boxes.map(({ id }) => [id, 0]));
  for (const { to } of arrows) before.set(to, (before.get(to) ?? 0) + 1);
  const free = boxes.map(({ id }) => id).filter((id) => before.get(id) === 0);
  // Grows while it is gone through.
  for (const id of free)
    for (const { to } of next.get(id) ?? []) {
      const left = (before.get(to) ?? 0) - 1;
      before.set(to, left);
      if (left === 0) free.push(to);
    }
  return free.length < boxes.length;
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
