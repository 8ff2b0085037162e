// Moves the titles of frames to where no arrow crosses them. Graphviz keeps a strip at the top of a frame free of boxes, puts the title at
// its left end, and lets arrows pass there.

import { FONT_SIZE } from './style.ts';
import { textWidth } from './text-width.ts';

/** The drawing, an SVG of Graphviz, with its titles moved. One that arrows cross wherever it stands is put above them. */
export function clearTitles(svg: string): string {
  const titles = [...svg.matchAll(CLUSTER)].flatMap(titleOf);
  if (titles.length === 0) return svg;
  const found = obstacles(svg);
  const above: string[] = [];
  const moved = new Map<string, string>();
  for (const title of titles) {
    const { x, hits } = bestPlace(title, found);
    const text = textAt(title, x);
    if (hits > 0) above.push(ground(title, x), text);
    moved.set(title.element, hits > 0 ? '' : text);
  }
  const drawn = svg.replace(CLUSTER, (cluster) => {
    const [element = ''] = TEXT.exec(cluster) ?? [];
    return cluster.replace(element, () => moved.get(element) ?? element);
  });
  if (above.length === 0) return drawn;
  const end = drawn.lastIndexOf('</g>\n</svg>');
  return `${drawn.slice(0, end)}${above.join('\n')}\n${drawn.slice(end)}`;
}

const CLUSTER = /<g id="[^"]*" class="cluster">(?:(?!class=").)*?<\/text>/gs;
const TEXT = /<text [^>]*>[^<]*<\/text>/;
const EDGE = /<g id="[^"]*" class="edge">.*?<path [^>]*\bd="([^"]*)"/gs;
const NODE = /<g id="[^"]*" class="node">.*?<(?:polygon|path) [^>]*\b(?:points|d)="([^"]*)"/gs;

interface Title {
  /** As it stands in the SVG. */
  readonly element: string;
  readonly width: number;
  readonly baseline: number;
  /** Where its left end may be. */
  readonly left: number;
  readonly right: number;
}

/** Points of a text above and below its baseline, and beside it. */
const [ABOVE, BELOW, BESIDE] = [FONT_SIZE, FONT_SIZE / 3, 3];
/** Points between a frame and its title. */
const INSIDE = 8;
/** A letter as an entity counts as one of usual width; spaces that fill up a title do not count. */
const ENTITY = /&#?\w+;/g;
const FILLING = /(?:\s|&#160;)+$/;

function titleOf([cluster]: RegExpMatchArray): readonly Title[] {
  const [element] = TEXT.exec(cluster) ?? [];
  const shape = /<(?:polygon|path) [^>]*\b(?:points|d)="([^"]*)"/.exec(cluster)?.[1];
  const baseline = Number(/ y="([-\d.]+)"/.exec(element ?? '')?.[1]);
  if (element === undefined || shape === undefined || Number.isNaN(baseline)) return [];
  const xs = pointsOf(shape).map(([x]) => x);
  const words = element.replace(/<[^>]*>/g, '').replace(FILLING, '');
  const width = textWidth(words.replace(ENTITY, 'n')) * FONT_SIZE;
  const left = Math.min(...xs) + INSIDE;
  return [{ element, width, baseline, left, right: Math.max(...xs) - INSIDE - width }];
}

const textAt = ({ element }: Title, x: number): string =>
  element
    .replace(/ text-anchor="\w+"/, ' text-anchor="start"')
    .replace(/ x="[-\d.]+"/, ` x="${x.toFixed(2)}"`)
    .replace(/(?:\s|&#160;)+(?=<\/text>$)/, '');

/** Lets lines below a title shine through a little, so that they can be followed. */
const ground = ({ width, baseline }: Title, x: number): string =>
  `<rect x="${x.toFixed(2)}" y="${baseline - ABOVE}" width="${width.toFixed(2)}" height="${(ABOVE + BELOW).toFixed(2)}" fill="white" fill-opacity="0.85"/>`;

type Point = readonly [x: number, y: number];

interface Obstacles {
  /** Points on arrows, near enough to each other. */
  readonly lines: readonly Point[];
  readonly boxes: readonly (readonly Point[])[];
}

function obstacles(svg: string): Obstacles {
  const lines = [...svg.matchAll(EDGE)].flatMap(([, path]) => alongPath(pointsOf(path ?? '')));
  return { lines, boxes: [...svg.matchAll(NODE)].map(([, shape]) => pointsOf(shape ?? '')) };
}

function pointsOf(shape: string): readonly Point[] {
  return [...shape.matchAll(/(-?[\d.]+),(-?[\d.]+)/g)].map(([, x, y]) => [Number(x), Number(y)]);
}

/** Points on a path of cubic curves, at most about so far from each other. */
const NEAR = 4;

function alongPath(points: readonly Point[]): readonly Point[] {
  const found: Point[] = [];
  for (let start = 0; start + 3 < points.length; start += 3) {
    const [a, b, c, d] = points.slice(start, start + 4) as [Point, Point, Point, Point];
    const length = distance(a, b) + distance(b, c) + distance(c, d);
    const steps = Math.max(1, Math.ceil(length / NEAR));
    for (let step = 0; step <= steps; step++) {
      const [t, u] = [step / steps, 1 - step / steps];
      const [wa, wb, wc, wd] = [u * u * u, 3 * u * u * t, 3 * u * t * t, t * t * t];
      const on = (axis: 0 | 1): number => wa * a[axis] + wb * b[axis] + wc * c[axis] + wd * d[axis];
      found.push([on(0), on(1)]);
    }
  }
  return found;
}

const distance = (one: Point, other: Point): number =>
  Math.hypot(one[0] - other[0], one[1] - other[1]);

/** The leftmost of the places where the least crosses a title. */
function bestPlace(title: Title, { lines, boxes }: Obstacles): { x: number; hits: number } {
  const { width, baseline, left, right } = title;
  const isLevel = ([, y]: Point): boolean => y > baseline - ABOVE - 1 && y < baseline + BELOW + 1;
  const crossing = lines.filter(isLevel).map(([x]): readonly [number, number] => [x, x]);
  for (const box of boxes) {
    const ys = box.map(([, y]) => y);
    if (Math.min(...ys) > baseline + BELOW || Math.max(...ys) < baseline - ABOVE) continue;
    const xs = box.map(([x]) => x);
    crossing.push([Math.min(...xs), Math.max(...xs)]);
  }
  const hitsAt = (x: number): number =>
    crossing.filter(([from, to]) => to > x - BESIDE && from < x + width + BESIDE).length;
  let best = { x: left, hits: hitsAt(left) };
  for (let x = left + NEAR; x <= right && best.hits > 0; x += NEAR) {
    const hits = hitsAt(x);
    if (hits < best.hits) best = { x, hits };
  }
  return best;
}
