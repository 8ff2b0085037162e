// Tool names as a provider takes them, and back. Pure: the name on the wire is made from the name alone, so a tool has the same one in
// every request, whatever other tools stand beside it.

import { createHash } from 'node:crypto';
import type { ToolSpec } from '../types.ts';

export interface NameRule {
  /** Matches one character that a name may hold. */
  readonly allowed: RegExp;
  /** Most characters of a name. */
  readonly longest: number;
}

/** The strictest rule of the known providers: letters, digits, `_` and `-`, at most 64 of them. */
export const COMMON_NAMES: NameRule = { allowed: /[A-Za-z0-9_-]/, longest: 64 };

export interface WireNames {
  /** The name on the wire; a fitting one is its own. Names that are not among the tools (those of the history) are repaired too. */
  toWire(name: string): string;
  /** The tool that is meant by a name of the wire; a name that stands for none is returned as it is. */
  fromWire(name: string): string;
}

/** Names for these tools. No two of them share one; a repaired name ends in a digest of the original. */
export function wireNames(
  tools: readonly Pick<ToolSpec, 'name'>[],
  rule: NameRule = COMMON_NAMES,
): WireNames {
  const wired = new Map<string, string>();
  const meant = new Map<string, string>();
  const fitting = tools.filter(({ name }) => fits(name, rule));
  const others = tools.filter(({ name }) => !fits(name, rule));
  // Names that stay come first: a repaired one has to give way to them.
  for (const { name } of [...fitting, ...others]) {
    if (wired.has(name)) continue;
    const unique = DIGITS.map((digits) => repaired(name, rule, digits)).find(
      (each) => !meant.has(each),
    );
    const own = unique ?? name;
    wired.set(name, own);
    meant.set(own, name);
  }
  return {
    toWire: (name) => wired.get(name) ?? repaired(name, rule, DIGITS[0]),
    fromWire: (name) => meant.get(name) ?? name,
  };
}

/** Digits of the digest; more of them only where fewer give a name that is taken. */
const DIGITS = [8, 12, 16, 24, 32] as const;

function fits(name: string, { allowed, longest }: NameRule): boolean {
  return name !== '' && name.length <= longest && [...name].every((each) => allowed.test(each));
}

/** The text itself when it fits; else with `_` for what may not be in it, cut, and a digest of the original at its end. */
export function repaired(text: string, rule: NameRule, digits: number = DIGITS[0]): string {
  if (fits(text, rule)) return text;
  const digest = createHash('sha256').update(text).digest('hex').slice(0, digits);
  const clean = [...text].map((each) => (rule.allowed.test(each) ? each : '_')).join('');
  return `${clean.slice(0, rule.longest - digits - 1)}_${digest}`;
}
