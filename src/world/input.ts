// Standard input of this process. Looked at only when it is asked for.

import * as fs from 'node:fs';
import { isTerminal } from './terminal.ts';
import type { Input } from './types/streams.ts';

export function createInput(): Input {
  return {
    get kind() {
      return kindOf();
    },
    read: (signal) => readAll(signal),
    readIfReady: (milliseconds, signal) => readAll(signal, milliseconds),
    pieces,
  };
}

async function* pieces(signal?: AbortSignal): AsyncIterable<Uint8Array> {
  if (signal?.aborted) return;
  const input = process.stdin;
  const stop = () => input.destroy();
  signal?.addEventListener('abort', stop, { once: true });
  try {
    yield* input;
  } catch {
    // The other end is gone, or the signal closed it: there is no more.
  } finally {
    signal?.removeEventListener('abort', stop);
    input.destroy();
  }
}

function kindOf(): Input['kind'] {
  if (isTerminal(0)) return 'terminal';
  try {
    const stat = fs.fstatSync(0);
    if (stat.isFile()) return 'file';
    if (stat.isFIFO() || stat.isSocket()) return 'pipe';
    return 'none';
  } catch {
    return 'none';
  }
}

function readAll(signal?: AbortSignal): Promise<Uint8Array>;
function readAll(
  signal: AbortSignal | undefined,
  patience: number,
): Promise<Uint8Array | undefined>;
function readAll(signal?: AbortSignal, patience?: number): Promise<Uint8Array | undefined> {
  if (kindOf() === 'file') return Promise.resolve(fs.readFileSync(0));
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason);
    const pieces: Uint8Array[] = [];
    const input = process.stdin;
    const timer =
      patience === undefined
        ? undefined
        : setTimeout(() => finish(() => resolve(undefined)), patience);
    const onData = (piece: Uint8Array) => {
      clearTimeout(timer);
      pieces.push(piece);
    };
    const onEnd = () => {
      clearTimeout(timer);
      afterSignals(() => finish(() => resolve(Buffer.concat(pieces))));
    };
    const onError = (error: Error) => finish(() => reject(error));
    const onAbort = () => finish(() => reject(signal?.reason));
    const finish = (settle: () => void) => {
      clearTimeout(timer);
      input.off('data', onData).off('end', onEnd).off('error', onError);
      signal?.removeEventListener('abort', onAbort);
      // Otherwise an open pipe without a writer would keep the process alive.
      input.pause();
      input.destroy();
      settle();
    };
    input.on('data', onData).on('end', onEnd).on('error', onError);
    signal?.addEventListener('abort', onAbort, { once: true });
  });
}

/**
 * Ctrl-C reaches all programs of a pipeline: the end of the one before can be seen before the signal is, and half of its output must not be
 * taken for all of it. A signal that came first is heard within two turns of the event loop.
 */
function afterSignals(then: () => void): void {
  setImmediate(() => setImmediate(then));
}
