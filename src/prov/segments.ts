// Which messages each request of a chat produced. A meta stands right before what it produced.

import { type MetaFields, parseMeta } from '../chat/meta.ts';
import type { Chat } from '../types.ts';

export interface Segment {
  /** Index of the meta message. */
  readonly index: number;
  /** Its fields, reasoning left out. */
  readonly fields: MetaFields;
  /** Indexes of the messages that came from it. */
  readonly covers: readonly number[];
  /** It covers none: the request left no message behind, and still cost what it cost. */
  readonly orphan: boolean;
}

/** One segment for each meta, in order. A segment runs to the next `meta`, `user` or `system` message; what stands before the first meta is in none. */
export function segments(chat: Chat): Segment[] {
  const found: { index: number; fields: MetaFields; covers: number[]; orphan: boolean }[] = [];
  let open: (typeof found)[number] | undefined;
  for (const [index, { role, content }] of chat.entries()) {
    if (role === 'meta') {
      open = { index, fields: withoutReasoning(parseMeta(content)), covers: [], orphan: true };
      found.push(open);
    } else if (role === 'user' || role === 'system') open = undefined;
    else if (open !== undefined) {
      open.covers.push(index);
      open.orphan = false;
    }
  }
  return found;
}

/** The fields of a meta less `reas`, the summary of a model's reasoning. */
export function withoutReasoning(fields: Readonly<MetaFields>): MetaFields {
  const { reas: _, ...rest } = fields;
  return rest;
}
