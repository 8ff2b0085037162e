// One text for one value, whatever the order of its keys, and the digest of that text.

import { createHash } from 'node:crypto';

/** JSON with sorted keys and no white space. What JSON leaves out is left out. */
export function canonical(value: unknown): string {
  return text(value) ?? 'null';
}

/** Undefined for what JSON leaves out. Written by hand, since a library call for each key is most of the cost of asking for a job again. */
function text(value: unknown): string | undefined {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  if ('toJSON' in value) return text(JSON.parse(JSON.stringify(value) ?? 'null'));
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  const parts: string[] = [];
  for (const key of Object.keys(value).sort()) {
    const part = text((value as Readonly<Record<string, unknown>>)[key]);
    if (part !== undefined) parts.push(`${JSON.stringify(key)}:${part}`);
  }
  return `{${parts.join(',')}}`;
}

/** 32 hexadecimal digits of the canonical text. */
export function digestOf(value: unknown): string {
  return createHash('sha256').update(canonical(value)).digest('hex').slice(0, 32);
}
