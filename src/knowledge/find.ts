// Finds knowledge bases by name on the search path, or by path. Reads no table.

import * as path from 'node:path';
import { isThere, namesIn, type SearchWorld, searchPath } from '../config/search.ts';
import { configFailure } from '../errors.ts';
import { addAll } from '../lists.ts';
import { didYouMean } from '../nearest.ts';

export const FOLDER = 'knowledge_base';

/** Folders that hold knowledge bases, first one first. They need not be there. */
export async function baseRoots(world: SearchWorld): Promise<readonly string[]> {
  const below = async (kind: 'var' | 'share') =>
    (await searchPath(kind, world)).map((folder) => path.join(folder, FOLDER));
  return [...(await searchPath(FOLDER, world)), ...(await below('var')), ...(await below('share'))];
}

/** Folders of agents, which may have a knowledge base of their own. */
async function agentRoots(world: SearchWorld): Promise<readonly string[]> {
  const roots: string[] = [];
  for (const kind of ['workflows', 'Agent'] as const) addAll(roots, await searchPath(kind, world));
  for (const kind of ['var', 'chats'] as const)
    for (const folder of await searchPath(kind, world)) roots.push(path.join(folder, 'Agent'));
  return [...roots, ...(await searchPath('chats', world))];
}

/**
 * The folder of a base, or the file of one that is a single table, absolute. A name with a slash is a path: from the folder of
 * the chat that names it, then from the working directory. Rejects with a configuration Failure (exit 3) that has the places tried and the
 * nearest names.
 */
export async function findBase(
  name: string,
  world: SearchWorld,
  chat?: string,
): Promise<{ readonly name: string; readonly place: string }> {
  const isPath = /[/\\]/.test(name) || name === '.' || name === '..';
  const beside = pathsFrom(name, world, chat);
  const named = isPath ? [] : (await baseRoots(world)).map((root) => path.join(root, name));
  const ofAgents = isPath
    ? []
    : (await agentRoots(world)).map((root) => path.join(root, name, FOLDER));
  for (const place of name === '' ? [] : [...named, ...ofAgents, ...beside])
    if (await isThere(place, world.files)) return { name: baseName(place), place };
  const known = (await listBases(world)).map((base) => base.name);
  throw configFailure('no-such-knowledge-base', `there is no knowledge base "${name}"`, {
    detail: [
      `tried ${[...named, ...beside].join(', ')}${isPath ? '' : ', and agents of that name'}`,
    ],
    next:
      didYouMean(name, known) ??
      (isPath ? 'name a folder with tables in it' : '`chat kb list` shows what there is'),
  });
}

/** Where a path leads: from the folder of the chat first. */
export function pathsFrom(
  name: string,
  { cwd }: Pick<SearchWorld, 'cwd'>,
  chat: string | undefined,
): readonly string[] {
  const own = chat === undefined ? [] : [path.resolve(cwd, path.dirname(chat), name)];
  return [...new Set([...own, path.resolve(cwd, name)])];
}

/** That of an agent has the agent's name. */
function baseName(place: string): string {
  const name = path.basename(place);
  return name === FOLDER ? path.basename(path.dirname(place)) : name.replace(/\.tsv$/, '');
}

/** Every base of the search path by name, sorted; of two with one name the one that is found first. Those of agents are theirs. */
export async function listBases(
  world: SearchWorld,
): Promise<readonly { readonly name: string; readonly place: string }[]> {
  const found = new Map<string, string>();
  for (const root of await baseRoots(world))
    for (const name of await namesIn(root, world.files)) {
      const place = path.join(root, name);
      if (name.startsWith('.') || found.has(name)) continue;
      if ((await world.files.stat(place))?.kind === 'directory') found.set(name, place);
    }
  return [...found]
    .map(([name, place]) => ({ name, place }))
    .sort((one, other) => (one.name < other.name ? -1 : 1));
}
