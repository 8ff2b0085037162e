// What a walk saw of the world. A walk depends on nothing else: where all of it can be seen again, the walk would find the same.

import * as path from 'node:path';
import type { FileStat, ProcessMark } from '../world/types.ts';
import type { ProvPorts } from './types.ts';

/** Everything that was looked at, and what was there; `null` is nothing. As JSON. */
export interface Observations {
  /** Files by path: size, time of change in milliseconds, inode. */
  readonly files: readonly (readonly [path: string, version: Version | null])[];
  /** Folders whose names were looked at. Their time shows that a name came or went. */
  readonly folders: readonly (readonly [path: string, version: Version | null])[];
  /** Where paths lead without their links. */
  readonly real: readonly (readonly [path: string, real: string | null])[];
  /** Who holds jobs that are not done. */
  readonly holders: readonly (readonly [path: string, holder: string | null])[];
  readonly alive: readonly (readonly [mark: ProcessMark, alive: boolean | null])[];
}

export type Version = readonly [size: number, modified: number, inode: number];

type Ports = Pick<ProvPorts, 'files' | 'locks'>;

export interface Recording {
  /** Ports that see what the given ones see, and remember it. */
  readonly ports: Ports;
  /** What another one saw for this one. */
  add(seen: Observations): void;
  observations(): Observations;
}

/** Watches a walk. Folders are looked at before their names are, so that what changes meanwhile shows later. */
export function record({ files, locks }: Ports): Recording {
  const seen = {
    files: new Map<string, Version | null>(),
    folders: new Map<string, Version | null>(),
    real: new Map<string, string | null>(),
    holders: new Map<string, string | null>(),
    alive: new Map<ProcessMark, boolean | null>(),
  };
  const seeFolder = async (folder: string): Promise<void> => {
    if (!seen.folders.has(folder))
      seen.folders.set(folder, await look(() => files.stat(folder), folderVersion));
  };
  const seeing = async <T>(
    file: string,
    read: () => Promise<T>,
    statOf: (found: T) => FileStat | undefined,
  ): Promise<T> => {
    try {
      const found = await read();
      seen.files.set(file, versionOf(statOf(found)));
      return found;
    } catch (error) {
      seen.files.set(file, null);
      throw error;
    }
  };
  return {
    ports: {
      files: {
        read: (file) => files.read(file),
        load: (file, largest) =>
          seeing(
            file,
            () => files.load(file, largest),
            ({ stat }) => stat,
          ),
        stat: (file) =>
          seeing(
            file,
            () => files.stat(file),
            (stat) => stat,
          ),
        async entries(folder) {
          await seeFolder(folder);
          return files.entries(folder);
        },
        async kindAt(file) {
          await seeFolder(path.dirname(file));
          return files.kindAt(file);
        },
        async realPath(place) {
          seen.real.set(place, null);
          const real = await files.realPath(place);
          seen.real.set(place, real);
          return real;
        },
      },
      locks: {
        async holder(place) {
          const holder = await locks.holder(place);
          seen.holders.set(place, holder ?? null);
          return holder;
        },
        async isAlive(mark) {
          const alive = await locks.isAlive(mark);
          seen.alive.set(mark, alive ?? null);
          return alive;
        },
      },
    },
    add({ files: others, folders, real }) {
      for (const [file, version] of others) seen.files.set(file, version);
      // A folder's first look is the one that counts.
      for (const [folder, version] of folders)
        if (!seen.folders.has(folder)) seen.folders.set(folder, version);
      for (const [place, leads] of real) seen.real.set(place, leads);
    },
    observations: () => ({
      files: [...seen.files],
      folders: [...seen.folders],
      real: [...seen.real],
      holders: [...seen.holders],
      alive: [...seen.alive],
    }),
  };
}

/** Whether everything is as it was seen. The cheapest looks come first. */
export async function stillHold(
  { files: seenFiles, folders, real, holders, alive }: Observations,
  { files, locks }: Ports,
): Promise<boolean> {
  for (const [place, known] of real)
    if (
      (await look(
        () => files.realPath(place),
        (found) => found,
      )) !== known
    )
      return false;
  for (const [folder, known] of folders)
    if (!isSame(known, await look(() => files.stat(folder), folderVersion))) return false;
  for (const [file, known] of seenFiles)
    if (!isSame(known, await look(() => files.stat(file), versionOf))) return false;
  for (const [place, known] of holders)
    if (((await locks.holder(place)) ?? null) !== known) return false;
  for (const [mark, known] of alive)
    if (((await locks.isAlive(mark)) ?? null) !== known) return false;
  return true;
}

/** Of a folder neither its size nor what is in its files matters. */
const folderVersion = (stat: FileStat | undefined): Version | null =>
  stat === undefined ? null : [0, stat.modified, stat.inode];

const versionOf = (stat: FileStat | undefined): Version | null =>
  stat === undefined ? null : [stat.size, stat.modified, stat.inode];

const isSame = (one: Version | null, other: Version | null): boolean =>
  one === other ||
  (one !== null &&
    other !== null &&
    one[0] === other[0] &&
    one[1] === other[1] &&
    one[2] === other[2]);

async function look<Found, Seen>(
  see: () => Promise<Found>,
  what: (found: Found) => Seen,
): Promise<Seen | null> {
  try {
    return what(await see());
  } catch {
    return null;
  }
}
