// Keeps what a run produces in its chat file: the question with the first thing that is worth keeping, then round after round.

import type { Chat } from '../types.ts';
import type { Conversation } from './conversation.ts';
import type { AskEvent } from './types/events.ts';

export interface Keeper {
  /** Appends what the event carries, whole, before anything else happens. */
  handle(event: AskEvent): Promise<void>;
  /** What is in the file now that was not there before, for the end of a run that failed. Undefined when it is as it was. */
  summary(): string | undefined;
}

/** `question` goes into the file with the first round or partial text; a run that gives neither leaves the file as it was. */
export function keeper(conversation: Conversation | undefined, question: Chat): Keeper {
  let waiting = question;
  let rounds = 0;
  let partial = false;
  const append = async (messages: Chat) => {
    if (conversation === undefined) return;
    await conversation.append([...waiting, ...messages]);
    waiting = [];
  };
  return {
    async handle(event) {
      if (event.kind === 'round') {
        await append(event.messages);
        rounds++;
      } else if (event.kind === 'partial') {
        await append(event.messages);
        partial = true;
      }
    },
    summary() {
      if (conversation === undefined || (rounds === 0 && !partial)) return undefined;
      const kept = [
        ...(rounds === 0 ? [] : [`${rounds} complete round${rounds === 1 ? '' : 's'}`]),
        ...(partial ? ['the text that had arrived'] : []),
      ];
      return `kept in ${conversation.file}: ${kept.join(' and ')}`;
    },
  };
}
