// What reading provenance needs of the world, and what it may remember. Types only.

import type { Files, FilesNow } from '../../world/types/files.ts';
import type { Locks } from '../../world/types/locks.ts';
import type { Workers } from '../../world/types/workers.ts';

/** What is read at once. Files are loaded where there is no short way. */
export type ProvFiles = Omit<FilesNow, 'readShort'> & Partial<Pick<FilesNow, 'readShort'>>;

/** What reading provenance uses of the world. */
export interface ProvPorts {
  readonly files: Pick<Files, 'read' | 'stat'> & { readonly now: ProvFiles };
  /** Who holds a job that is not done. */
  readonly locks: Pick<Locks, 'holder' | 'isAlive'>;
  /** Absolute folders below which `Workflow/task/name` is looked for, first one first. */
  readonly jobFolders: readonly string[];
  /** Absolute. */
  readonly cwd: string;
  /** What was read before; nothing is remembered without it. */
  readonly memory?: Memory;
  /** Where the logs of many jobs are read beside the rest of the walk; all are read in turn without it. */
  readonly workers?: Workers;
}

/** Facts of files as they were when they were read. A cache: it may know nothing at any time. */
export interface Memory {
  /** What is known of the file at this path; the caller sees whether it is still the same file. */
  recall(path: string): Remembered | undefined;
}

/**
 * What tells one version of a file from another. Times are milliseconds; `later` is how long after its content its facts changed last: a file
 * whose time was set back after a change, as `touch -r` and copying programs do, is another version.
 */
export type Version = readonly [size: number, modified: number, inode: number, later: number];

export interface Remembered {
  readonly version: Version;
  readonly facts: unknown;
}
