// Keeps code of others off standard output, and off standard input: what it prints, what the programs print that it starts, and what it throws when nobody waits for it goes to standard error.

import type { StdioOptions } from 'node:child_process';
import { onStrayError, strayText } from './stray-errors.ts';

type Note = (piece: string | Uint8Array) => void;

/** What is written to the stream goes to `note`. */
export function divertWrites(stream: Pick<NodeJS.WriteStream, 'write'>, note: Note): void {
  stream.write = (piece: string | Uint8Array, ...rest: readonly unknown[]): boolean => {
    const [encoding] = rest.filter((each) => typeof each === 'string');
    const isCoded = typeof piece === 'string' && encoding !== undefined;
    note(isCoded ? Buffer.from(piece, encoding as BufferEncoding) : piece);
    const done = rest.find((each) => typeof each === 'function');
    if (done !== undefined) process.nextTick(done);
    return true;
  };
}

/** `note` writes to standard error, and never fails. For the rest of this process; `Output.write` goes to the descriptor itself. */
export function reserve(note: Note): void {
  divertWrites(process.stdout, note);
  // Code that prints there itself must not end this program when nobody reads standard error any more.
  process.stderr.on('error', () => {});
  onStrayError((error) => {
    note(strayText(error));
    return true;
  });
  divertPrograms();
}

type Stdio = StdioOptions | undefined;

/** Programs inherit standard error in place of standard output, and nothing in place of standard input. */
export function diverted(stdio: Stdio): Stdio {
  if (stdio === 'inherit') return ['ignore', 2, 2];
  if (!Array.isArray(stdio)) return stdio;
  return stdio.map((each, index) => {
    const descriptor = each === 'inherit' ? index : descriptorOf(each);
    return descriptor === 0 ? 'ignore' : descriptor === 1 ? 2 : each;
  });
}

function descriptorOf(each: unknown): unknown {
  return typeof each === 'object' && each !== null && 'fd' in each ? each.fd : each;
}

interface Options {
  readonly stdio?: Stdio;
}

interface Programs {
  readonly ChildProcess: { readonly prototype: { spawn(options: Options): unknown } };
  spawnSync(...args: readonly unknown[]): unknown;
  execSync(...args: readonly unknown[]): unknown;
  execFileSync(...args: readonly unknown[]): unknown;
}

/** All that starts programs in the background comes by one method; those that wait for them are functions of their own. */
function divertPrograms(): void {
  // Taken from the runtime here, since an import would be paid for by every command.
  const programs = process.getBuiltinModule('node:child_process') as unknown as Programs;
  const { prototype } = programs.ChildProcess;
  const { spawn } = prototype;
  prototype.spawn = function (options) {
    return Reflect.apply(spawn, this, [withDiverted(options)]);
  };
  for (const name of ['spawnSync', 'execSync', 'execFileSync'] as const) {
    const original = programs[name];
    programs[name] = (...args) => original(...args.map(withDiverted));
  }
  // For those who import them by name.
  process.getBuiltinModule('node:module').syncBuiltinESMExports();
}

/** The options among the arguments; everything else is itself. */
function withDiverted<T>(argument: T): T {
  if (typeof argument !== 'object' || argument === null || !('stdio' in argument)) return argument;
  return { ...argument, stdio: diverted(argument.stdio as Stdio) };
}
