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
 * The events of the whole answer. `ask` is called for each part, with the blocks of those before. Counts of all parts are summed. An answer
 * that never ends is given as it is after ten pauses, with a warning.
 */
export async function* toItsEnd(
  ask: (earlier: readonly Block[]) => AsyncIterable<ReplyEvent | Paused>,
  warn: BackendContext['warn'],
): AsyncGenerator<ReplyEvent> {
  let earlier: readonly Block[] = [];
  let tokens: Tokens | undefined;
  for (let pauses = 0; ; pauses++) {
    // What is told once, of the whole.
    const end: ReplyEvent[] = [];
    let paused: Paused | undefined;
    for await (const event of ask(earlier)) {
      if (event.kind === 'paused') paused = event;
      else if (event.kind === 'usage') tokens = sum(tokens, event.tokens);
      else if (event.kind === 'provider-content' || event.kind === 'finish') end.push(event);
      else yield event;
    }
    const goesOn = paused !== undefined && paused.blocks.length > earlier.length;
    if (goesOn && pauses < MOST_PAUSES) {
      earlier = paused?.blocks ?? [];
      continue;
    }
    if (paused !== undefined)
      warn('the provider paused the answer and did not end it; what arrived is kept');
    yield* end.filter(({ kind }) => kind === 'provider-content');
    if (tokens !== undefined) yield { kind: 'usage', tokens };
    yield* end.filter(({ kind }) => kind === 'finish');
    return;
  }
}

function sum(one: Tokens = {}, other: Tokens): Tokens {
  const names = new Set([...Object.keys(one), ...Object.keys(other)] as (keyof Tokens)[]);
  return Object.fromEntries(
    [...names].map((name) => [name, (one[name] ?? 0) + (other[name] ?? 0)]),
  );
}
