// Files over node:fs. Whole files are replaced by a renamed neighbour, appends are one write that is taken back when it fails.

import { isAscii } from 'node:buffer';
import * as fs from 'node:fs';
import * as path from 'node:path';
import { EXIT, Failure, type FailureFields, usageFailure } from '../errors.ts';
import { writeAll, writePieces, writeWhole } from './beside.ts';
import { codeOf } from './error-code.ts';
import type { EntryKind, FileStat, Files, FolderEntry, LoadedFile } from './types.ts';

/** Files of this machine. Reading is synchronous below its promise: one system call each costs less than a round through the thread pool. */
export function createFiles(): Files {
  return {
    read: async (file) => attempt(file, 'read', () => fs.readFileSync(file)),
    load: async (file, largest) => attempt(file, 'read', () => load(file, largest)),
    readShort: async (file) => attempt(file, 'read', () => readShort(file)),
    readStart: async (file, limit) => attempt(file, 'read', () => readStart(file, limit)),
    readFrom: async (file, offset) => attempt(file, 'read', () => readFrom(file, offset)),
    stat: async (file) => statOf(file),
    isWritable: async (file) => isWritable(file),
    list: async (folder) => attempt(folder, 'list', () => fs.readdirSync(folder).sort()),
    entries: async (folder) => attempt(folder, 'list', () => entriesOf(folder)),
    kindAt: async (file) => kindAt(file),
    realPath: async (file) => attempt(file, 'read', () => fs.realpathSync(file)),
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
      attempt(folder, 'create', () => void fs.mkdirSync(folder, { recursive: true, ...options })),
    makeFolderNow: (folder) =>
      attempt(folder, 'create', () => void fs.mkdirSync(folder, { recursive: true })),
    remove: async (file) => attempt(file, 'remove', () => fs.rmSync(file, { force: true })),
    removeFolder: async (folder) =>
      attempt(folder, 'remove', () => fs.rmSync(folder, { force: true, recursive: true })),
  };
}

function readFrom(file: string, offset: number): Uint8Array {
  const descriptor = fs.openSync(file, 'r');
  try {
    const buffer = Buffer.alloc(Math.max(0, fs.fstatSync(descriptor).size - offset));
    return buffer.subarray(0, fs.readSync(descriptor, buffer, 0, buffer.length, offset));
  } finally {
    fs.closeSync(descriptor);
  }
}

function readStart(file: string, limit: number): Uint8Array {
  const descriptor = fs.openSync(file, 'r');
  try {
    return readUpTo(descriptor, limit);
  } finally {
    fs.closeSync(descriptor);
  }
}

const SHORT = 64 * 1024;
let shared: Buffer | undefined;

/** Without asking for the file's facts, and with one buffer for all: what is here between its reading and its text is nobody else's. */
function readShort(file: string): string | undefined {
  const descriptor = fs.openSync(file, WITHOUT_WAITING);
  try {
    shared ??= Buffer.allocUnsafeSlow(SHORT);
    const length = fs.readSync(descriptor, shared, 0, SHORT, null);
    if (length === SHORT || !isAscii(shared.subarray(0, length))) return undefined;
    return shared.toString('latin1', 0, length);
  } finally {
    fs.closeSync(descriptor);
  }
}

function readUpTo(descriptor: number, limit: number): Uint8Array {
  const buffer = Buffer.allocUnsafe(limit);
  let length = 0;
  while (length < limit) {
    const read = fs.readSync(descriptor, buffer, length, limit - length, null);
    if (read === 0) break;
    length += read;
  }
  return buffer.subarray(0, length);
}

/** Opened so that nobody waits for the other end of a pipe. */
const WITHOUT_WAITING = fs.constants.O_RDONLY | (fs.constants.O_NONBLOCK ?? 0);

function load(file: string, largest: number): LoadedFile {
  const descriptor = fs.openSync(file, WITHOUT_WAITING);
  try {
    const stat = factsOf(fs.fstatSync(descriptor));
    if (stat.kind !== 'file')
      throw usageFailure('not-a-file', `cannot read "${file}": it is no regular file`);
    if (stat.size > largest)
      throw usageFailure(
        'file-too-large',
        `cannot read "${file}": it has ${Math.round(stat.size / 1e6)} MB, and ${Math.round(largest / 1e6)} MB are the most`,
      );
    return { bytes: readUpTo(descriptor, stat.size), stat };
  } finally {
    fs.closeSync(descriptor);
  }
}

function statOf(file: string): FileStat | undefined {
  return orNothing(file, () => {
    const stat = fs.statSync(file, { throwIfNoEntry: false });
    return stat && factsOf(stat);
  });
}

function factsOf(stat: fs.Stats): FileStat {
  return {
    kind: stat.isFile() ? 'file' : stat.isDirectory() ? 'directory' : 'other',
    size: stat.size,
    modified: stat.mtimeMs,
    changed: stat.ctimeMs,
    device: stat.dev,
    inode: stat.ino,
    mode: stat.mode & 0o7777,
  };
}

function kindAt(file: string): EntryKind | undefined {
  return orNothing(file, () => {
    const stat = fs.lstatSync(file, { throwIfNoEntry: false });
    return stat === undefined ? undefined : kindOf(stat);
  });
}

function entriesOf(folder: string): readonly FolderEntry[] {
  return fs
    .readdirSync(folder, { withFileTypes: true })
    .map((entry) => ({ name: entry.name, kind: kindOf(entry) }))
    .sort((one, other) => (one.name < other.name ? -1 : 1));
}

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
    const code = codeOf(error);
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

function isWritable(file: string): boolean {
  try {
    fs.accessSync(file, fs.constants.W_OK);
    return true;
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') return false;
  }
  let folder = path.dirname(path.resolve(file));
  while (!fs.existsSync(folder) && path.dirname(folder) !== folder) folder = path.dirname(folder);
  try {
    fs.accessSync(folder, fs.constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

const PIECE = 1 << 18;

async function* piecesOf(file: string): AsyncGenerator<Uint8Array> {
  const descriptor = attempt(file, 'read', () => fs.openSync(file, 'r'));
  try {
    for (;;) {
      const buffer = Buffer.allocUnsafe(PIECE);
      const length = attempt(file, 'read', () => fs.readSync(descriptor, buffer, 0, PIECE, null));
      if (length === 0) return;
      yield buffer.subarray(0, length);
    }
  } finally {
    fs.closeSync(descriptor);
  }
}

function digest(file: string): string {
  const hash = process.getBuiltinModule('node:crypto').createHash('sha256');
  const descriptor = fs.openSync(file, 'r');
  try {
    const buffer = Buffer.alloc(1 << 18);
    for (;;) {
      const length = fs.readSync(descriptor, buffer, 0, buffer.length, null);
      if (length === 0) return hash.digest('hex');
      hash.update(buffer.subarray(0, length));
    }
  } finally {
    fs.closeSync(descriptor);
  }
}

/** Appends with one write; cuts the file back to its old size when the write does not go through. */
export function appendText(file: string, text: string, flush = true): void {
  const descriptor = fs.openSync(file, 'a');
  try {
    const size = fs.fstatSync(descriptor).size;
    try {
      writeAll(descriptor, Buffer.from(text));
      if (flush) fs.fsyncSync(descriptor);
    } catch (error) {
      if (fs.fstatSync(descriptor).isFile()) fs.ftruncateSync(descriptor, size);
      throw error;
    }
  } finally {
    fs.closeSync(descriptor);
  }
}

function attempt<T>(file: string, doing: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw fileFailure(file, doing, error);
  }
}

const REASONS: Readonly<Record<string, Pick<FailureFields, 'code' | 'message'>>> = {
  ENOENT: { code: 'missing-file', message: 'no such file' },
  ENOTDIR: { code: 'missing-file', message: 'a part of the path is not a folder' },
  EISDIR: { code: 'is-folder', message: 'it is a folder' },
  EACCES: { code: 'no-permission', message: 'permission denied' },
  EPERM: { code: 'no-permission', message: 'operation not permitted' },
  EROFS: { code: 'read-only', message: 'the file system is read-only' },
  ENOSPC: { code: 'disk-full', message: 'the disk is full' },
  EDQUOT: { code: 'disk-full', message: 'the disk quota is used up' },
  EFBIG: { code: 'disk-full', message: 'the limit for the size of a file is reached' },
  ELOOP: { code: 'link-loop', message: 'its links lead in a circle' },
  ENAMETOOLONG: { code: 'missing-file', message: 'the name is too long' },
  EMFILE: { code: 'too-many-files', message: 'too many open files' },
};

const NEXT: Readonly<Record<string, string>> = {
  'disk-full':
    'free some space and run the same command again; what stood in the file is unchanged',
  'no-permission': `look at its permissions with \`ls -l\``,
};

/** What went wrong with a file, as a Failure that names it. Reading problems are wrong use (2), writing problems failed work (1). */
export function fileFailure(file: string, doing: string, error: unknown): Failure {
  if (error instanceof Failure) return error;
  const code = codeOf(error);
  const known = REASONS[code];
  const next = NEXT[known?.code ?? ''];
  return new Failure({
    code: known?.code ?? 'file-trouble',
    message: `cannot ${doing} "${file}": ${known?.message ?? (error instanceof Error ? error.message : String(error))}`,
    exitCode: doing === 'read' || doing === 'list' ? EXIT.usage : EXIT.work,
    cause: error,
    ...(next === undefined ? {} : { next }),
  });
}
