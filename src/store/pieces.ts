// Results that come in pieces: streams, generators and other iterables of text or bytes.

import { workFailure } from '../errors.ts';

export type Pieces = AsyncIterable<unknown> | Iterable<unknown>;

/** Whether what a task returned is to be read piece by piece. Lists, texts and bytes are values. */
export function isPieces(value: unknown): value is Pieces {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  if (Symbol.asyncIterator in value) return true;
  return Symbol.iterator in value && 'next' in value && typeof value.next === 'function';
}

/**
 * The pieces, checked. A character that was cut between two texts is whole again. Ends with the signal's reason as soon as it
 * aborts, also while a piece is waited for.
 */
export async function* readPieces(
  pieces: Pieces,
  signal: AbortSignal,
): AsyncGenerator<string | Uint8Array> {
  const iterator =
    Symbol.asyncIterator in pieces ? pieces[Symbol.asyncIterator]() : pieces[Symbol.iterator]();
  const untilAbort = abortable(signal);
  let cut = '';
  try {
    for (;;) {
      const next = await untilAbort.wait(async () => iterator.next());
      if (next.done === true) break;
      const piece: unknown = next.value;
      if (typeof piece === 'string') {
        const text = cut + piece;
        cut = endsInHalf(text) ? text.slice(-1) : '';
        yield cut === '' ? text : text.slice(0, -1);
      } else if (piece instanceof Uint8Array) {
        if (cut !== '') yield cut;
        cut = '';
        yield piece;
      } else throw notText(piece);
    }
    if (cut !== '') yield cut;
  } finally {
    untilAbort.forget();
    // A source that hangs must not hold up the end; one that has ended does not mind.
    void (async () => iterator.return?.())().catch(() => {});
  }
}

/** All of it. */
export async function collect(pieces: AsyncIterable<string | Uint8Array>): Promise<Uint8Array> {
  const parts: Uint8Array[] = [];
  for await (const piece of pieces)
    parts.push(typeof piece === 'string' ? Buffer.from(piece) : piece);
  return Buffer.concat(parts);
}

/** Waits that end with the signal's reason when it aborts, one at a time; many of them leave nothing behind. */
export function abortable(signal: AbortSignal) {
  let stop = () => {};
  const onAbort = () => stop();
  signal.addEventListener('abort', onAbort, { once: true });
  return {
    wait<T>(work: () => Promise<T>): Promise<T> {
      return new Promise<T>((resolve, reject) => {
        stop = () => reject(signal.reason);
        if (signal.aborted) stop();
        else work().then(resolve, reject);
      });
    },
    forget: () => signal.removeEventListener('abort', onAbort),
  };
}

function endsInHalf(text: string): boolean {
  const last = text.charCodeAt(text.length - 1);
  return last >= 0xd800 && last <= 0xdbff;
}

function notText(piece: unknown) {
  const kind = piece === null ? 'null' : Array.isArray(piece) ? 'a list' : `a ${typeof piece}`;
  return workFailure('bad-result', `a piece of the result is ${kind}, not text or bytes`, {
    next: 'give out text or bytes piece by piece, or return the whole value',
  });
}
