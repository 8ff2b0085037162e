// One text for one value, whatever the order of its keys, and the digest of that text.

import { createHash } from 'node:crypto';

/** JSON with sorted keys and no white space. Properties that JSON leaves out are left out. */
export function canonical(value: unknown): string {
  return JSON.stringify(value, sorted) ?? 'null';
}

function sorted(_key: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  const entries = Object.entries(value);
  entries.sort(([one], [other]) => (one < other ? -1 : one > other ? 1 : 0));
  // Without a prototype every key is an ordinary one, `__proto__` too.
  const ordered: Record<string, unknown> = Object.create(null);
  for (const [key, each] of entries) ordered[key] = each;
  return ordered;
}

/** 32 hexadecimal digits of the canonical text. */
export function digestOf(value: unknown): string {
  return createHash('sha256').update(canonical(value)).digest('hex').slice(0, 32);
}
