// The chat that `--template` names: a file, or a name on the search path.

import * as path from 'node:path';
import { decode } from '../chat/decode.ts';
import { parse } from '../chat/parse.ts';
import { find } from '../config/search.ts';
import { usageFailure } from '../errors.ts';
import type { Chat, Warn } from '../types.ts';
import type { World } from '../world/types/world.ts';

/** Reads the template. Rejects with a usage Failure that says where it was looked for. */
export async function readTemplate(name: string, world: World, warn: Warn): Promise<Chat> {
  const direct = path.resolve(world.cwd, name);
  const tried = [path.dirname(direct)];
  if ((await world.files.stat(direct))?.kind === 'file') return readChat(direct, world, warn);
  for (const [kind, below] of [
    ['questions', name],
    ['chats', path.join('system', name)],
    ['chats', name],
  ] as const) {
    for (const ending of ['', '.chat']) {
      const found = await find(kind, below + ending, world);
      if ('path' in found) return readChat(found.path, world, warn);
      tried.push(...found.tried.map((place) => path.dirname(place)));
    }
  }
  throw usageFailure('missing-template', `no such template "${name}"`, {
    at: '--template',
    detail: [`looked for it, also with .chat, in ${[...new Set(tried)].join(', ')}`],
    next: 'give the path of a file, or put it into a folder `questions` or `chats/system`',
  });
}

async function readChat(file: string, world: World, warn: Warn): Promise<Chat> {
  return parse(decode(await world.files.read(file), { file, warn }), { file, warn });
}
