// Titles of frames in what Graphviz drew: where no arrow crosses them, else above the arrows.

import { Graphviz } from '@hpcc-js/wasm-graphviz';
import { describe, expect, test } from 'vitest';
import { dot } from '../../../src/prov/render/dot.ts';
import type { Box, Drawing } from '../../../src/prov/render/drawing.ts';
import { textWidth } from '../../../src/prov/render/text-width.ts';
import { clearTitles } from '../../../src/prov/render/titles.ts';
import { jobBox } from './boxes.ts';

async function laidOut(drawing: Drawing): Promise<string> {
  Graphviz.unload();
  return (await Graphviz.load()).layout(await dot(drawing, { folder: '/data' }), 'svg', 'dot');
}

const box = (id: string, frame: string): Box =>
  jobBox(id, frame, { name: `name ${id}`, detail: 'done' });

/** Jobs of two workflows that use each other's results by turns. */
function interleaved(titles: readonly [string, string]): Drawing {
  const count = 24;
  const arrow = (from: number, to: number) =>
    ({ from: `n${from}`, to: `n${to}`, name: 'dependency', count: 1 }) as const;
  return {
    boxes: Array.from({ length: count }, (_, index) => box(`n${index}`, `f${index % 2}`)),
    arrows: Array.from({ length: count - 1 }, (_, index) => [
      arrow(index, index + 1),
      ...(index + 3 < count ? [arrow(index, index + 3)] : []),
    ]).flat(),
    frames: titles.map((title, index) => ({
      id: `f${index}`,
      title,
      kind: 'workflow',
      parent: undefined,
    })),
    caption: ['two workflows'],
  };
}

const numbers = (text: string | undefined) => (text?.match(/-?[\d.]+/g) ?? []).map(Number);

/** For each title the number of points on arrows that lie in it. */
function crossings(svg: string): readonly number[] {
  const points: [number, number][] = [];
  for (const [, path] of svg.matchAll(/class="edge">.*?<path [^>]*d="([^"]*)"/gs)) {
    const at = numbers(path);
    for (let start = 0; start + 7 < at.length; start += 6)
      for (let step = 0; step <= 500; step++) {
        // Halfway between neighbours again and again, until one point is left.
        let left = at.slice(start, start + 8);
        const t = step / 500;
        while (left.length > 2)
          left = left.slice(2).map((next, index) => (left[index] ?? 0) * (1 - t) + next * t);
        points.push([left[0] ?? 0, left[1] ?? 0]);
      }
  }
  const texts = svg.matchAll(
    /class="cluster">.*?<text [^>]*text-anchor="(\w+)" x="([-\d.]+)" y="([-\d.]+)"[^>]*>([^<]*)</gs,
  );
  return [...texts].map(([, anchor, x, y, title = '']) => {
    const width = textWidth(title.trimEnd()) * 10;
    const start = Number(x) - (anchor === 'middle' ? width / 2 : 0);
    const isIn = ([px, py]: [number, number]): boolean =>
      px > start && px < start + width && py > Number(y) - 8 && py < Number(y) + 2;
    return points.filter(isIn).length;
  });
}

describe('titles of workflows that use each other', () => {
  test('were crossed by arrows', async () => {
    const svg = await laidOut(interleaved(['workflow Alpha', 'workflow Beta']));
    expect(Math.max(...crossings(svg))).toBeGreaterThan(0);
    expect(crossings(clearTitles(svg))).toEqual([0, 0]);
  });

  test('keep their letters, their tooltips and their frames', async () => {
    const svg = await laidOut(interleaved(['workflow "<$&\\N>" 表', 'workflow Beta']));
    const cleared = clearTitles(svg);
    const title = '>workflow &quot;&lt;$&amp;\\N&gt;&quot; 表</text>';
    expect(cleared.split(title)).toHaveLength(2);
    for (const part of [/<path [^>]*>/g, /xlink:title="[^"]*"/g])
      expect(cleared.match(part)).toEqual(svg.match(part));
    expect(cleared.match(/<text /g)).toHaveLength(svg.match(/<text /g)?.length ?? 0);
  });

  test('that are crossed wherever they stand are put above the arrows, on a ground of their own', async () => {
    const long = `workflow ${'W'.repeat(180)}`;
    const cleared = clearTitles(await laidOut(interleaved([long, 'workflow Beta'])));
    const end = cleared.slice(cleared.lastIndexOf('class="edge"'));
    expect(end).toMatch(new RegExp(`<rect [^>]*fill="white"[^>]*/>\\n<text [^>]*>${long}</text>`));
    expect(cleared.split(`>${long}</text>`)).toHaveLength(2);
    expect(cleared.trimEnd()).toMatch(/<\/text>\n<\/g>\n<\/svg>$/);
  });
});

test('a drawing without frames is what Graphviz made of it', async () => {
  const { boxes, arrows } = interleaved(['a', 'b']);
  const unframed = boxes.map((each) => ({ ...each, frame: undefined }));
  const svg = await laidOut({ boxes: unframed, arrows, frames: [], caption: [] });
  expect(clearTitles(svg)).toBe(svg);
});
