// What a walk saw of files and folders, as JSON, and whether it can be seen again.

import type { FileStat } from '../world/types/files.ts';
import { quietly } from './quietly.ts';
import { type PackedPaths, packPaths, unpackPaths } from './shared-paths.ts';
import type { ProvFiles, Version } from './types/ports.ts';

/** Paths, and what was there; `null` is nothing. */
export type Rows = readonly (readonly [path: string, version: Version | null])[];

/** What was seen of the file system. */
export interface SeenPlaces {
  /** Files by path. */
  readonly files: Rows;
  /** Folders whose names were looked at. Their time shows that a name came or went. */
  readonly folders: Rows;
  /** Where paths lead without their links. */
  readonly real: readonly (readonly [path: string, real: string | null])[];
}

/** The same as it stands in the index. */
export interface Seen extends Pick<SeenPlaces, 'real'> {
  readonly files: SeenPaths;
  /** Of a folder only its time counts, and which one it is. */
  readonly folders: SeenPaths;
}

interface SeenPaths extends PackedPaths {
  /** The numbers of the version of each path; as many nulls for nothing. */
  readonly versions: readonly (number | null)[];
}

/** What can be relied on, of all that was seen. `isOld` tells whether a file that changed at this time (ms) cannot have changed again without showing. */
export function packSeen(
  { files, folders, real }: SeenPlaces,
  isOld: (changed: number) => boolean,
): { readonly isSettled: boolean; readonly seen: Seen } {
  const isSure = ([, version]: readonly [string, Version | null]) =>
    version === null || isOld(version[1] + Math.max(0, version[3]));
  return {
    isSettled: files.every(isSure) && folders.every(isSure),
    seen: { files: packed(files.filter(isSure)), folders: packed(folders), real },
  };
}

const packed = (rows: Rows): SeenPaths => ({
  ...packPaths(rows.map(([path]) => path)),
  versions: rows.flatMap(([, version]) => version ?? NOTHING),
});

const NOTHING = [null, null, null, null] as const;
const WIDTH = NOTHING.length;

/** The versions of the files, by path. */
export const versionsIn = ({ files }: Seen): Rows =>
  unpackPaths(files).map((path, index) => [path, versionAt(files, index)]);

function versionAt({ versions }: SeenPaths, index: number): Version | null {
  const [size, modified, inode, later] = versions.slice(WIDTH * index, WIDTH * (index + 1));
  return typeof size === 'number' ? [size, modified ?? 0, inode ?? 0, later ?? 0] : null;
}

/** Whether everything is as it was. The cheapest looks come first. */
export function isStillSeen({ files, folders, real }: Seen, now: ProvFiles): boolean {
  for (const [place, known] of real)
    if ((quietly(() => now.realPath(place)) ?? null) !== known) return false;
  return areSame(folders, now, folderVersion) && areSame(files, now, fileVersion);
}

function areSame(
  packed: SeenPaths,
  now: ProvFiles,
  versionOf: (stat: FileStat) => Version,
): boolean {
  const { versions } = packed;
  return unpackPaths(packed).every((place, index) => {
    const stat = quietly(() => now.stat(place));
    const [size, modified, inode, later] = stat ? versionOf(stat) : NOTHING;
    const at = WIDTH * index;
    return (
      versions[at] === size &&
      versions[at + 1] === modified &&
      versions[at + 2] === inode &&
      versions[at + 3] === later
    );
  });
}

/** Of a folder neither its size nor what is in its files matters. */
export const folderVersion = ({ modified, inode, changed }: FileStat): Version => [
  0,
  modified,
  inode,
  changed - modified,
];

export const fileVersion = ({ size, modified, inode, changed }: FileStat): Version => [
  size,
  modified,
  inode,
  changed - modified,
];
