// How an answer ends, on every wire: which of its calls may be run, and its counts.

import { tokensFromUsage } from '../chat/meta.ts';
import { type Fields, fields } from '../json.ts';
import type { Tokens } from '../types.ts';
import type { BackendContext, FinishReason, ReplyEvent } from './types.ts';
import { fitting, safeUsage } from './usage.ts';

type Context = Pick<BackendContext, 'warn'>;

/** Whether the calls of an answer that ended so may be run; what of them is not used is told. */
export function areUsable(
  { calls, nameless }: { readonly calls: readonly unknown[]; readonly nameless: number },
  { reason }: FinishReason,
  { warn }: Context,
): boolean {
  if (nameless > 0) warn(`left out of the answer: ${nameless} tool call(s) without a name`);
  const usable = reason === 'tool_calls';
  if (calls.length > 0 && !usable)
    warn('the answer ended in the middle of its tool calls; none of them is used');
  return usable;
}

const MOST_TOLD = 10;

/** The counts of a usage object; those that are none are told and left out. */
export function countsOf(raw: unknown, { warn }: Context): Tokens {
  const { usage, odd: unread } = safeUsage(raw);
  const { tokens, odd: unfit } = fitting(withoutPartial(tokensFromUsage(usage), usage, raw));
  const odd = [...unread, ...unfit].slice(0, MOST_TOLD);
  if (odd.length > 0) warn(`odd token counts of the provider are not counted: ${odd.join(', ')}`);
  return tokens;
}

/** A prompt whose cached part is no number is not known by the rest of it. */
function withoutPartial(tokens: Tokens, usage: Fields, raw: unknown): Tokens {
  const lost = APART.some((name) => (fields(raw)[name] ?? null) !== null && !(name in usage));
  if (usage.prompt_tokens !== undefined || !lost) return tokens;
  const { pt: _pt, tt: _tt, ...others } = tokens;
  return others;
}

/** What the Messages protocol counts beside the prompt. */
const APART = ['cache_read_input_tokens', 'cache_creation_input_tokens'] as const;

/** The last events of an answer. */
export const lastEvents = (tokens: Tokens, reason: FinishReason): readonly ReplyEvent[] => [
  ...(Object.keys(tokens).length === 0 ? [] : [{ kind: 'usage', tokens } as const]),
  { kind: 'finish', reason },
];
