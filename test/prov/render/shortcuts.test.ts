// Log arrows that lead past a conversation are left out, and nothing is lost by it.

import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Selection } from '../../../src/prov/render/selection.ts';
import { withoutShortcuts } from '../../../src/prov/render/shortcuts.ts';
import type { ShownNode } from '../../../src/prov/render/visible.ts';

const nodes = Array.from({ length: 7 }, (_, index) => ({ index }) as ShownNode);

/** Arrows between nodes by number, all of them logs. */
function selectionOf(pairs: readonly (readonly [number, number])[]): Selection {
  const arrows = pairs.flatMap(([start, end]) => {
    const [from, to] = [nodes[start], nodes[end]];
    return from === undefined || to === undefined
      ? []
      : [{ from, to, name: 'log' as const, count: 1 }];
  });
  return { nodes, arrows, tooDeep: 0, notAsked: 0 };
}

const pairsOf = ({ arrows }: Selection) => arrows.map(({ from, to }) => [from.index, to.index]);

test('a society three levels deep is a chain', () => {
  const all = [
    [0, 1],
    [0, 2],
    [0, 3],
    [1, 2],
    [1, 3],
    [2, 3],
  ] as const;
  expect(pairsOf(withoutShortcuts(selectionOf(all)))).toEqual([
    [0, 1],
    [1, 2],
    [2, 3],
  ]);
});

test('whatever leads to what, in rings too, leads there still', () => {
  const end = fc.nat({ max: 6 });
  fc.assert(
    fc.property(
      fc.uniqueArray(fc.tuple(end, end), { selector: String, maxLength: 25 }),
      (pairs) => {
        const reached = (some: readonly (readonly (number | undefined)[])[], start: number) => {
          const seen = new Set<number | undefined>([start]);
          for (const node of seen) for (const [from, to] of some) if (from === node) seen.add(to);
          return [...seen].sort();
        };
        const left = pairsOf(withoutShortcuts(selectionOf(pairs)));
        for (const { index } of nodes) expect(reached(left, index)).toEqual(reached(pairs, index));
      },
    ),
    { numRuns: 2000 },
  );
});
