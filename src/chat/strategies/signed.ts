// Rounds whose answer is signed as a whole: a provider that gave out signed thinking takes the calls behind it as it made them, or not at
// all. In the middle of a turn it refuses the prompt when they were changed.

import { objectIn } from '../../json.ts';
import type { Chat, Message } from '../../types.ts';
import { type Fate, toolPairs } from './traffic.ts';

/**
 * The fates with signed rounds kept together: their calls are never shortened, only their outputs; they are dropped when all of their calls
 * are. What has no partner is dropped as before.
 */
export function settled(chat: Chat, fates: ReadonlyMap<number, Fate>): ReadonlyMap<number, Fate> {
  const rounds = signedRounds(chat);
  if (rounds.length === 0) return fates;
  const outputOf = new Map(toolPairs(chat).map(({ call, output }) => [call, output]));
  const result = new Map(fates);
  for (const calls of rounds) {
    const paired = calls.filter((call) => outputOf.has(call));
    if (paired.every((call) => fates.get(call) === 'drop')) continue;
    for (const call of paired) {
      const output = outputOf.get(call);
      if (fates.get(call) === 'drop' && output !== undefined) result.set(output, 'shorten');
      result.delete(call);
    }
  }
  return result;
}

/** Places of the calls of each round that has signed blocks. */
function signedRounds(chat: Chat): readonly (readonly number[])[] {
  const rounds: number[][] = [];
  let open: number[] | undefined;
  for (const [index, message] of chat.entries()) {
    const { role } = message;
    if (role === 'provider_content') {
      open = isSigned(message) ? [] : undefined;
      if (open !== undefined) rounds.push(open);
    } else if (role === 'function_call') open?.push(index);
    // A round is its blocks, its text, then its calls.
    else if (role !== 'assistant' || (open?.length ?? 0) > 0) open = undefined;
  }
  return rounds.filter((calls) => calls.length > 0);
}

/** Blocks that are signed or encrypted whatever is in them. */
const SIGNED: ReadonlySet<unknown> = new Set(['redacted_thinking', 'reasoning_details']);

const known = new WeakMap<Message, boolean>();

function isSigned(message: Message): boolean {
  const found = known.get(message);
  if (found !== undefined) return found;
  const blocks = objectIn(message.content)?.blocks;
  const signed =
    Array.isArray(blocks) &&
    blocks.some((block: unknown) => {
      const { type, signature } = Object(block);
      return SIGNED.has(type) || (type === 'thinking' && signature !== undefined);
    });
  known.set(message, signed);
  return signed;
}
