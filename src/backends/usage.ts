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
 * Counts that fit each other: a part is no more than its whole. Some servers count reasoning beside the answer, or what was cached beside the
 * prompt, as their total tells: then it is added, since it is paid for as well.
 */
export function fitting(given: Tokens): {
  readonly tokens: Tokens;
  readonly odd: readonly string[];
} {
  const tokens = withCached(withReasoning(given));
  const wholes = { cct: tokens.pt, cwt: tokens.pt, rt: tokens.ct } as const;
  const odd = PARTS.filter((name) => (tokens[name] ?? 0) > (wholes[name] ?? Infinity));
  const kept = Object.entries(tokens).filter(([name]) => !odd.some((each) => each === name));
  return { tokens: Object.fromEntries(kept), odd: odd.map((name) => WORDS[name]) };
}

function withReasoning(tokens: Tokens): Tokens {
  const { pt, ct, rt = 0, tt } = tokens;
  if (pt === undefined || ct === undefined || rt === 0 || tt !== pt + ct + rt) return tokens;
  return { ...tokens, ct: ct + rt };
}

function withCached(tokens: Tokens): Tokens {
  const { pt, ct, cct = 0, cwt = 0, tt } = tokens;
  if (pt === undefined || ct === undefined || cct + cwt <= pt) return tokens;
  return tt === pt + ct + cct + cwt ? { ...tokens, pt: pt + cct + cwt } : tokens;
}

/** Without numbers: they are others in each round, and the warning is the same. */
const WORDS = {
  cct: 'cached: more than the prompt',
  cwt: 'written to the cache: more than the prompt',
  rt: 'reasoning: more than the answer',
} as const;
const PARTS = ['cct', 'cwt', 'rt'] as const;
