// JSON on its way out in the body of a request.

import { isObject } from '../json.ts';

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
