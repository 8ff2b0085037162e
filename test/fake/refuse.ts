// Servers that do not take everything: refusals by a path in the body, for as long as the client sends what stands there.

import { type Fields, isObject } from '../../src/json.ts';
import type { Refusal, Violation } from './types.ts';

/** The first refusal that the body meets. */
export function refusedBy(refusals: readonly Refusal[], body: Fields): Violation | undefined {
  const met = refusals.find(
    (each) =>
      (each.model?.test(String(body.model ?? '')) ?? true) &&
      at(body, each.field.split('.')).some((value) => isMet(each, value)),
  );
  return met === undefined ? undefined : { ...met.error, status: met.status ?? 400 };
}

function isMet({ is, above }: Refusal, value: unknown): boolean {
  if (above !== undefined) return typeof value === 'number' && value > above;
  return is === undefined || JSON.stringify(is) === JSON.stringify(value);
}

/** The values at a path; `*` stands for each entry of a list. */
function at(value: unknown, [step, ...rest]: readonly string[]): readonly unknown[] {
  if (step === undefined) return value === undefined ? [] : [value];
  if (step === '*') return Array.isArray(value) ? value.flatMap((each) => at(each, rest)) : [];
  return isObject(value) && Object.hasOwn(value, step) ? at(value[step], rest) : [];
}
