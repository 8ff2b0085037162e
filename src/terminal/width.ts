// Text fitted into cells of a terminal: cut, shortened, padded, wrapped. Wide characters, emoji sequences and accents count
// as they are shown; sequences of style count nothing. Import it on demand (see cells.ts).

import { cells, endWithin, expandTabs, startWithin } from './cells.ts';

export { cells } from './cells.ts';
export { wrap } from './flow.ts';

const STYLE = /(\x1b\[[\d;]*m)/;

/** The text, or its start with `…` at the end, in at most so many cells. Tabs become spaces; sequences of style are all kept. */
export function shortenEnd(text: string, room: number): string {
  const whole = expandTabs(text);
  if (cells(whole) <= room) return whole;
  if (room < 1) return '';
  let left = room - 1;
  let cut = false;
  const kept = whole.split(STYLE).map((part) => {
    if (STYLE.test(part)) return part;
    if (cut) return '';
    const start = startWithin(part, left);
    left -= cells(start);
    cut = start.length < part.length;
    return cut ? `${start}…` : start;
  });
  return kept.join('');
}

/** The text, or its start and end with `…` between, in at most so many cells: for plain paths and names, whose end matters. */
export function shortenMiddle(text: string, room: number): string {
  const whole = expandTabs(text);
  if (cells(whole) <= room) return whole;
  if (room < 1) return '';
  const start = startWithin(whole, Math.floor((room - 1) / 2));
  return `${start}…${endWithin(whole, room - 1 - cells(start))}`;
}

/** The text with spaces behind it up to so many cells. Longer text stays as it is. */
export function padEnd(text: string, room: number): string {
  return text + ' '.repeat(Math.max(0, room - cells(text)));
}

/** The text with spaces before it up to so many cells. Longer text stays as it is. */
export function padStart(text: string, room: number): string {
  return ' '.repeat(Math.max(0, room - cells(text))) + text;
}
