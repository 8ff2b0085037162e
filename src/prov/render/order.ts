// An order of boxes in which as few arrows as possible lead back, for drawings with rings.

import type { Drawing, DrawnArrow } from './drawing.ts';

/** Arrows against which the data would have to flow if everything else ran from left to right; none in a drawing without rings. */
export function backward({
  boxes,
  arrows,
}: Pick<Drawing, 'boxes' | 'arrows'>): ReadonlySet<DrawnArrow> {
  const places = new Map(ordered({ boxes, arrows }).map((id, place) => [id, place]));
  const placeOf = (id: string): number => places.get(id) ?? 0;
  return new Set(arrows.filter(({ from, to }) => placeOf(from) > placeOf(to)));
}

interface Ends {
  /** Numbers of arrows, those of folded nodes all counted. */
  into: number;
  out: number;
}

/** Takes what nothing leads to from the front, what leads nowhere from the end, and else what leads to most and is led to least. */
function ordered({ boxes, arrows }: Pick<Drawing, 'boxes' | 'arrows'>): readonly string[] {
  const left = new Map<string, Ends>(boxes.map(({ id }) => [id, { into: 0, out: 0 }]));
  const around = new Map<string, DrawnArrow[]>(boxes.map(({ id }) => [id, []]));
  for (const arrow of arrows) {
    const [start, end] = [left.get(arrow.from), left.get(arrow.to)];
    if (start === undefined || end === undefined) continue;
    start.out += arrow.count;
    end.into += arrow.count;
    around.get(arrow.from)?.push(arrow);
    around.get(arrow.to)?.push(arrow);
  }
  const [front, back]: [string[], string[]] = [[], []];
  const take = (id: string, side: string[]): void => {
    side.push(id);
    left.delete(id);
    for (const { from, to, count } of around.get(id) ?? []) {
      const [start, end] = [left.get(from), left.get(to)];
      if (start !== undefined) start.out -= count;
      if (end !== undefined) end.into -= count;
    }
  };
  while (left.size > 0) {
    let best: string | undefined;
    let most = Number.NEGATIVE_INFINITY;
    let isTaken = false;
    for (const [id, { into, out }] of left) {
      if (into === 0 || out === 0) {
        take(id, into === 0 ? front : back);
        isTaken = true;
      } else if (out - into > most) [best, most] = [id, out - into];
    }
    if (!isTaken && best !== undefined) take(best, front);
  }
  return [...front, ...back.reverse()];
}
