// Files of the index: JSON behind a checksum, so that a damaged one is as good as none.

import type { Files } from '../world/types.ts';

interface Header {
  readonly schema: string;
  /** What the file is about: names of index files are digests, and might meet. */
  readonly about: string;
  /** Of everything behind the first line. */
  readonly checksum: number;
}

/** The value that was written about something; undefined when there is none, or it is not whole, or another schema's. Never rejects. */
export async function readIndexFile(
  file: string,
  { schema, about }: Pick<Header, 'schema' | 'about'>,
  files: Pick<Files, 'read'>,
): Promise<unknown> {
  try {
    const bytes = await files.read(file);
    const headerEnd = bytes.indexOf(LINE_FEED);
    const header = JSON.parse(textOf(bytes.subarray(0, headerEnd))) as Header;
    const body = bytes.subarray(headerEnd + 1);
    const { crc32 } = await import('node:zlib');
    const isWhole =
      header.schema === schema && header.about === about && crc32(body) === header.checksum;
    return isWhole ? JSON.parse(textOf(body)) : undefined;
  } catch {
    return undefined;
  }
}

const LINE_FEED = 10;

const textOf = (bytes: Uint8Array): string => new TextDecoder().decode(bytes);

export async function printIndexFile(
  value: unknown,
  about: Pick<Header, 'schema' | 'about'>,
): Promise<Uint8Array> {
  const { crc32 } = await import('node:zlib');
  const body = Buffer.from(JSON.stringify(value));
  const header: Header = { ...about, checksum: crc32(body) };
  return Buffer.concat([Buffer.from(`${JSON.stringify(header)}\n`), body]);
}
