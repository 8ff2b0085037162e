// Writes the full chat of a live conversation to its place: whole or not at all, and only when it changed. Never fatal.

import * as path from 'node:path';
import { decode } from '../chat/decode.ts';
import { print } from '../chat/print.ts';
import { isThere } from '../config/search.ts';
import { errorWords } from '../errors.ts';
import type { Chat } from '../types.ts';
import type { World } from '../world/types/world.ts';
import { isInside } from './inside.ts';
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
    if (!(await isInside(place, world))) throw new Error(`${place} leads elsewhere by a link`);
    const text = print(fullChat(live));
    if (live.written === undefined) {
      live.written = await contentOf(place, world);
      if (live.written !== undefined && !goesOn(text, live.written))
        await keepReset(live.written, live, world);
    }
    if (live.written !== text) await world.files.write(place, text);
    live.written = text;
    return true;
  } catch (error) {
    live.written = undefined;
    warn({
      code: 'agent-not-saved',
      message: `the chat of agent "${live.name}" cannot be saved: ${errorWords(error)}`,
    });
    return false;
  }
}

/** Whether the text has all that stood there before. */
const goesOn = (text: string, before: string): boolean => text.startsWith(before.trimEnd());

/** Keeps a conversation that is replaced as `resets/TIME.chat`, where nothing takes it for a log. */
export async function keepReset(text: string, { below }: Live, world: World): Promise<void> {
  const { files, clock } = world;
  if (below === undefined || text.trim() === '') return;
  const folder = path.join(path.dirname(below), 'resets');
  const time = clock.now().toISOString().replaceAll(':', '');
  let place = path.join(folder, `${time}.chat`);
  for (let copy = 1; await isThere(place, files); copy++)
    place = path.join(folder, `${time}_${copy}.chat`);
  if (!(await isInside(place, world))) throw new Error(`${place} leads elsewhere by a link`);
  await files.write(place, text);
}

/** What stands at the place; undefined when nothing does, or a link that leads elsewhere. */
export async function contentOf(
  place: string,
  world: Pick<World, 'files' | 'cwd'>,
): Promise<string | undefined> {
  const { files } = world;
  if (!(await isThere(place, files)) || !(await isInside(place, world))) return undefined;
  return decode(await files.read(place), { file: place });
}
