// Files of the index: parts of JSON, each with a checksum in front of them all, so that a damaged one is as good as none.

import type { Files } from '../world/types/files.ts';

interface Header extends IndexSubject {
  /** Whether all that was seen can be relied on: nothing had changed shortly before. */
  readonly isSettled: boolean;
  readonly found: Part;
  /** One after the other behind that, to the end. */
  readonly seen: readonly Part[];
}

interface Part {
  /** Bytes. */
  readonly length: number;
  readonly checksum: number;
}

export interface IndexSubject {
  readonly schema: string;
  /** What the file is about: names of index files are digests, and might meet. */
  readonly about: string;
}

/** An index file that is whole. */
export interface IndexFile {
  readonly isSettled: boolean;
  /** JSON of what was found. */
  readonly found: Uint8Array;
  /** JSON of what was seen, in parts. */
  readonly seen: readonly Uint8Array[];
}

/** Undefined when there is none, or it is not whole, or is about something else, or another schema's. Never rejects. */
export async function readIndexFile(
  file: string,
  { schema, about }: IndexSubject,
  files: Pick<Files, 'read'>,
): Promise<IndexFile | undefined> {
  try {
    const bytes = await files.read(file);
    const headerEnd = bytes.indexOf(LINE_FEED);
    const header = jsonOf(bytes.subarray(0, headerEnd)) as Header;
    if (header.schema !== schema || header.about !== about) return undefined;
    let at = headerEnd + 1;
    const parts: Uint8Array[] = [];
    for (const part of [header.found, ...header.seen]) {
      const content = bytes.subarray(at, at + part.length);
      if (!(await isWhole(content, part))) return undefined;
      parts.push(content);
      at += part.length;
    }
    const [found, ...seen] = parts;
    if (found === undefined || at !== bytes.length) return undefined;
    return { isSettled: header.isSettled, found, seen };
  } catch {
    return undefined;
  }
}

const LINE_FEED = 10;

/** Bytes of JSON as the value. */
export const jsonOf = (bytes: Uint8Array): unknown => JSON.parse(new TextDecoder().decode(bytes));

async function isWhole(bytes: Uint8Array, { length, checksum }: Part): Promise<boolean> {
  const { crc32 } = await import('node:zlib');
  return bytes.length === length && crc32(bytes) === checksum;
}

/** The content of an index file. */
export async function printIndexFile(
  {
    isSettled,
    found,
    seen,
  }: { readonly isSettled: boolean; readonly found: unknown; readonly seen: readonly unknown[] },
  { schema, about }: IndexSubject,
): Promise<Uint8Array> {
  const { crc32 } = await import('node:zlib');
  const parts = [found, ...seen].map((value) => Buffer.from(JSON.stringify(value)));
  const [foundPart, ...seenParts] = parts.map((bytes) => ({
    length: bytes.length,
    checksum: crc32(bytes),
  }));
  const header = { schema, about, isSettled, found: foundPart, seen: seenParts };
  return Buffer.concat([Buffer.from(`${JSON.stringify(header)}\n`), ...parts]);
}
