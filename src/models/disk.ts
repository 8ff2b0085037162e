// The few things that models need of the disk beyond the Files port: streams into a file that is flushed, digests of large files, folders.

import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import * as fs from 'node:fs/promises';
import { dirname } from 'node:path';
import { errorCode, Failure, workFailure } from '../errors.ts';

/** Writes what arrives behind the first `offset` bytes of the file (the rest is cut off), flushes it, and returns the new length. */
export async function writeStream(
  path: string,
  pieces: AsyncIterable<Uint8Array>,
  options: { readonly offset?: number; readonly onPiece?: (piece: Uint8Array) => void } = {},
): Promise<number> {
  const offset = options.offset ?? 0;
  const file = await fs
    .open(path, offset === 0 ? 'w' : 'r+')
    .catch((cause) => Promise.reject(diskFailure(path, cause)));
  let position = offset;
  try {
    await file.truncate(offset);
    for await (const piece of pieces) {
      await writeFully(file, piece, position, path);
      position += piece.length;
      options.onPiece?.(piece);
    }
    return position;
  } finally {
    // What arrived before a cut is worth keeping, also through a power loss.
    await file.sync().catch(() => {});
    await file.close();
  }
}

async function writeFully(
  file: fs.FileHandle,
  piece: Uint8Array,
  position: number,
  path: string,
): Promise<void> {
  let written = 0;
  while (written < piece.length) {
    try {
      const rest = piece.length - written;
      written += (await file.write(piece, written, rest, position + written)).bytesWritten;
    } catch (cause) {
      throw diskFailure(path, cause);
    }
  }
}

/** The sha256 of a file, hexadecimal. Rejects with the signal's reason. */
export async function digestOf(path: string, signal?: AbortSignal): Promise<string> {
  const hash = createHash('sha256');
  for await (const piece of createReadStream(path, { highWaterMark: 1 << 20 })) {
    signal?.throwIfAborted();
    hash.update(piece);
  }
  return hash.digest('hex');
}

/** Puts a finished file or folder at its place, in one step, and flushes the folder that names it. */
export async function moveIntoPlace(from: string, to: string): Promise<void> {
  try {
    await fs.rename(from, to);
  } catch (cause) {
    throw diskFailure(to, cause);
  }
  await flushFolder(dirname(to));
}

async function flushFolder(path: string): Promise<void> {
  try {
    const folder = await fs.open(path, 'r');
    await folder.sync().finally(() => folder.close());
  } catch {
    // Some systems cannot flush a folder; the rename is in order all the same.
  }
}

/** Removes a folder with all that is in it, if it is there. */
export async function removeFolder(path: string): Promise<void> {
  await fs.rm(path, { recursive: true, force: true });
}

/** A fresh folder whose name starts with the path given. */
export async function makeFolderLike(path: string): Promise<string> {
  try {
    await fs.mkdir(dirname(path), { recursive: true });
    return await fs.mkdtemp(path);
  } catch (cause) {
    throw diskFailure(path, cause);
  }
}

/** What the disk said, in our words. */
export function diskFailure(path: string, cause: unknown): Failure {
  if (cause instanceof Failure) return cause;
  const code = errorCode(cause);
  const full = code === 'ENOSPC' || code === 'EDQUOT' || code === 'EFBIG';
  if (full)
    return workFailure('disk-full', `no room left for "${path}"`, {
      next: 'make room and pull again: what has arrived is kept',
      cause,
    });
  return workFailure('save-failed', `cannot write "${path}" (${code || String(cause)})`, {
    next: 'check the permissions of its folder',
    cause,
  });
}
