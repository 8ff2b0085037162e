// The result of a job as text for a model.

import { parse } from '../chat/parse.ts';
import { answer } from '../chat/select.ts';

/** Strings as they are, the answer of a chat, everything else as JSON, nothing as `success`. Bytes are named, never sent. */
export function resultText(value: unknown, type: string | undefined, path: string): string {
  if (value === undefined || value === null) return 'success';
  if (value instanceof Uint8Array) return `${value.length} bytes of binary data, stored in ${path}`;
  if (typeof value !== 'string') return JSON.stringify(value);
  return type === 'chat' ? (answer(parse(value)) ?? value) : value;
}
