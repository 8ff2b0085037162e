// Writes the full chat of a live conversation to its place: whole or not at all, and only when it changed. Never fatal.

import { decode } from '../chat/decode.ts';
import { print } from '../chat/print.ts';
import type { Chat } from '../types.ts';
import type { Live, Session } from './types.ts';

/** The start chat and everything after it. */
export const fullChat = ({ template, messages }: Live): Chat => [
  ...(template?.start ?? []),
  ...messages,
];

/** Whether its place holds its chat now; false when it has no place, or writing failed, which is warned about. */
export async function saveLive(
  live: Live,
  { world, warn }: Pick<Session, 'world' | 'warn'>,
): Promise<boolean> {
  const { place } = live;
  if (place === undefined) return false;
  try {
    const text = print(fullChat(live));
    live.written ??= await contentOf(place, world);
    if (live.written !== text) await world.files.write(place, text);
    live.written = text;
    return true;
  } catch (error) {
    live.written = undefined;
    warn({
      code: 'agent-not-saved',
      message: `the chat of agent "${live.name}" cannot be saved: ${error instanceof Error ? error.message : String(error)}`,
    });
    return false;
  }
}

async function contentOf(place: string, { files }: Session['world']): Promise<string | undefined> {
  if ((await files.stat(place)) === undefined) return undefined;
  return decode(await files.read(place), { file: place });
}
