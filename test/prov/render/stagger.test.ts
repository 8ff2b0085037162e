// How many columns are made of what would be one.

import { describe, expect, test } from 'vitest';
import type { DrawnArrow } from '../../../src/prov/render/drawing.ts';
import { staggered } from '../../../src/prov/render/stagger.ts';
import { jobBox } from './boxes.ts';

/** Jobs whose results one chat has, in frames of so many each. */
function star(count: number, framed: number) {
  const jobs = Array.from({ length: count }, (_, index) =>
    jobBox(`n${index}`, framed === 0 ? undefined : `f${Math.floor(index / framed)}`),
  );
  const arrows = jobs.map(
    ({ id }): DrawnArrow => ({ from: id, to: 'hub', name: 'result', count: 1 }),
  );
  return { boxes: [jobBox('hub', undefined), ...jobs], arrows, frames: [], caption: [] };
}

describe('a star of many jobs was one endless column', () => {
  test.each([
    ['without frames', 60, 0],
    ['in one frame', 60, 60],
    ['in many frames that have few each', 60, 9],
  ])('%s', (_, count, framed) => {
    const lengths = staggered(star(count, framed));
    expect(lengths.size).toBe(count);
    expect(new Set(lengths.values())).toEqual(new Set([1, 2, 3, 4, 5]));
  });

  test('but few jobs stand below each other', () => {
    expect(staggered(star(10, 3)).size).toBe(0);
  });
});
