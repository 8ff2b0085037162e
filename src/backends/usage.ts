// Token counts of a provider, made safe: whatever is no whole number from 0 on is left out and named.

import { type Fields, fields, isObject } from '../json.ts';

export interface SafeUsage {
  /** The same object, numeric texts as numbers, odd values left out at every depth. */
  readonly usage: Fields;
  /** `prompt_tokens: "-7"` … */
  readonly odd: readonly string[];
}

/** Counts end in `_tokens`; other entries (prices, nested details) are looked into or kept. */
export function safeUsage(raw: unknown): SafeUsage {
  const odd: string[] = [];
  return { usage: clean(fields(raw), odd), odd };
}

function clean(raw: Fields, odd: string[]): Fields {
  const result: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(raw)) {
    if (value === null || value === undefined) continue;
    if (isObject(value)) result[name] = clean(value, odd);
    else if (!/tokens$/.test(name)) result[name] = value;
    else {
      const count = countOf(value);
      if (count === undefined) odd.push(`${name}: ${JSON.stringify(value)}`);
      else result[name] = count;
    }
  }
  return result;
}

function countOf(value: unknown): number | undefined {
  const number = typeof value === 'string' && /^\d+$/.test(value.trim()) ? Number(value) : value;
  return typeof number === 'number' && Number.isSafeInteger(number) && number >= 0
    ? number
    : undefined;
}

/** Later counts replace earlier ones: servers that send several send running totals. */
export function mergeUsage(earlier: Fields, later: unknown): Fields {
  const known = Object.entries(fields(later)).filter(([, value]) => value !== null);
  return { ...earlier, ...Object.fromEntries(known) };
}
