// Calls of one answer are stored as pairs, one after the other; a provider wants them side by side, as they were made.

import { addAll } from '../lists.ts';
import type { Chat, Message } from '../types.ts';

/**
 * The chat with the pairs of each round told as its calls, then their outputs. A round begins with its `meta`; pairs that stand elsewhere
 * (written by hand, made from jobs) stay as they are.
 */
export function groupRounds(chat: Chat): Chat {
  const result: Message[] = [];
  let inRound = false;
  for (let index = 0; index < chat.length; index++) {
    const message = chat[index];
    if (message === undefined) break;
    const end = inRound ? trafficEnd(chat, index) : index;
    if (end > index) {
      const run = chat.slice(index, end);
      addAll(result, run.filter(isCall));
      addAll(
        result,
        run.filter((each) => !isCall(each)),
      );
      index = end - 1;
      inRound = false;
      continue;
    }
    result.push(message);
    inRound = message.role === 'meta' || (inRound && OPENING.has(message.role));
  }
  return result;
}

/** What stands between a round's meta and its calls. */
const OPENING: ReadonlySet<string> = new Set(['provider_content', 'assistant']);

const isCall = ({ role }: Message): boolean => role === 'function_call';

/** Where calls and outputs that stand together end. */
function trafficEnd(chat: Chat, start: number): number {
  let end = start;
  while (chat[end]?.role === 'function_call' || chat[end]?.role === 'function_call_output')
    end += 1;
  return end;
}

/** Where the last question begins: the first of the messages that a person said or attached last. 0 when there is none. */
export function turnStart(chat: Chat): number {
  let start = chat.findLastIndex((_, index) => isQuestion(chat, index));
  while (start > 0 && isQuestion(chat, start - 1)) start -= 1;
  return Math.max(start, 0);
}

const ASKING: ReadonlySet<string> = new Set(['user', 'image', 'pdf']);

/** Images right behind outputs are no question: tools made them. */
function isQuestion(chat: Chat, index: number): boolean {
  const role = chat[index]?.role;
  if (role === undefined || !ASKING.has(role)) return false;
  if (role !== 'image') return true;
  let before = index;
  while (chat[before]?.role === 'image') before -= 1;
  return chat[before]?.role !== 'function_call_output';
}
