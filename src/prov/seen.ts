// What a walk saw of files and folders, as JSON, and whether it can be seen again.

import type { FileStat } from '../world/types.ts';
import { joining, type SharedPath, sharing } from './shared-paths.ts';
import type { ProvFiles } from './types.ts';

export type Version = readonly [size: number, modified: number, inode: number];

/** Paths, and what was there; `null` is nothing. */
export type Rows = readonly (readonly [path: string, version: Version | null])[];

/** What was seen of the file system. */
export interface SeenPlaces {
  /** Files by path: size, time of change in milliseconds, inode. */
  readonly files: Rows;
  /** Folders whose names were looked at. Their time shows that a name came or went. */
  readonly folders: Rows;
  /** Where paths lead without their links. */
  readonly real: readonly (readonly [path: string, real: string | null])[];
}

/** A path, and what was there; nothing, when the version is left out. */
type SeenPath = readonly [...path: SharedPath, version?: Version];

/** The same as it stands in the index. */
export interface Seen extends Pick<SeenPlaces, 'real'> {
  readonly files: readonly SeenPath[];
  /** Of a folder only its time counts, and which one it is. */
  readonly folders: readonly SeenPath[];
}

/** What can be relied on, of all that was seen. `isOld` tells whether a file that changed at this time (ms) cannot have changed again without showing. */
export function packSeen(
  { files, folders, real }: SeenPlaces,
  isOld: (modified: number) => boolean,
): { readonly isSettled: boolean; readonly seen: Seen } {
  const isSure = ([, version]: readonly [string, Version | null]) =>
    version === null || isOld(version[1]);
  return {
    isSettled: files.every(isSure) && folders.every(isSure),
    seen: { files: packed(files.filter(isSure)), folders: packed(folders), real },
  };
}

function packed(rows: Rows): readonly SeenPath[] {
  const share = sharing();
  return rows.map(([path, version]) =>
    version === null ? share(path) : [...share(path), version],
  );
}

/** The versions of the files, by path. */
export function* versionsIn({ files }: Seen): Generator<readonly [string, Version | null]> {
  const whole = joining();
  for (const [shared, rest, version] of files) yield [whole(shared, rest), version ?? null];
}

/** Whether everything is as it was. The cheapest looks come first. */
export function isStillSeen({ files, folders, real }: Seen, now: ProvFiles): boolean {
  for (const [place, known] of real) if (look(() => now.realPath(place)) !== known) return false;
  return areSame(folders, now, folderVersion) && areSame(files, now, fileVersion);
}

function areSame(
  rows: readonly SeenPath[],
  now: ProvFiles,
  versionOf: (stat: FileStat) => Version,
): boolean {
  const whole = joining();
  for (const [shared, rest, known] of rows) {
    const place = whole(shared, rest);
    const stat = look(() => now.stat(place));
    if (!isSame(known, stat && versionOf(stat))) return false;
  }
  return true;
}

/** Of a folder neither its size nor what is in its files matters. */
export const folderVersion = ({ modified, inode }: FileStat): Version => [0, modified, inode];

export const fileVersion = ({ size, modified, inode }: FileStat): Version => [
  size,
  modified,
  inode,
];

const isSame = (known: Version | undefined, found: Version | null | undefined): boolean =>
  known === undefined || !found
    ? known === undefined && !found
    : known[0] === found[0] && known[1] === found[1] && known[2] === found[2];

/** `null` in place of a failure: what may not be looked at is as good as not there. */
export function look<T>(see: () => T): T | null {
  try {
    return see();
  } catch {
    return null;
  }
}
