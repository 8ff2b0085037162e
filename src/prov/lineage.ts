// Digests that are equal where conversations are equal: what identifies requests of older chats, which have no ids.

import { createHash } from 'node:crypto';
import { parseMeta } from '../chat/meta.ts';
import type { Chat } from '../types.ts';
import { isAnonymous } from './request-fields.ts';
import { type Segment, segments } from './segments.ts';
import type { ChatFacts } from './types/facts.ts';

/**
 * One digest (hex) for each message: of it and of the conversation before it. Metas are no part of the conversation, since no provider
 * sees them; the digest of a meta is made of what stands before it and of its fields, less reasoning (projections strip it) and time
 * (a copy may have its own).
 */
export function lineage(chat: Chat): string[] {
  let conversation = '';
  return chat.map(({ role, content }) => {
    if (role === 'meta') return digest(conversation, role, canonicalMeta(content));
    conversation = digest(conversation, role, content);
    return conversation;
  });
}

/** The facts with a lineage for each request that nothing else identifies. */
export function withLineage(facts: ChatFacts, chat: Chat): ChatFacts {
  const digests = lineage(chat);
  const requests = facts.requests.map((request) => {
    const own = isAnonymous(request) ? digests[request.index] : undefined;
    return own === undefined ? request : { ...request, lineage: own };
  });
  return { ...facts, requests };
}

export interface TracedSegment extends Segment {
  /** Index of the chat among those given. */
  readonly chat: number;
  readonly inference_id: string | number | null;
  readonly lineage: string;
  readonly deduplication: 'inference_id' | 'legacy_lineage';
}

/** The segments of several chats; each request once, where it stands first, unless `deduplicate` is false. */
export function trace(
  chats: readonly Chat[],
  { deduplicate = true }: { readonly deduplicate?: boolean } = {},
): TracedSegment[] {
  const seen = new Set<string>();
  return chats.flatMap((chat, number) => {
    const digests = lineage(chat);
    return segments(chat).flatMap((segment): TracedSegment[] => {
      const id = segment.fields.inference_id ?? null;
      const own = digests[segment.index] ?? '';
      const key = id === null ? `lineage ${own}` : `id ${id}`;
      if (deduplicate && seen.has(key)) return [];
      seen.add(key);
      const deduplication = id === null ? 'legacy_lineage' : 'inference_id';
      return [{ ...segment, chat: number, inference_id: id, lineage: own, deduplication }];
    });
  });
}

function canonicalMeta(content: string): string {
  const fields = Object.entries(parseMeta(content))
    .filter(([name]) => name !== 'reas' && name !== 'timestamp')
    .sort(([one], [other]) => (one < other ? -1 : 1));
  return JSON.stringify(fields);
}

function digest(before: string, role: string, content: string): string {
  return createHash('sha256').update(`${before}\0${role}\0${content}`).digest('hex');
}
