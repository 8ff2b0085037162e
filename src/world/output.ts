// Standard output and standard error of this process: written at once, a closed pipe is no error.

import * as fs from 'node:fs';
import { errorCode, errorWords, workFailure } from '../errors.ts';
import { reserve } from './reserve.ts';
import { isTerminal } from './terminal.ts';
import type { Output, Stream } from './types/streams.ts';
import type { Environment } from './types/world.ts';

/** Output over descriptors 1 and 2. `color` is the value of `--color`. */
export function createOutput(env: Environment, color: string | undefined): Output {
  let closed = false;
  const state = { mutedErrors: false };
  return {
    get closed() {
      return closed;
    },
    stdout: describe(1, env, color),
    stderr: describe(2, env, color),
    async write(text) {
      if (closed || text === '') return;
      try {
        await writeFully(1, Buffer.from(text));
      } catch (error) {
        const code = errorCode(error);
        if (code !== 'EPIPE' && code !== 'EBADF' && code !== 'ECONNRESET')
          throw workFailure(
            'output-failed',
            `cannot write to standard output: ${reasonOf(error)}`,
            { cause: error },
          );
        closed = true;
      }
    },
    note: (text) => noteText(`${text}\n`, state),
    noteRaw: (text) => noteText(text, state),
    reserve: () => reserve((piece) => noteText(piece, state)),
  };
}

/** Writes to standard error, and never fails; `state` keeps that nobody reads it any more. */
export function noteText(text: string | Uint8Array, state: { mutedErrors: boolean }): void {
  if (state.mutedErrors) return;
  const bytes = typeof text === 'string' ? Buffer.from(text) : text;
  let offset = 0;
  for (let attempts = 0; offset < bytes.length && attempts < 1000; attempts++) {
    try {
      offset += fs.writeSync(2, bytes, offset);
    } catch (error) {
      // Nobody reads standard error any more, or its pipe is full and its reader asleep: the answer matters more.
      if (errorCode(error) !== 'EAGAIN') {
        state.mutedErrors = true;
        return;
      }
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 2);
    }
  }
}

async function writeFully(descriptor: number, bytes: Uint8Array): Promise<void> {
  let offset = 0;
  while (offset < bytes.length) {
    try {
      offset += fs.writeSync(descriptor, bytes, offset);
    } catch (error) {
      // A pipe that somebody set to non-blocking is full: wait for its reader.
      if (errorCode(error) !== 'EAGAIN') throw error;
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
  }
}

function describe(descriptor: 1 | 2, env: Environment, color: string | undefined): Stream {
  let known: boolean | undefined;
  const terminal = () => {
    known ??= isTerminal(descriptor);
    return known;
  };
  return {
    get terminal() {
      return terminal();
    },
    get colour() {
      return wantsColour(terminal(), env, color);
    },
    get columns() {
      return columnsOf(descriptor, terminal(), env);
    },
    redraws: env.TERM !== 'dumb',
  };
}

/** `--color` over FORCE_COLOR over NO_COLOR over what the stream is. */
export function wantsColour(
  terminal: boolean,
  env: Environment,
  color: string | undefined,
): boolean {
  if (color === 'always') return true;
  if (color === 'never') return false;
  const force = env.FORCE_COLOR;
  if (force !== undefined && force !== '') return force !== '0' && force !== 'false';
  if ((env.NO_COLOR ?? '') !== '') return false;
  return terminal && env.TERM !== 'dumb';
}

function columnsOf(descriptor: 1 | 2, terminal: boolean, env: Environment): number {
  if (terminal) {
    const stream = descriptor === 1 ? process.stdout : process.stderr;
    if (stream.columns > 0) return stream.columns;
  }
  const declared = Number(env.COLUMNS);
  return Number.isInteger(declared) && declared > 0 ? declared : 80;
}

const reasonOf = (error: unknown): string =>
  errorCode(error) === 'ENOSPC' ? 'the disk is full' : errorWords(error);
