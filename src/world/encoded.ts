// Bodies that a server or a proxy sends compressed although they were asked for as they are. Nothing else is read out of them.

import type { Transform } from 'node:stream';

/**
 * The body as its text was before it was compressed, each piece as soon as it can be read; the body itself when its encoding is none or
 * one that is not known. A body that breaks off rejects as it would have without this; one that is not what it says rejects with a code.
 * `leave` is called when nobody reads on: the body may be waiting for its next piece then, and would not notice.
 */
export function decoded(
  body: AsyncIterable<Uint8Array>,
  encoding: string | undefined,
  leave: () => void,
): AsyncIterable<Uint8Array> {
  // The last one named was put on last.
  const names = (encoding ?? '').split(',').map((name) => name.trim().toLowerCase());
  const codings = names.filter((name) => name !== '' && name !== 'identity').reverse();
  return codings.length > 0 && codings.every((name) => KNOWN.has(name))
    ? through(body, codings, leave)
    : body;
}

const KNOWN: ReadonlySet<string> = new Set(['gzip', 'x-gzip', 'deflate', 'br', 'zstd']);

/** Node has it from 22.15 on. */
function zstdDecoder(zlib: object): Transform {
  if ('createZstdDecompress' in zlib && typeof zlib.createZstdDecompress === 'function')
    return zlib.createZstdDecompress();
  throw Object.assign(new Error('this version of Node does not read zstd'), { code: 'NO_ZSTD' });
}

async function* through(
  body: AsyncIterable<Uint8Array>,
  codings: readonly string[],
  leave: () => void,
): AsyncGenerator<Uint8Array> {
  const [stream, zlib] = await Promise.all([import('node:stream'), import('node:zlib')]);
  const decoder = (coding: string): Transform => {
    // What has arrived is handed on at once: the next piece may be long in coming.
    const { Z_SYNC_FLUSH: flush, BROTLI_OPERATION_FLUSH } = zlib.constants;
    if (coding === 'br')
      return zlib.createBrotliDecompress({
        flush: BROTLI_OPERATION_FLUSH,
        finishFlush: BROTLI_OPERATION_FLUSH,
      });
    if (coding === 'zstd') return zstdDecoder(zlib);
    const options = { flush, finishFlush: flush };
    return coding === 'deflate' ? zlib.createInflate(options) : zlib.createGunzip(options);
  };
  let last: AsyncIterable<Uint8Array> = body;
  // What goes wrong on the way reaches the reader below through the last stream.
  for (const coding of codings)
    last = stream.pipeline(stream.Readable.from(last), decoder(coding), () => {});
  try {
    yield* last;
  } finally {
    leave();
  }
}
