// Token counts of a provider, made safe: whatever is no whole number from 0 on is left out and named.

import { type Fields, fields, isObject } from '../json.ts';
import type { Tokens } from '../types.ts';

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
      if (count === undefined) odd.push(`${name.slice(0, 60)}: ${shown(value)}`);
      else result[name] = count;
    }
  }
  return result;
}

/** A number as it came; of anything else only that it is none: a server may put there what it was sent. */
function shown(value: unknown): string {
  if (typeof value === 'number') return String(value);
  const isNumeric =
    typeof value === 'string' &&
    /^[-+]?(?:nan|infinity|[\d.]{1,20}(?:e[-+]?\d{1,5})?)$/i.test(value);
  return isNumeric ? JSON.stringify(value) : 'no number';
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

/**
 * Counts that fit each other: a part is no more than its whole. Some servers count reasoning beside the answer, as their total tells: then it is added, since
 * it is paid for like the answer.
 */
export function fitting(given: Tokens): {
  readonly tokens: Tokens;
  readonly odd: readonly string[];
} {
  const { pt = 0, ct = 0, rt = 0, tt } = given;
  const isBeside = given.ct !== undefined && rt > 0 && tt === pt + ct + rt;
  const tokens = isBeside ? { ...given, ct: ct + rt } : given;
  const wholes = { cct: tokens.pt, cwt: tokens.pt, rt: tokens.ct } as const;
  const odd = PARTS.filter((name) => (tokens[name] ?? 0) > (wholes[name] ?? Infinity));
  const kept = Object.entries(tokens).filter(([name]) => !odd.some((each) => each === name));
  return {
    tokens: Object.fromEntries(kept),
    odd: odd.map((name) => `${WORDS[name]}: ${tokens[name]} of ${wholes[name]}`),
  };
}

const WORDS = { cct: 'cached', cwt: 'written to the cache', rt: 'reasoning' } as const;
const PARTS = ['cct', 'cwt', 'rt'] as const;
