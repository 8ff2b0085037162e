// Counts as people read them: short in overviews, exact elsewhere, with a mark where the truth is more than what is known.

import type { TokenCounts } from '../types/facts.ts';
import type { TokenTotal } from '../types/tokens.ts';

const UNITS = ['', 'k', 'M', 'G', 'T', 'P'] as const;

/** `999`, `1.2k`, `12.3k`, `123k`, `4.5M`: at most three digits and a unit. */
export function short(count: number): string {
  let value = count;
  let unit = 0;
  // What would be rounded to a thousand is one of the next unit.
  while (unit < UNITS.length - 1 && rounded(value, unit) >= 1000) {
    value /= 1000;
    unit++;
  }
  return `${rounded(value, unit)}${UNITS[unit]}`;
}

function rounded(value: number, unit: number): number {
  return unit === 0 || value >= 99.95 ? Math.round(value) : Math.round(value * 10) / 10;
}

/** What cannot be known is `?`. */
export const exact = (count: number | null): string => (count === null ? '?' : String(count));

/** The total of a sum, short, with `≥` where it is a lower bound, `?` where nothing is known of it. */
export function shortTotal(total: TokenTotal): string {
  const { tt } = total.tokens;
  return tt === null ? '?' : `${mark(total)}${short(tt)}`;
}

/** `≥` in front of a sum that lacks counts or whole chats, or that holds a count which is disputed. */
export const mark = ({
  unknown,
  conflicts,
  unread,
}: Pick<TokenTotal, 'unknown' | 'conflicts' | 'unread'>): string =>
  unread === true || unknown + conflicts > 0 ? '≥' : '';

/** `pt=60 ct=40 tt=100 cct=? cwt=? rt=?`. */
export function tokensText(tokens: TokenCounts): string {
  const { pt, ct, tt, cct, cwt, rt } = tokens;
  return Object.entries({ pt, ct, tt, cct, cwt, rt })
    .map(([name, count]) => `${name}=${exact(count)}`)
    .join(' ');
}

/** `1 request`, `2 requests`. */
export const counted = (count: number, noun: string): string =>
  `${count} ${noun}${count === 1 ? '' : 's'}`;
