// Looking at files and reading them, one system call after the other, over node:fs.

import * as fs from 'node:fs';
import { errorCode } from '../errors.ts';
import { attempt, fileFailure } from './file-failure.ts';
import { factsOf, load, readShort } from './read-file.ts';
import type { EntryKind, FileStat, FilesNow, FolderEntry } from './types/files.ts';

/** Files of this machine. */
export function createFilesNow(): FilesNow {
  return {
    load: (file, largest) => attempt(file, 'read', () => load(file, largest)),
    readShort(file, options) {
      try {
        return readShort(file, options?.sure === true);
      } catch (error) {
        throw fileFailure(file, 'read', error);
      }
    },
    stat: statOf,
    entries: (folder) => attempt(folder, 'list', () => entriesOf(folder)),
    kindAt,
    realPath: (file) => attempt(file, 'read', () => fs.realpathSync(file)),
  };
}

function statOf(file: string): FileStat | undefined {
  return orNothing(file, () => {
    const stat = fs.statSync(file, { throwIfNoEntry: false });
    return stat && factsOf(stat);
  });
}

function kindAt(file: string): EntryKind | undefined {
  return orNothing(file, () => {
    const stat = fs.lstatSync(file, { throwIfNoEntry: false });
    return stat === undefined ? undefined : kindOf(stat);
  });
}

function entriesOf(folder: string): readonly FolderEntry[] {
  const entries: FolderEntry[] = [];
  for (const entry of fs.readdirSync(folder, { withFileTypes: true }))
    entries.push({ name: entry.name, kind: kindOf(entry) });
  return entries.length < 2 ? entries : entries.sort(byName);
}

const byName = ({ name: one }: FolderEntry, { name: other }: FolderEntry): number =>
  one < other ? -1 : 1;

function kindOf(entry: fs.Stats | fs.Dirent): EntryKind {
  if (entry.isFile()) return 'file';
  if (entry.isDirectory()) return 'directory';
  return entry.isSymbolicLink() ? 'link' : 'other';
}

/** A path that leads nowhere is no failure: there is nothing. */
function orNothing<T>(file: string, look: () => T | undefined): T | undefined {
  try {
    return look();
  } catch (error) {
    const code = errorCode(error);
    if (
      code === 'ENOTDIR' ||
      code === 'ELOOP' ||
      code === 'ENAMETOOLONG' ||
      code === 'ERR_INVALID_ARG_VALUE'
    )
      return undefined;
    throw fileFailure(file, 'read', error);
  }
}
