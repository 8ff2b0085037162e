// Files that are made beside their place and then put there: at the place stands what was, or the whole new content, never a part.

import * as fs from 'node:fs';
import * as path from 'node:path';
import { errorCode } from '../errors.ts';
import { freshName } from './fresh-name.ts';
import { makeFolder } from './make-folder.ts';

export interface WriteOptions {
  readonly mode?: number;
  /** Default true. */
  readonly flush?: boolean;
  /** A link at the place is replaced, and what it leads to stays as it is. */
  readonly replacesLink?: boolean;
}

/** Replaces the file as a whole. Throws what the system says. */
export function writeWhole(
  file: string,
  data: string | Uint8Array,
  { mode, flush = true, replacesLink = false }: WriteOptions = {},
): void {
  const beside = openBeside(file, mode, replacesLink);
  try {
    beside.write(data);
    beside.put(flush);
  } finally {
    beside.abandon();
  }
}

/** The same for content that arrives in pieces; `wrap` marks what the system says, so that it is told apart from what the pieces reject with. */
export async function writePieces(
  file: string,
  pieces: AsyncIterable<string | Uint8Array>,
  wrap: (work: () => void) => void,
): Promise<void> {
  let beside: Beside | undefined;
  const open = () => {
    beside = openBeside(file);
  };
  wrap(open);
  try {
    for await (const piece of pieces) wrap(() => beside?.write(piece));
    wrap(() => beside?.put(true));
  } finally {
    beside?.abandon();
  }
}

interface Beside {
  write(data: string | Uint8Array): void;
  put(flush: boolean): void;
  /** Removes it, unless it was put in its place. */
  abandon(): void;
}

function openBeside(file: string, mode?: number, replacesLink = false): Beside {
  const { target, before } = placeOf(file, replacesLink);
  if (before !== undefined && !before.isFile()) return openInPlace(target, before);
  const folder = path.dirname(target);
  const name = path.join(folder, `.${path.basename(target)}.${freshName()}.tmp`);
  let open: number | undefined = openNew(name, folder, mode ?? (before?.mode ?? 0o666) & 0o7777);
  let placed = false;
  const close = () => {
    const descriptor = open;
    open = undefined;
    if (descriptor !== undefined) fs.closeSync(descriptor);
  };
  return {
    write(data) {
      if (open !== undefined) writeAll(open, typeof data === 'string' ? Buffer.from(data) : data);
    },
    put(flush) {
      if (open === undefined) return;
      // The mode at opening is subject to the mask of this process.
      if (before !== undefined && mode === undefined) fs.fchmodSync(open, before.mode & 0o7777);
      if (flush) fs.fsyncSync(open);
      close();
      fs.renameSync(name, target);
      placed = true;
    },
    abandon() {
      if (placed) return;
      try {
        close();
      } finally {
        fs.rmSync(name, { force: true });
      }
    },
  };
}

/** A device or a pipe is written to as it is: a file in its place would be the end of it. */
function openInPlace(file: string, stat: fs.Stats): Beside {
  if (stat.isDirectory()) throw Object.assign(new Error('it is a folder'), { code: 'EISDIR' });
  // What is open already may be a file that somebody else has written to.
  const descriptor = fs.openSync(file, 'a');
  let isOpen = true;
  const close = () => {
    if (isOpen) fs.closeSync(descriptor);
    isOpen = false;
  };
  return {
    write(data) {
      writeAll(descriptor, typeof data === 'string' ? Buffer.from(data) : data);
    },
    put: close,
    abandon: close,
  };
}

/** A link is followed, so that it stays a link and its target is what changes; or it is replaced. */
function placeOf(
  file: string,
  replacesLink: boolean,
): { readonly target: string; readonly before?: fs.Stats } {
  const before = fs.lstatSync(file, { throwIfNoEntry: false });
  if (before === undefined) return { target: file };
  if (!before.isSymbolicLink()) return { target: file, before };
  if (replacesLink || !fs.existsSync(file)) return { target: file };
  const stat = fs.statSync(file);
  // `/dev/stdout` and the like lead to what has no path of its own.
  return { target: stat.isFile() ? fs.realpathSync(file) : file, before: stat };
}

function openNew(name: string, folder: string, mode: number): number {
  try {
    return fs.openSync(name, 'wx', mode);
  } catch (error) {
    if (errorCode(error) !== 'ENOENT') throw error;
    makeFolder(folder);
    return fs.openSync(name, 'wx', mode);
  }
}

/** A regular file takes everything in one call, except when the disk fills up or the kernel's 2 GiB limit is met. */
export function writeAll(descriptor: number, bytes: Uint8Array): void {
  let offset = 0;
  while (offset < bytes.length) {
    const written = fs.writeSync(descriptor, bytes, offset);
    if (written === 0) throw Object.assign(new Error('no space left'), { code: 'ENOSPC' });
    offset += written;
  }
}
