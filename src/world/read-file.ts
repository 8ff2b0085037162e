// Reading over node:fs: whole, from somewhere on, in pieces, as a digest. Synchronous; what goes wrong comes out as the system says it.

import * as fs from 'node:fs';
import { type Failure, usageFailure } from '../errors.ts';
import { attempt } from './file-failure.ts';
import type { FileStat, LoadedFile } from './types/files.ts';

export function readFrom(file: string, offset: number): Uint8Array {
  const descriptor = fs.openSync(file, WITHOUT_WAITING);
  try {
    const left = Math.max(0, fs.fstatSync(descriptor).size - offset);
    const buffer = Buffer.alloc(Math.min(left, MOST_AT_ONCE));
    return buffer.subarray(0, fs.readSync(descriptor, buffer, 0, buffer.length, offset));
  } finally {
    fs.closeSync(descriptor);
  }
}

export function readStart(file: string, limit: number): Uint8Array {
  const descriptor = fs.openSync(file, WITHOUT_WAITING);
  try {
    return readUpTo(descriptor, limit);
  } finally {
    fs.closeSync(descriptor);
  }
}

const MOST_AT_ONCE = 4 << 20;

const SHORT = 64 * 1024;
const NOT_ASCII = /[^\0-\x7f]/;
let shared: Buffer | undefined;

/** Without asking for the file's facts, and with one buffer for all: what is here between its reading and its text is nobody else's. */
export function readShort(file: string, isSure: boolean): string | undefined {
  const descriptor = fs.openSync(file, WITHOUT_WAITING);
  try {
    shared ??= Buffer.allocUnsafeSlow(SHORT);
    const length = fs.readSync(descriptor, shared, 0, SHORT, null);
    // A pipe without a writer gives nothing, too: what it is has to be found out in another way.
    if (length === 0) return undefined;
    if (isSure && fs.readSync(descriptor, shared, length, 1, null) > 0) return undefined;
    if (length === SHORT) return undefined;
    const text = shared.toString('latin1', 0, length);
    return NOT_ASCII.test(text) ? undefined : text;
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

export function readRegular(file: string): Uint8Array {
  const descriptor = fs.openSync(file, WITHOUT_WAITING);
  try {
    // A folder is told as such when it is read.
    if (factsOf(fs.fstatSync(descriptor)).kind === 'other') throw notRegular(file);
    return fs.readFileSync(descriptor);
  } finally {
    fs.closeSync(descriptor);
  }
}

const notRegular = (file: string): Failure =>
  usageFailure('not-a-file', `cannot read "${file}": it is no regular file`);

export function load(file: string, largest: number): LoadedFile {
  const descriptor = fs.openSync(file, WITHOUT_WAITING);
  try {
    const stat = factsOf(fs.fstatSync(descriptor));
    if (stat.kind !== 'file') throw notRegular(file);
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

export function factsOf(stat: fs.Stats): FileStat {
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

const PIECE = 1 << 18;

export async function* piecesOf(file: string): AsyncGenerator<Uint8Array> {
  const descriptor = attempt(file, 'read', () => fs.openSync(file, WITHOUT_WAITING));
  try {
    if (factsOf(fs.fstatSync(descriptor)).kind === 'other') throw notRegular(file);
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

export function digest(file: string): string {
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
