// Which drawings have columns that all frames share.

import { Graphviz } from '@hpcc-js/wasm-graphviz';
import { describe, expect, test } from 'vitest';
import { dot } from '../../../src/prov/render/dot.ts';
import type { Box, Drawing } from '../../../src/prov/render/drawing.ts';
import { sharesColumns } from '../../../src/prov/render/ranks.ts';

const frame = (id: string) => ({ id, title: id, kind: 'workflow', parent: undefined }) as const;

/** Jobs in frames, each written as `frame number`, and arrows between their places in the list. */
function drawing(
  jobs: readonly (string | undefined)[],
  arrows: readonly (readonly [number, number])[],
): Drawing {
  const frames = [...new Set(jobs.flatMap((each) => each ?? []))].map(frame);
  return {
    boxes: jobs.map(
      (each, number): Box => ({
        id: `n${number}`,
        kind: 'job',
        name: `job ${number}`,
        detail: '',
        status: undefined,
        isRoot: false,
        count: 1,
        tooltip: '',
        file: undefined,
        frame: each,
      }),
    ),
    arrows: arrows.map(([from, to]) => ({
      from: `n${from}`,
      to: `n${to}`,
      name: 'dependency',
      count: 1,
    })),
    frames,
    caption: ['x'],
  };
}

const chain = (length: number) =>
  Array.from({ length: length - 1 }, (_, index): readonly [number, number] => [index, index + 1]);

describe('columns are', () => {
  const there = ['A', 'B', 'A', 'B'];
  test.each<[string, boolean, Drawing]>([
    ['shared by frames between which data goes to and fro', true, drawing(there, chain(4))],
    ['shared where arrows lead in a ring', true, drawing(there, [...chain(4), [3, 1]])],
    ['nobody’s business without frames', false, drawing([undefined, undefined], chain(2))],
    ['shared by parts that a frame holds together', true, drawing(Array(60).fill('A'), [])],
    ['given up where there are many loose parts', false, drawing(['A', ...Array(60)], [])],
  ])('%s', (_, shared, each) => {
    expect(sharesColumns(each)).toBe(shared);
  });
});

test('a chain that goes to and fro between two workflows is drawn from left to right, not as two columns', async () => {
  const jobs = Array.from({ length: 40 }, (_, index) => (index % 2 === 0 ? 'A' : 'B'));
  const text = await dot(drawing(jobs, chain(40)), { folder: '/' });
  Graphviz.unload();
  const plain = (await Graphviz.load()).layout(text, 'plain', 'dot');
  const columns = [...plain.matchAll(/^node n(\d+) (\S+)/gm)].map(([, number, x]) => [
    Number(number),
    Number(x),
  ]);
  expect(columns).toHaveLength(40);
  const across = columns.toSorted(([one = 0], [other = 0]) => one - other).map(([, x]) => x);
  expect(across).toEqual(across.toSorted((one = 0, other = 0) => one - other));
  expect(new Set(across).size).toBe(40);
});
