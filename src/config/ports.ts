// Makes the ports of compiling from the world: finding names, reading files, fetching, and keeping what a chat configures.

import * as path from 'node:path';
import type { ConfigSetting, Grant, Place, Ports } from '../chat/types.ts';
import { errorWords, usageFailure } from '../errors.ts';
import { nearestNames } from '../nearest.ts';
import type { Warn } from '../types.ts';
import type { Files } from '../world/types/files.ts';
import type { Http } from '../world/types/network.ts';
import type { World } from '../world/types/world.ts';
import { homeFolder } from './folders.ts';
import { namesIn, searchPath } from './search.ts';

export type CompileWorld = Pick<
  World,
  'files' | 'http' | 'env' | 'cwd' | 'packageFolder' | 'signal'
>;

export interface CompileOptions {
  readonly warn: Warn;
  /** Remote addresses in `file` and `import` are fetched. */
  readonly allowRemote?: boolean;
  /** Tasks are listed as warnings instead of being run. */
  readonly noRun?: boolean;
}

/** The ports of one compile, and what the chat told through them so far. */
export interface Compiling {
  readonly ports: Ports;
  readonly configured: readonly ConfigSetting[];
  readonly grants: readonly Grant[];
}

/** Ports over the real (or a test's) world. The search path is looked up when a name needs it. */
export function compilePorts(world: CompileWorld, options: CompileOptions): Compiling {
  const configured: ConfigSetting[] = [];
  const grants: Grant[] = [];
  const { files, cwd } = world;
  let chats: Promise<readonly string[]> | undefined;
  const finder: Finder = {
    ...world,
    chats: () => {
      chats ??= searchPath('chats', world);
      return chats;
    },
  };
  const ports: Ports = {
    cwd,
    noRun: options.noRun === true,
    warn: options.warn,
    stat: (file) => files.stat(file),
    readStart: (file, limit) => files.readStart(file, limit),
    list: (folder) => files.list(folder),
    realPath: (file) => files.realPath(file),
    find: (name, from) => find(name, from, finder),
    configure: (setting) => void configured.push(setting),
    grant: (grant) => void grants.push(grant),
    ...(options.allowRemote === true ? { fetch: fetcher(world.http, world.signal) } : {}),
  };
  return { ports, configured, grants };
}

interface Finder extends CompileWorld {
  chats(): Promise<readonly string[]>;
}

const ADDRESS = /^https?:\/\//i;

async function find(name: string, from: string | undefined, finder: Finder): Promise<Place> {
  if (from !== undefined && ADDRESS.test(from)) return findRemote(name, from);
  const seen = new Set<string>();
  const tried: string[] = [];
  for await (const candidate of candidates(name, from, finder)) {
    if (seen.has(candidate)) continue;
    seen.add(candidate);
    const found = await look(candidate, finder.files);
    // What exists wins over an address of the same spelling.
    if (found === 'there') return { kind: 'path', path: candidate };
    tried.push(found === 'missing' ? candidate : `${candidate} (it may not be looked at)`);
  }
  if (ADDRESS.test(name)) return { kind: 'url', url: name };
  return { kind: 'missing', tried, nearest: await close(name, [...seen], finder.files) };
}

async function look(place: string, files: Pick<Files, 'stat'>) {
  try {
    return (await files.stat(place)) === undefined ? 'missing' : 'there';
  } catch {
    return 'hidden';
  }
}

async function* candidates(name: string, from: string | undefined, finder: Finder) {
  if (path.isAbsolute(name)) {
    yield path.normalize(name);
    return;
  }
  if (from !== undefined) yield path.resolve(finder.cwd, path.dirname(from), name);
  yield path.resolve(finder.cwd, name);
  if (name.startsWith('~/')) yield path.join(homeFolder(finder.env), name.slice(2));
  for (const folder of await finder.chats()) yield path.resolve(folder, name);
}

/** A remote chat names things of its own host, never files of this machine. */
function findRemote(name: string, from: string): Place {
  const url = URL.canParse(name, from) ? new URL(name, from) : undefined;
  if (url !== undefined && url.origin === new URL(from).origin)
    return { kind: 'url', url: url.href };
  return {
    kind: 'missing',
    tried: [`${url?.href ?? name} (a remote chat may only name things of its own host)`],
    nearest: [],
  };
}

async function close(
  name: string,
  tried: readonly string[],
  files: Pick<Files, 'stat' | 'list'>,
): Promise<readonly string[]> {
  const folders = [...new Set(tried.map((place) => path.dirname(place)))];
  const names = (await Promise.all(folders.map((folder) => namesIn(folder, files)))).flat();
  const near = nearestNames(path.basename(name), names);
  return near.map((each) => path.join(path.dirname(name), each));
}

/** Gets a remote file. Any trouble is a usage Failure: the chat names something that cannot be had. */
function fetcher(http: Http, signal: AbortSignal) {
  return async (url: string, limit: number): Promise<Uint8Array> => {
    const refuse = (why: string, cause?: unknown) =>
      usageFailure('remote-unreadable', `cannot fetch "${withoutUser(url)}": ${why}`, {
        next: 'check the address',
        ...(cause === undefined ? {} : { cause }),
      });
    const response = await http
      .send({
        method: 'GET',
        url,
        headers: { accept: '*/*' },
        signal,
        readTimeout: 30_000,
        redirects: 5,
      })
      .catch((error: unknown) => {
        if (signal.aborted) throw signal.reason;
        throw refuse(errorWords(error), error);
      });
    const pieces: Uint8Array[] = [];
    let length = 0;
    for await (const piece of response.body) {
      if (response.status !== 200) break;
      length += piece.length;
      if (length > limit) throw refuse(`it has more than ${limit} bytes`);
      pieces.push(piece);
    }
    if (response.status !== 200) throw refuse(`the server answered ${response.status}`);
    return Buffer.concat(pieces);
  };
}

function withoutUser(url: string): string {
  return url.replace(/^(https?:\/\/)[^/@]*@/i, '$1');
}
