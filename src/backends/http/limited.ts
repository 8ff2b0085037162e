// The end of an answer that has none: a server may send for ever, or a little that unpacks to very much. Reads nothing.

import { badReply, type Site } from './problems.ts';

/** More than the longest answer there is, with all that is said about each of its words, and less than one text can hold. */
const MOST_BYTES = 500_000_000;

/** The same body, which fails when more than `most` bytes of it have come. */
export async function* limited(
  body: AsyncIterable<Uint8Array>,
  site: Site,
  most: number = MOST_BYTES,
): AsyncGenerator<Uint8Array> {
  let size = 0;
  for await (const bytes of body) {
    size += bytes.length;
    if (size > most) throw badReply(site, 'sent more than one answer can be', '', false);
    yield bytes;
  }
}
