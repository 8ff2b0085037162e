// Makes names of files that a chat declares hold elsewhere, too: what one agent hands on to another is kept in a file of another folder.

import * as path from 'node:path';
import { joinWords, splitWords } from '../chat/words.ts';
import { isThere } from '../config/search.ts';
import type { Chat, Message } from '../types.ts';
import type { World } from '../world/types/world.ts';

type PlacesWorld = Pick<World, 'files' | 'cwd'>;

/** The declarations with paths of workflows, tables and servers made absolute. What is found nowhere stays as it is. */
export function withFixedPlaces(declared: Chat, world: PlacesWorld): Promise<Chat> {
  return Promise.all(declared.map((message) => withFixedPlace(message, world)));
}

async function withFixedPlace(message: Message, world: PlacesWorld): Promise<Message> {
  const words = wordsOf(message);
  const at = message.role !== 'mcp' ? 0 : words[0] === 'stdio' ? 1 : -1;
  const name = words[at];
  if (name === undefined || !isRelativePath(name)) return message;
  const place = await placeFrom(name, message.origin?.file, world);
  if (place === undefined) return message;
  const all = words.with(at, place);
  return { ...message, content: message.role === 'introduce' ? place : joinWords(all) };
}

function wordsOf({ role, content }: Message): readonly string[] {
  if (role === 'introduce') return [content.trim()];
  try {
    return splitWords(content);
  } catch {
    // Whoever reads it says what is wrong with it.
    return [];
  }
}

const isRelativePath = (name: string): boolean => /[/\\]/.test(name) && !path.isAbsolute(name);

/** The absolute path: from the folder of the file that names it, then from the working directory. */
export async function placeFrom(
  name: string,
  file: string | undefined,
  { files, cwd }: PlacesWorld,
): Promise<string | undefined> {
  const beside = file === undefined ? [] : [path.resolve(cwd, path.dirname(file), name)];
  for (const place of [...beside, path.resolve(cwd, name)])
    if (await isThere(place, files)) return place;
  return undefined;
}
