// What the checks of several wires have in common.

import { createHash } from 'node:crypto';
import { type Fields, fields, list } from '../../src/json.ts';
import type { RecordedRequest } from '../helpers/fake-server.ts';
import type { Scenario, Violation } from './types.ts';

/** Runs checks one after the other until one finds something. */
export function firstOf(checks: Iterable<Violation | undefined>): Violation | undefined {
  for (const found of checks) if (found !== undefined) return found;
  return undefined;
}

export const wrong = (message: string, more: Partial<Violation> = {}): Violation => ({
  message,
  ...more,
});

/** The first key of an object that is not in the list. */
export const unknownKey = (value: unknown, keys: readonly string[]): string | undefined =>
  Object.keys(fields(value)).find((key) => !keys.includes(key));

/** The body is JSON and says so, and the key is the one that the scenario wants. */
export function checkHead(
  { headers, json }: RecordedRequest,
  { key }: Scenario,
  given: string | undefined,
): Violation | undefined {
  if (
    key !== false &&
    (given === undefined || given === '' || (key !== undefined && given !== key))
  )
    return wrong('invalid key', { status: 401, type: 'authentication_error' });
  if (!/^application\/json\b/.test(headers['content-type'] ?? ''))
    return wrong('content-type must be application/json', { status: 415 });
  if (json === undefined) return wrong('the body is no JSON');
  return undefined;
}

export const bearer = (headers: Readonly<Record<string, string>>): string | undefined =>
  /^Bearer (.+)$/.exec(headers.authorization ?? '')?.[1];

/** Names that occur more than once. */
export const repeated = (names: readonly string[]): string[] =>
  names.filter((name, index) => names.indexOf(name) !== index);

/** The value without cache marks: they move, what they mark stays. */
export function withoutMarks(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutMarks);
  if (typeof value !== 'object' || value === null) return value;
  const { cache_control: _, ...rest } = value as Fields;
  return Object.fromEntries(Object.entries(rest).map(([key, each]) => [key, withoutMarks(each)]));
}

export const textOf = (content: unknown): string =>
  typeof content === 'string'
    ? content
    : list(content)
        .map((part) => String(fields(part).text ?? ''))
        .join('');

/** Letters that stand for a text, the same each time. */
export const stamp = (source: string): string =>
  createHash('sha256').update(source).digest('base64').slice(0, 24);

export const isBlank = (value: unknown): boolean =>
  typeof value !== 'string' || value.trim() === '';

/** The JSON of a value with the fields of objects in one order: which they came in means nothing. */
export const canonical = (value: unknown): string =>
  JSON.stringify(value, (_, each) =>
    typeof each === 'object' && each !== null && !Array.isArray(each)
      ? Object.fromEntries(Object.entries(each).sort(([one], [other]) => (one < other ? -1 : 1)))
      : each,
  );
