// Begins a conversation anew, and keeps the one before where nothing takes it for a log.

import { print } from '../chat/print.ts';
import { errorWords } from '../errors.ts';
import { contentOf, fullChat, keepReset } from './save.ts';
import type { Live, Session } from './types.ts';

/** What was said so far is kept beside the place of the conversation. A copy that cannot be written is a warning, and is tried again before anything is written over. */
export async function restart(live: Live, session: Session): Promise<void> {
  try {
    if (live.place !== undefined) await keepBefore(live, live.place, session.world);
  } catch (error) {
    live.written = undefined;
    session.warn({
      code: 'agent-not-saved',
      message: `the conversation before cannot be kept: ${errorWords(error)}`,
    });
  }
  live.messages = [];
}

/** The live conversation, else the one that an earlier program saved. */
async function keepBefore(live: Live, place: string, world: Session['world']): Promise<void> {
  if (live.messages.length > 0) return keepReset(print(fullChat(live)), live, world);
  const text = await contentOf(place, world);
  if (text === undefined || text === live.written) return;
  if (text !== print(live.template?.start ?? [])) await keepReset(text, live, world);
  live.written = text;
}
