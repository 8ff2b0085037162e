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

/** A part of it as it stands in the index. */
export interface Seen extends Pick<SeenPlaces, 'real'> {
  readonly files: SeenPaths;
  /** Of a folder only its time counts, and which one it is. */
  readonly folders: SeenPaths;
}

interface SeenPaths extends PackedPaths {
  /** The numbers of the version of each path; as many nulls for nothing. */
  readonly versions: readonly (number | null)[];
}

/** So many paths are one part: they are looked at again in some 30 ms. */
const AT_ONCE = 8192;

/** What can be relied on, of all that was seen, in parts. `isOld` tells whether a file that changed at this time (ms) cannot have changed again without showing. */
export function packSeen(
  { files, folders, real }: SeenPlaces,
  isOld: (changed: number) => boolean,
): { readonly isSettled: boolean; readonly seen: readonly Seen[] } {
  const isSure = ([, version]: readonly [string, Version | null]) =>
    version === null || isOld(version[1] + Math.max(0, version[3]));
  const sure = files.filter(isSure);
  const parts = Math.ceil((sure.length + folders.length + real.length) / AT_ONCE);
  const share = <T>(all: readonly T[], part: number): readonly T[] =>
    all.slice((all.length * part) / parts, (all.length * (part + 1)) / parts);
  return {
    isSettled: sure.length === files.length && folders.every(isSure),
    seen: Array.from({ length: parts }, (_, part) => ({
      files: packed(share(sure, part)),
      folders: packed(share(folders, part)),
      real: share(real, part),
    })),
  };
}

const packed = (rows: Rows): SeenPaths => ({
  ...packPaths(rows.map(([path]) => path)),
  versions: rows.flatMap(([, version]) => version ?? NOTHING),
});

const NOTHING = [null, null, null, null] as const;
const WIDTH = NOTHING.length;

/** The versions of the files, by path. */
export const versionsIn = (seen: readonly Seen[]): Rows =>
  seen.flatMap(({ files }) =>
    unpackPaths(files).map((path, index) => [path, versionAt(files, index)] as const),
  );

function versionAt({ versions }: SeenPaths, index: number): Version | null {
  const [size, modified, inode, later] = versions.slice(WIDTH * index, WIDTH * (index + 1));
  return typeof size === 'number' ? [size, modified ?? 0, inode ?? 0, later ?? 0] : null;
}

/** Whether everything of a part is as it was. The cheapest looks come first. */
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
