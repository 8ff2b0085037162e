// Which way arrows take in what Graphviz draws.

import { Graphviz } from '@hpcc-js/wasm-graphviz';
import { describe, expect, test } from 'vitest';
import { dot } from '../../../src/prov/render/dot.ts';
import type { Box, Drawing, DrawnArrow } from '../../../src/prov/render/drawing.ts';
import { backward } from '../../../src/prov/render/order.ts';
import { jobBox } from './boxes.ts';

const box = (id: string, frame: string | undefined): Box =>
  jobBox(id, frame, { name: `job ${id}` });
const arrow = (from: string, to: string, count = 1): DrawnArrow => ({
  from,
  to,
  name: 'dependency',
  count,
});
const drawing = (boxes: readonly Box[], arrows: readonly DrawnArrow[]): Drawing => ({
  boxes,
  arrows,
  frames: [...new Set(boxes.flatMap(({ frame }) => frame ?? []))].map((id) => ({
    id,
    title: id,
    kind: 'workflow',
    parent: undefined,
  })),
  caption: ['x'],
});

async function laidOut(each: Drawing): Promise<string> {
  const text = await dot(each, { folder: '/' });
  Graphviz.unload();
  return (await Graphviz.load()).layout(text, 'svg', 'dot');
}

const numbers = (text: string | undefined) => (text?.match(/-?[\d.]+/g) ?? []).map(Number);

/** Left and right side of each box. */
const sidesOf = (svg: string): ReadonlyMap<string, readonly [left: number, right: number]> =>
  new Map(
    [...svg.matchAll(/class="node">\s*<title>([^<]*)<\/title>.*?points="([^"]*)"/gs)].map(
      ([, id = '', points]) => {
        const xs = numbers(points).filter((_, index) => index % 2 === 0);
        return [id, [Math.min(...xs), Math.max(...xs)]];
      },
    ),
  );

test('arrows left boxes upwards and downwards, and ran through the boxes above and below', async () => {
  const high = 8;
  const rows = Array.from({ length: high }, (_, row) => row);
  const boxes = ['A', 'B', 'C'].flatMap((column) => rows.map((row) => box(`${column}${row}`, 'f')));
  const arrows = rows.flatMap((row) => [
    arrow(`A${row}`, `B${high - 1 - row}`),
    arrow(`B${row}`, `C${(row + 3) % high}`),
    arrow('A0', `B${row}`),
  ]);
  const svg = await laidOut(drawing(boxes, arrows));
  const sides = sidesOf(svg);
  const edges = svg.matchAll(
    /class="edge">\s*<title>(\w+)[^<]*?&gt;(\w+)[^<]*<\/title>.*?<path [^>]*d="([^"]*)"/gs,
  );
  let count = 0;
  for (const [, from = '', to = '', path] of edges) {
    const at = numbers(path);
    expect(at[0]).toBeGreaterThan((sides.get(from)?.[1] ?? 0) - 1);
    expect(at.at(-2)).toBeLessThan((sides.get(to)?.[0] ?? 0) + 1);
    count++;
  }
  expect(count).toBe(arrows.length);
});

describe('in a ring', () => {
  const ring = ['a', 'b', 'c', 'd'].map((id, index) => box(id, index % 2 === 0 ? 'A' : 'B'));
  const round = [
    arrow('a', 'b', 3),
    arrow('b', 'c', 3),
    arrow('c', 'd', 3),
    arrow('d', 'a'),
    arrow('a', 'c', 2),
  ];

  test('as few arrows as can be lead back', () => {
    expect([...backward({ boxes: ring, arrows: round })]).toEqual([round[3]]);
    expect([...backward({ boxes: ring, arrows: round.slice(0, 3) })]).toEqual([]);
  });

  test('boxes stand from left to right, and each arrow points where the data goes', async () => {
    const svg = await laidOut(drawing(ring, round));
    const places = new Map(
      [...svg.matchAll(/class="node">\s*<title>(\w)<.*?points="(-?[\d.]+)/gs)].map(
        ([, id = '', x]) => [id, Number(x)],
      ),
    );
    const across = ['a', 'b', 'c', 'd'].map((id) => places.get(id) ?? 0);
    expect(across).toEqual(across.toSorted((one, other) => one - other));
    expect(new Set(across).size).toBe(4);
    // The head of the arrow that leads back touches the left box, from which Graphviz was told that it starts.
    const [, head] =
      /<title>a(?::e)?&#45;&gt;d(?::w)?<.*?<polygon [^>]*points="([^"]*)"/s.exec(svg) ?? [];
    expect(head).toBeDefined();
    const xs = numbers(head).filter((_, index) => index % 2 === 0);
    expect(Math.max(...xs)).toBeLessThan(places.get('b') ?? 0);
  });
});
