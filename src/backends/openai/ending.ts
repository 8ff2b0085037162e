// The end of an answer whose calls and thoughts were gathered on the way, on this wire and on those that gather them alike.

import { areUsable } from '../ending.ts';
import type { WireNames } from '../tool-names.ts';
import type { BackendContext, FinishReason, ReplyEvent } from '../types.ts';
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
  context: Pick<BackendContext, 'clock' | 'warn'>,
  names: WireNames,
): Generator<ReplyEvent, FinishReason> {
  const found = gathered.calls.finish(() => `call_${context.clock.id()}`);
  const reason = reasonFor(found.calls.length > 0);
  const usable = areUsable(found, reason, context);
  const thought = gathered.thoughts.join('');
  if (thought.trim() !== '') yield { kind: 'provider-content', blocks: reasoningBlocks(thought) };
  if (usable)
    for (const call of found.calls)
      yield { kind: 'tool-call', call: { ...call, name: names.fromWire(call.name) } };
  return reason;
}
