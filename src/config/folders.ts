// Where this program keeps its things: one folder shared with scout-ai, or the XDG folders of the name `scout`. Makes none of them.

import { userInfo } from 'node:os';
import * as path from 'node:path';
import type { Files } from '../world/types/files.ts';
import type { Output } from '../world/types/streams.ts';
import type { Environment } from '../world/types/world.ts';
import type { Folders } from './types.ts';

/**
 * `$SCOUT_HOME`; else `~/.scout` when it is there; else the XDG folders. Variables that are empty or hold a relative path
 * count as unset. Without HOME the home folder of the account is taken.
 */
export async function folders(env: Environment, files: Pick<Files, 'stat'>): Promise<Folders> {
  const own = absolute(env.SCOUT_HOME);
  if (own !== undefined) return oneFolder(own);
  const shared = sharedFolder(env);
  return (await isFolder(shared, files)) ? oneFolder(shared) : xdgFolders(env);
}

/** Folders that were used before there was a `~/.scout`, and are no longer: what was fetched or written there is not found. */
export async function passedOver(
  env: Environment,
  files: Pick<Files, 'stat'>,
): Promise<readonly string[]> {
  if ((await folders(env, files)).config !== sharedFolder(env)) return [];
  const places = Object.values(xdgFolders(env));
  const there = await Promise.all(places.map((place) => isFolder(place, files)));
  return places.filter((_, index) => there[index]);
}

const sharedFolder = (env: Environment): string => path.join(homeFolder(env), '.scout');

function xdgFolders(env: Environment): Folders {
  const xdg = (variable: string, ...standard: readonly string[]): string =>
    path.join(absolute(env[variable]) ?? path.join(homeFolder(env), ...standard), 'scout');
  return {
    config: xdg('XDG_CONFIG_HOME', '.config'),
    data: xdg('XDG_DATA_HOME', '.local', 'share'),
    state: xdg('XDG_STATE_HOME', '.local', 'state'),
    cache: xdg('XDG_CACHE_HOME', '.cache'),
  };
}

/** The user's home folder, absolute; a place where nothing can be when the account has none. */
export function homeFolder(env: Environment): string {
  const set = absolute(env.HOME) ?? absolute(env.USERPROFILE);
  if (set !== undefined) return set;
  try {
    return absolute(userInfo().homedir) ?? NOWHERE;
  } catch {
    // An account that the system does not know, as in some containers.
    return NOWHERE;
  }
}

/** A path for a person to read: the home folder is `~` on a terminal. What a program reads stays whole. */
export function shownPath(
  place: string,
  { env, output }: { readonly env: Environment; readonly output: Pick<Output, 'stdout'> },
): string {
  const home = `${homeFolder(env)}${path.sep}`;
  const isHome = output.stdout.terminal && place.startsWith(home) && home !== path.sep;
  return isHome ? `~${path.sep}${place.slice(home.length)}` : place;
}

const NOWHERE = path.resolve('/nonexistent');

function oneFolder(home: string): Folders {
  return {
    config: home,
    data: home,
    state: path.join(home, 'var'),
    cache: path.join(home, 'var', 'cache'),
  };
}

function absolute(value: string | undefined): string | undefined {
  return value !== undefined && path.isAbsolute(value) ? path.normalize(value) : undefined;
}

async function isFolder(folder: string, files: Pick<Files, 'stat'>): Promise<boolean> {
  try {
    return (await files.stat(folder))?.kind === 'directory';
  } catch {
    return false;
  }
}
