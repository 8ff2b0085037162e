// The conversations of fixtures/vectors/recipe.mjs, typed, and what a strategy made of each message of them.

// @ts-expect-error a recipe in plain JavaScript, as it came with the vectors
import { conversation as made } from '../../../fixtures/vectors/recipe.mjs';
import type { Chat, Message } from '../../../src/types.ts';

export const conversation: (total: number, variant: string) => Chat = made;

/** One letter for each input message: k kept (the same object), t shortened (the same role and id), d dropped. */
export function statesOf(input: Chat, output: Chat): string {
  const rest = output.filter((message) => !isNote(message, input));
  let next = 0;
  const states = input.map((message) => {
    const found = rest[next];
    if (found === message) {
      next += 1;
      return 'k';
    }
    if (found !== undefined && !input.includes(found) && idOf(found) === idOf(message)) {
      next += 1;
      return 't';
    }
    return 'd';
  });
  return next === rest.length
    ? states.join('')
    : `${states.join('')} and ${rest.length - next} more`;
}

const isNote = (message: Message, input: Chat): boolean =>
  message.role === 'user' && !input.includes(message);

function idOf({ role, content }: Message): string {
  return role.startsWith('function_call')
    ? `${role} ${JSON.parse(content).id}`
    : `${role} ${content}`;
}

/** What the notes of a prompt say. */
export function countsIn(chat: Chat): readonly { compacted: number; removed: number }[] {
  return chat.flatMap(({ role, content }) => {
    const found = /, (\d+) earlier tool messages are shortened .* and (\d+) are left out/.exec(
      content,
    );
    return role === 'user' && found !== null
      ? [{ compacted: Number(found[1]), removed: Number(found[2]) }]
      : [];
  });
}
