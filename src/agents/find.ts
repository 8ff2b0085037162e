// Finds the folders of agents by name on the search path. Loads none of them.

import * as path from 'node:path';
import { isThere, namesIn, type SearchWorld, searchPath } from '../config/search.ts';
import { configFailure } from '../errors.ts';
import { didYouMean } from '../nearest.ts';
import { isSafeName, NAME_RULE, safeName } from './names.ts';
import type { AgentPlace } from './types.ts';

export const START_CHAT = 'start_chat';

/** Folders that hold agents, first one first. They need not be there. */
export async function agentRoots(world: SearchWorld): Promise<readonly string[]> {
  const below = async (kind: 'var' | 'chats') =>
    (await searchPath(kind, world)).map((folder) => path.join(folder, 'Agent'));
  return [
    ...(await searchPath('workflows', world)),
    ...(await searchPath('Agent', world)),
    ...(await below('var')),
    ...(await below('chats')),
    ...(await searchPath('chats', world)),
  ];
}

/**
 * The agent of that name: the first folder on the search path that has a start chat. A name with a slash is the path of such a
 * folder. Rejects with a configuration Failure (exit 3) that has the places tried and the nearest names.
 */
export async function findAgent(name: string, world: SearchWorld): Promise<AgentPlace> {
  if (/[/\\]/.test(name)) return atPath(name, world);
  if (!isSafeName(name))
    throw configFailure('bad-agent-name', `${JSON.stringify(name)} is no name of an agent`, {
      next: `${NAME_RULE}; the path of a folder has a slash`,
    });
  const folders = (await agentRoots(world)).map((root) => path.join(root, name));
  for (const folder of folders) if (await hasStartChat(folder, world)) return { name, folder };
  await refuseBareFolders(folders, world);
  const names = (await listAgents(world)).map((each) => each.name);
  throw configFailure('no-such-agent', `there is no agent "${name}"`, {
    detail: [`tried ${folders.join(', ')}`],
    next: (await didYouMean(name, names)) ?? '`chat agent list` shows the agents',
  });
}

async function atPath(name: string, world: SearchWorld): Promise<AgentPlace> {
  const folder = path.resolve(world.cwd, name);
  if (await hasStartChat(folder, world)) return { name: safeName(path.basename(folder)), folder };
  if ((await world.files.stat(folder).catch(() => undefined))?.kind === 'file')
    throw configFailure('no-such-agent', `"${name}" is a file, and an agent is a folder`, {
      next: `name the folder: ${path.dirname(name)}`,
    });
  await refuseBareFolders([folder], world);
  throw configFailure('no-such-agent', `there is no agent at "${name}"`, {
    detail: [`tried ${folder}`],
    next: `name a folder with a file ${START_CHAT} in it`,
  });
}

/** Only a file is one: reading a pipe would wait for ever. */
async function hasStartChat(folder: string, { files }: SearchWorld): Promise<boolean> {
  const found = await files.stat(path.join(folder, START_CHAT)).catch(() => undefined);
  return found?.kind === 'file';
}

async function refuseBareFolders(folders: readonly string[], world: SearchWorld): Promise<void> {
  for (const folder of folders) {
    if (!(await isThere(folder, world.files))) continue;
    throw configFailure('no-start-chat', `there is no ${START_CHAT} in ${folder}`, {
      at: folder,
      next: `write one: a chat with what the agent is told (\`system:\`), its tools and its endpoint`,
    });
  }
}

/** Every agent of the search path by name, sorted; of two with one name the one that is found first. */
export async function listAgents(world: SearchWorld): Promise<readonly AgentPlace[]> {
  const found = new Map<string, AgentPlace>();
  for (const root of await agentRoots(world))
    for (const name of await namesIn(root, world.files)) {
      const folder = path.join(root, name);
      if (found.has(name) || !isSafeName(name) || !(await hasStartChat(folder, world))) continue;
      found.set(name, { name, folder });
    }
  return [...found.values()].sort((one, other) => (one.name < other.name ? -1 : 1));
}
