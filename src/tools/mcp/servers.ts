// The servers of a run: each is there once, whoever uses it, and all are ended together.

import * as path from 'node:path';
import { folders } from '../../config/folders.ts';
import { isThere } from '../../config/search.ts';
import type { Warn } from '../../types.ts';
import type { World } from '../../world/types/world.ts';
import { type ListCache, listCache } from './cache.ts';
import { serverName } from './declaration.ts';
import { createServer, type Server } from './server.ts';
import { settingsReader } from './settings.ts';
import type { ServerPlace } from './types.ts';

export interface KnownServer {
  readonly server: Server;
  /** Tells it from others, and its list on disk. */
  readonly digest: string;
  readonly lists: ListCache;
}

export interface Servers {
  /**
   * The server at that place; the same command, arguments and environment are the same one. A command that is a relative path is looked for
   * beside the file that names it first. Starts nothing.
   */
  at(place: ServerPlace, from?: string): Promise<KnownServer>;
  /** Ends those that run. */
  close(): Promise<void>;
}

export function createServers(world: World, warn: Warn): Servers {
  // A call that is stopped ends nothing that others use.
  const closing = new AbortController();
  const settingsOf = settingsReader({ ...world, signal: closing.signal }, warn);
  const known = new Map<string, Server>();
  let lists: Promise<ListCache> | undefined;
  const openLists = async () => listCache((await folders(world.env, world.files)).cache, world);
  return {
    async at(written, from) {
      const place = await beside(written, from, world);
      const settings = await settingsOf(place);
      const { digest } = settings;
      lists ??= openLists();
      const cache = await lists;
      const server =
        known.get(digest) ??
        createServer({ place, name: serverName(place), settings, lists: cache, warn }, world);
      known.set(digest, server);
      return { server, digest, lists: cache };
    },
    async close() {
      closing.abort();
      await Promise.all([...known.values()].map((server) => server.close()));
    },
  };
}

async function beside(
  place: ServerPlace,
  from: string | undefined,
  { files, cwd }: Pick<World, 'files' | 'cwd'>,
): Promise<ServerPlace> {
  if (place.kind !== 'program' || from === undefined) return place;
  const { command } = place;
  if (!/[\\/]/.test(command) || path.isAbsolute(command)) return place;
  const near = path.resolve(cwd, path.dirname(from), command);
  return (await isThere(near, files)) ? { ...place, command: near } : place;
}
