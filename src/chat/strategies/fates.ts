// Carries out what a strategy decided for the tool messages of a prompt. Pairs stay whole; what a provider must get back verbatim goes
// with the calls that it was made with.

import { addAll } from '../../lists.ts';
import type { Chat, Message } from '../../types.ts';
import { settled } from './signed.ts';
import { shortened, type TextLimits } from './texts.ts';
import type { Fate } from './traffic.ts';

export interface Counts {
  /** Messages that became shorter. */
  readonly shortened: number;
  readonly dropped: number;
}

export interface Outcome {
  readonly chat: Chat;
  readonly counts: Counts;
}

/** The chat with the messages at those places shortened or dropped; the chat itself when nothing changes. */
export function withFates(
  chat: Chat,
  fates: ReadonlyMap<number, Fate>,
  limits: TextLimits,
): Outcome {
  const changed = new Map<number, Message | undefined>();
  const counts = { shortened: 0, dropped: 0 };
  for (const [index, fate] of settled(chat, fates)) {
    const message = chat[index];
    if (message === undefined) continue;
    const short = fate === 'drop' ? undefined : shortened(message, limits);
    if (short === message) continue;
    changed.set(index, short);
    counts[fate === 'drop' ? 'dropped' : 'shortened'] += 1;
  }
  if (changed.size === 0) return { chat, counts };
  for (const index of [...staleBlocks(chat, changed), ...orphanImages(chat, changed)])
    changed.set(index, undefined);
  const result = chat.flatMap((message, index) => {
    if (!changed.has(index)) return [message];
    const other = changed.get(index);
    return other === undefined ? [] : [other];
  });
  return { chat: result, counts };
}

const IN_ROUND: ReadonlySet<string> = new Set([
  'provider_content',
  'assistant',
  'function_call',
  'function_call_output',
]);

/**
 * Places of `provider_content` whose round has a call that is changed: the blocks hold that call as it was, and a provider refuses
 * blocks without it, or with another one.
 */
function staleBlocks(chat: Chat, changed: ReadonlyMap<number, unknown>): readonly number[] {
  const stale: number[] = [];
  let blocks: number[] = [];
  let calling = false;
  for (const [index, { role }] of chat.entries()) {
    const isCalling = role === 'function_call' || role === 'function_call_output';
    // A round is its blocks, its text, then its calls; whatever else comes begins a new one.
    if (!IN_ROUND.has(role) || (calling && !isCalling)) blocks = [];
    calling = isCalling;
    if (role === 'provider_content') blocks.push(index);
    if (role === 'function_call' && changed.has(index)) {
      addAll(stale, blocks);
      blocks = [];
    }
  }
  return stale;
}

/** Places of images right behind outputs that are all dropped: tools made them, and they go with them. */
function orphanImages(
  chat: Chat,
  changed: ReadonlyMap<number, Message | undefined>,
): readonly number[] {
  const orphans: number[] = [];
  let isOrphan = false;
  let before = '';
  for (const [index, { role }] of chat.entries()) {
    const isDropped = changed.has(index) && changed.get(index) === undefined;
    if (role === 'function_call_output')
      isOrphan = isDropped && (isOrphan || before !== 'function_call_output');
    else if (role !== 'image') isOrphan = false;
    else if (isOrphan) orphans.push(index);
    before = role;
  }
  return orphans;
}

/** The chat with the note behind its first calls and what they gave: between a call and its output nothing may stand. */
export function withNote(chat: Chat, note: string): Chat {
  let open = 0;
  let end = chat.findIndex(({ role }) => {
    if (role === 'function_call') open += 1;
    if (role !== 'function_call_output') return false;
    open -= 1;
    return open <= 0;
  });
  while (end >= 0 && chat[end + 1]?.role === 'image') end += 1;
  if (end < 0) return [...chat, { role: 'user', content: note }];
  return [...chat.slice(0, end + 1), { role: 'user', content: note }, ...chat.slice(end + 1)];
}
