// Files over node:fs. Whole files are replaced by a renamed neighbour, appends are one write that is taken back when it fails.

import * as fs from 'node:fs';
import * as path from 'node:path';
import { errorCode } from '../errors.ts';
import { writeAll, writePieces, writeWhole } from './beside.ts';
import { attempt } from './file-failure.ts';
import { createFilesNow } from './files-now.ts';
import { makeFolder } from './make-folder.ts';
import { digest, piecesOf, readFrom, readRegular, readStart } from './read-file.ts';
import type { Files } from './types/files.ts';

/** Files of this machine. Reading is synchronous below its promise: one system call each costs less than a round through the thread pool. */
export function createFiles(): Files {
  const now = createFilesNow();
  return {
    now,
    read: async (file, options) =>
      attempt(file, 'read', () =>
        options?.anyKind === true ? fs.readFileSync(file) : readRegular(file),
      ),
    load: async (file, largest) => now.load(file, largest),
    readStart: async (file, limit) => attempt(file, 'read', () => readStart(file, limit)),
    readFrom: async (file, offset) => attempt(file, 'read', () => readFrom(file, offset)),
    stat: async (file) => now.stat(file),
    isWritable: async (file) => isWritable(file),
    list: async (folder) => attempt(folder, 'list', () => fs.readdirSync(folder).sort()),
    entries: async (folder) => now.entries(folder),
    kindAt: async (file) => now.kindAt(file),
    realPath: async (file) => now.realPath(file),
    pieces: (file) => piecesOf(file),
    digest: async (file) => attempt(file, 'read', () => digest(file)),
    write: async (file, data, options) =>
      attempt(file, 'write', () => writeWhole(file, data, options)),
    writePieces: (file, pieces) =>
      writePieces(file, pieces, (work) => attempt(file, 'write', work)),
    append: async (file, text, options) =>
      attempt(file, 'append to', () => appendText(file, text, options?.flush)),
    rename: async (file, to) => attempt(to, 'write', () => fs.renameSync(file, to)),
    makeFolder: async (folder, options) =>
      attempt(folder, 'create', () => makeFolder(folder, options?.mode)),
    makeFolderNow: (folder) => attempt(folder, 'create', () => makeFolder(folder)),
    remove: async (file) => attempt(file, 'remove', () => fs.rmSync(file, { force: true })),
    removeFolder: async (folder) =>
      attempt(folder, 'remove', () => fs.rmSync(folder, { force: true, recursive: true })),
  };
}

function isWritable(file: string): boolean {
  try {
    fs.accessSync(file, fs.constants.W_OK);
    return true;
  } catch (error) {
    if (errorCode(error) !== 'ENOENT') return false;
  }
  try {
    // The working directory may be gone.
    let folder = path.dirname(path.resolve(file));
    while (!fs.existsSync(folder) && path.dirname(folder) !== folder) folder = path.dirname(folder);
    fs.accessSync(folder, fs.constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

/** Appends with one write; cuts the file back to its old size when the write does not go through. */
export function appendText(file: string, text: string, flush = true): void {
  const descriptor = fs.openSync(file, 'a');
  try {
    const stat = fs.fstatSync(descriptor);
    try {
      writeAll(descriptor, Buffer.from(text));
      // A pipe or a device keeps nothing.
      if (flush && stat.isFile()) fs.fsyncSync(descriptor);
    } catch (error) {
      if (stat.isFile()) fs.ftruncateSync(descriptor, stat.size);
      throw error;
    }
  } finally {
    fs.closeSync(descriptor);
  }
}
