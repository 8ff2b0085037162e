// An answer that the provider pauses, since its own tools took many steps: it is asked to go on with what it has said so far, and both parts
// are one answer.

import type { Tokens } from '../../types.ts';
import type { BackendContext, ReplyEvent } from '../types.ts';
import type { Block } from './blocks.ts';

/** Comes before `finish`: the answer is not at its end, and this is what it holds so far, the parts before included. */
export interface Paused {
  readonly kind: 'paused';
  readonly blocks: readonly Block[];
}

/** So often one answer is gone on with; each part is a request that is paid for. */
const MOST_PAUSES = 10;

/**
 * The events of the whole answer. `ask` is called for each part, with the blocks of those before. What all parts count is summed. An answer
 * that never ends is given as it is after ten pauses, with a warning.
 */
export async function* toItsEnd(
  ask: (earlier: readonly Block[]) => AsyncIterable<ReplyEvent | Paused>,
  warn: BackendContext['warn'],
): AsyncGenerator<ReplyEvent> {
  let earlier: readonly Block[] = [];
  const counted: Tokens[] = [];
  for (let pauses = 0; ; pauses++) {
    // What is told once, of the whole.
    const end: ReplyEvent[] = [];
    let paused: Paused | undefined;
    let tokens: Tokens = {};
    for await (const event of ask(earlier)) {
      if (event.kind === 'paused') paused = event;
      else if (event.kind === 'usage') tokens = event.tokens;
      else if (event.kind === 'provider-content' || event.kind === 'finish') end.push(event);
      else yield event;
    }
    counted.push(tokens);
    const goesOn = paused !== undefined && paused.blocks.length > earlier.length;
    if (goesOn && pauses < MOST_PAUSES) {
      earlier = paused?.blocks ?? [];
      continue;
    }
    if (paused !== undefined)
      warn('the provider paused the answer and did not end it; what arrived is kept');
    yield* end.filter(({ kind }) => kind === 'provider-content');
    const all = sum(counted);
    if (Object.keys(all).length > 0) yield { kind: 'usage', tokens: all };
    yield* end.filter(({ kind }) => kind === 'finish');
    return;
  }
}

/** What a part does not count is not known of the whole either. */
function sum(parts: readonly Tokens[]): Tokens {
  const names = Object.keys(parts[0] ?? {}) as (keyof Tokens)[];
  return Object.fromEntries(
    names.flatMap((name) => {
      const counts = parts.map((part) => part[name]).filter((count) => count !== undefined);
      const total = counts.reduce((one, other) => one + other, 0);
      return counts.length === parts.length ? [[name, total] as const] : [];
    }),
  );
}
