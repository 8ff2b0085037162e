// The search path: where things of each kind are looked for, and the first place that has one.

import * as path from 'node:path';
import type { Files } from '../world/types/files.ts';
import type { Environment } from '../world/types/world.ts';
import { folders } from './folders.ts';
import type { Folders, Kind } from './types.ts';

/** What looking for things needs of the world. */
export interface SearchWorld {
  readonly files: Pick<Files, 'stat' | 'list'>;
  readonly env: Environment;
  readonly cwd: string;
  readonly packageFolder: string;
}

/** Folders of a kind, first one first: the working directory's, the user's, the package's own. They need not be there. */
export async function searchPath(kind: Kind, world: SearchWorld): Promise<readonly string[]> {
  const own = userFolders(kind, await folders(world.env, world.files));
  const all = [world.cwd, ...own, world.packageFolder].map((base) => path.join(base, kind));
  return [...new Set(all)];
}

/** One folder for everything has them all; with the XDG folders, things that are written stand below configuration or data. */
function userFolders(kind: Kind, { config, data, state }: Folders): readonly string[] {
  if (config === data) return [config];
  return kind === 'var' ? [state] : [config, data];
}

/** The first place below the search path that has the name, or every place tried. */
export async function find(
  kind: Kind,
  name: string,
  world: SearchWorld,
): Promise<{ readonly path: string } | { readonly tried: readonly string[] }> {
  const places = (await searchPath(kind, world)).map((folder) => path.join(folder, name));
  for (const place of places) if (await isThere(place, world.files)) return { path: place };
  return { tried: places };
}

/** Whether something is there that may be looked at. */
export async function isThere(place: string, files: Pick<Files, 'stat'>): Promise<boolean> {
  try {
    return (await files.stat(place)) !== undefined;
  } catch {
    return false;
  }
}

/** Names in a folder; none when it is not there or may not be read. */
export async function namesIn(
  folder: string,
  files: Pick<Files, 'stat' | 'list'>,
): Promise<readonly string[]> {
  try {
    return (await files.stat(folder))?.kind === 'directory' ? await files.list(folder) : [];
  } catch {
    return [];
  }
}
