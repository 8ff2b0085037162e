// Runs the calls of one reply: side by side, in order of the calls, failures as data for the model.

import type { Attachment, Chat, Tool, ToolCall } from '../types.ts';
import { type CallOptions, type Outcome, runCall } from './call.ts';
import { progressBoard } from './progress.ts';
import type { AskEvent } from './types/events.ts';

export interface BatchOptions extends Omit<CallOptions, 'tell'> {
  /** Calls at once; default 4. */
  readonly concurrency: number;
}

export interface Batch {
  readonly messages: Chat;
  /** What the messages attach, by their content. */
  readonly attachments: ReadonlyMap<string, Attachment>;
  readonly failed: boolean;
}

/** Yields a start and an end for each call, and its progress; returns the pairs in the order of the calls, images behind them, and whether any failed. */
export async function* runCalls(
  calls: readonly ToolCall[],
  tools: readonly Tool[],
  options: BatchOptions,
): AsyncGenerator<AskEvent, Batch> {
  const board = progressBoard();
  const outcomes: Outcome[] = [];
  const waiting = calls.map((call, index) => ({
    call,
    index,
    tool: tools.find(({ name }) => name === call.name),
  }));
  const running = new Map<number, Promise<{ index: number; outcome: Outcome }>>();
  let alone = false;
  while (waiting.length > 0 || running.size > 0) {
    for (
      let next = waiting[0];
      next !== undefined && running.size < options.concurrency && !alone;
      next = waiting[0]
    ) {
      if (next.tool?.alone === true && running.size > 0) break;
      alone = next.tool?.alone === true;
      waiting.shift();
      const { call, index } = next;
      yield { kind: 'tool-start', call, index, count: calls.length };
      running.set(
        index,
        runCall(call, tools, { ...options, tell: (text) => board.tell(index, text) }).then(
          (outcome) => ({ index, outcome }),
        ),
      );
    }
    const first = await Promise.race([...running.values(), board.told()]);
    for (const [index, text] of board.take()) {
      const call = calls[index];
      if (call !== undefined && running.has(index))
        yield { kind: 'tool-progress', call, index, text };
    }
    if (first === 'told') continue;
    const { index, outcome } = first;
    running.delete(index);
    alone = false;
    outcomes[index] = outcome;
    const call = calls[index];
    if (call !== undefined)
      yield {
        kind: 'tool-end',
        call,
        index,
        seconds: outcome.seconds,
        failed: outcome.failed,
        reused: outcome.reused,
      };
  }
  const images = outcomes.flatMap((outcome) => outcome.images);
  return {
    messages: [
      ...outcomes.flatMap(({ messages }) => messages),
      ...images.map(({ message }) => message),
    ],
    attachments: new Map(images.map(({ message, attachment }) => [message.content, attachment])),
    failed: outcomes.some(({ failed }) => failed),
  };
}

/** The calls of one reply with ids that no two of them share; a provider that counts from zero, or gives none, may have repeated one. */
export function withOwnIds(calls: readonly ToolCall[], fresh: () => string): readonly ToolCall[] {
  const used = new Set<string>();
  return calls.map((call) => {
    let id = call.id === '' ? `call_${fresh().slice(0, 8)}` : call.id;
    for (let copy = 2; used.has(id); copy++) id = `${call.id}_${copy}`;
    used.add(id);
    return { ...call, id };
  });
}
