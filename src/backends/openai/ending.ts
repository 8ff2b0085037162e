// How an answer ends whose calls and thoughts were gathered on the way, on this wire and on those that gather them alike.

import { tokensFromUsage } from '../../chat/meta.ts';
import type { Tokens } from '../../types.ts';
import type { WireNames } from '../tool-names.ts';
import type { BackendContext, FinishReason, ReplyEvent } from '../types.ts';
import { safeUsage } from '../usage.ts';
import type { CallCollector } from './calls.ts';
import { reasoningBlocks } from './reasoning.ts';

export interface Gathered {
  readonly calls: CallCollector;
  /** Reasoning that goes back, piece by piece. */
  readonly thoughts: readonly string[];
}

/** Yields the reasoning and the calls, and returns the reason. Calls of an answer that was cut in the middle of them are not yielded. */
export function* endCalls(
  gathered: Gathered,
  reasonFor: (called: boolean) => FinishReason,
  { clock, warn }: Pick<BackendContext, 'clock' | 'warn'>,
  names: WireNames,
): Generator<ReplyEvent, FinishReason> {
  const { calls, nameless } = gathered.calls.finish(() => `call_${clock.id()}`);
  if (nameless > 0) warn(`left out of the answer: ${nameless} tool call(s) without a name`);
  const reason = reasonFor(calls.length > 0);
  const usable = reason.reason === 'tool_calls';
  if (calls.length > 0 && !usable)
    warn('the answer ended in the middle of its tool calls; none of them is used');
  const thought = gathered.thoughts.join('');
  if (thought.trim() !== '') yield { kind: 'provider-content', blocks: reasoningBlocks(thought) };
  if (usable)
    for (const call of calls)
      yield { kind: 'tool-call', call: { ...call, name: names.fromWire(call.name) } };
  return reason;
}

/** The counts of a usage object; those that are none are told and left out. */
export function countsOf(raw: unknown, { warn }: Pick<BackendContext, 'warn'>): Tokens {
  const { usage, odd } = safeUsage(raw);
  if (odd.length > 0) warn(`odd token counts of the provider are not counted: ${odd.join(', ')}`);
  return tokensFromUsage(usage);
}
