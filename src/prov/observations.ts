// What a walk saw of the world. A walk depends on nothing else: where all of it can be seen again, the walk would find the same.

import * as path from 'node:path';
import type { FileStat } from '../world/types/files.ts';
import type { ProcessMark } from '../world/types/locks.ts';
import { quietly } from './quietly.ts';
import { fileVersion, folderVersion, type SeenPlaces } from './seen.ts';
import type { ProvFiles, ProvPorts, Version } from './types/ports.ts';

/** Everything that was looked at, and what was there. As JSON. */
export interface Observations extends SeenPlaces {
  /** Who holds jobs that are not done. */
  readonly holders: readonly (readonly [path: string, holder: string | null])[];
  readonly alive: readonly (readonly [mark: ProcessMark, alive: boolean | null])[];
}

export interface Recording {
  /** Files and locks that see what the given ones see, and remember it. */
  readonly files: ProvFiles;
  readonly locks: Holders;
  /** What another one saw for this one. */
  add(seen: Observations): void;
  observations(): Observations;
}

type Holders = ProvPorts['locks'];

/** Watches a walk. Folders are looked at before their names are, so that what changes meanwhile shows later. */
export function record(files: ProvFiles, locks: Holders = NO_LOCKS): Recording {
  const seen = {
    files: new Map<string, Version | null>(),
    folders: new Map<string, Version | null>(),
    real: new Map<string, string | null>(),
    holders: new Map<string, string | null>(),
    alive: new Map<ProcessMark, boolean | null>(),
  };
  return {
    files: seeingFiles(files, seen),
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

interface Seen {
  readonly files: Map<string, Version | null>;
  readonly folders: Map<string, Version | null>;
  readonly real: Map<string, string | null>;
}

function seeingFiles(files: ProvFiles, seen: Seen): ProvFiles {
  const seeFolder = (folder: string): void => {
    if (!seen.folders.has(folder))
      seen.folders.set(
        folder,
        versionOf(
          quietly(() => files.stat(folder)),
          folderVersion,
        ),
      );
  };
  const seeing = <T>(
    file: string,
    read: () => T,
    statOf: (found: T) => FileStat | undefined,
  ): T => {
    seen.files.set(file, null);
    const found = read();
    seen.files.set(file, versionOf(statOf(found), fileVersion));
    return found;
  };
  return {
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
    entries(folder) {
      seeFolder(folder);
      return files.entries(folder);
    },
    kindAt(file) {
      seeFolder(path.dirname(file));
      return files.kindAt(file);
    },
    realPath(place) {
      seen.real.set(place, null);
      const real = files.realPath(place);
      seen.real.set(place, real);
      return real;
    },
  };
}

const versionOf = (stat: FileStat | undefined, of: (stat: FileStat) => Version): Version | null =>
  stat === undefined ? null : of(stat);

/** Of chats: nobody holds them. */
const NO_LOCKS: Holders = {
  holder: () => Promise.resolve(undefined),
  isAlive: () => Promise.resolve(undefined),
};

/** Whether those who held jobs that were not done still do. */
export async function stillHold(
  { holders, alive }: Pick<Observations, 'holders' | 'alive'>,
  locks: Holders,
): Promise<boolean> {
  for (const [place, known] of holders)
    if (((await locks.holder(place)) ?? null) !== known) return false;
  for (const [mark, known] of alive)
    if (((await locks.isAlive(mark)) ?? null) !== known) return false;
  return true;
}
