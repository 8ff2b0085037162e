// Looking into JSON of unknown shape without trusting any field to be there.

import { parsedJson } from '../json.ts';

export type Fields = Readonly<Record<string, unknown>>;

/** The value as an object with fields; an empty one when it is anything else. */
export function fields(value: unknown): Fields {
  return isObject(value) ? value : {};
}

export function isObject(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The value when it is a text with something in it. */
export function text(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** The value as an array, an empty one when it is none. */
export function list(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** The parsed text, undefined when it is not JSON. (No JSON text parses to undefined.) */
export function parseJson(source: string): unknown {
  try {
    return parsedJson(source);
  } catch {
    return undefined;
  }
}

/** A copy without nulls at any depth: null means "do not send". Entries of arrays stay. */
export function withoutNulls(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutNulls);
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, entry]) => entry !== null && entry !== undefined)
      .map(([key, entry]) => [key, withoutNulls(entry)]),
  );
}

/** The JSON text of a body. Halves of characters, which no UTF-8 can hold, go out as U+FFFD. */
export function bodyText(body: unknown): string {
  return JSON.stringify(body, (_, value) =>
    typeof value === 'string' ? value.replace(/\p{Surrogate}/gu, '\uFFFD') : value,
  );
}
