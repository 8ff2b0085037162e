// Runs a command line in this process: real files below a temporary folder, real child processes, real HTTP; only standard
// input, standard output, standard error and the environment are given by the test.

import { existsSync, readFileSync } from 'node:fs';
import { isAbsolute, join } from 'node:path';
import { main } from '../../src/cli/main.ts';
import { createClock } from '../../src/world/clock.ts';
import { createFiles } from '../../src/world/files.ts';
import { createLocks } from '../../src/world/lock.ts';
import { nodeWorld } from '../../src/world/node.ts';
import { createProcesses } from '../../src/world/processes.ts';
import type { Files } from '../../src/world/types/files.ts';
import type { Input, Output, Stream } from '../../src/world/types/streams.ts';
import type { World } from '../../src/world/types/world.ts';
import { type Tree, temporaryFolder, writeTree } from './folder.ts';

export interface RunOptions {
  /** Written below the folder before the run; `home/…` is the home folder. */
  readonly files?: Tree;
  /** On top of PATH and HOME; nothing else of the developer's environment is seen. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Text or bytes in a pipe, or `terminal`; nothing (as `/dev/null`) when absent. */
  readonly stdin?: string | Uint8Array | { readonly terminal: true };
  /** A folder of an earlier run, to go on there. */
  readonly folder?: string;
  /** Standard output and standard error are a terminal of so many columns, with colour unless said otherwise. */
  readonly terminal?: { readonly columns?: number; readonly colour?: boolean };
  readonly signal?: AbortSignal;
  /** Replaces parts of the world. */
  readonly world?: Partial<World>;
}

export interface RunResult {
  readonly code: number;
  /** The path of the folder is left out, so that texts are the same in every run. */
  readonly stdout: string;
  readonly stderr: string;
  /** The working directory of the run. */
  readonly folder: string;
  /** Content of a file below the folder, undefined when there is none. */
  read(path: string): string | undefined;
}

/** Runs `chat` with these arguments. */
export async function runCli(
  argv: readonly string[],
  options: RunOptions = {},
): Promise<RunResult> {
  const folder = options.folder ?? temporaryFolder();
  writeTree(folder, { 'home/': '', ...options.files });
  const captured = { stdout: '', stderr: '' };
  const code = await main(argv, createWorld(folder, options, captured));
  const clean = (text: string) => text.replaceAll(`${folder}/`, '');
  return {
    code,
    stdout: clean(captured.stdout),
    stderr: clean(captured.stderr),
    folder,
    read(path) {
      const place = join(folder, path);
      return existsSync(place) ? readFileSync(place, 'utf8') : undefined;
    },
  };
}

/** The world of one run; what is written is added to `captured`. */
export function createWorld(
  folder: string,
  options: RunOptions = {},
  captured: { stdout: string; stderr: string } = { stdout: '', stderr: '' },
): World {
  const env = { PATH: process.env.PATH, HOME: join(folder, 'home'), ...options.env };
  const processes = createProcesses(env);
  const locks = createLocks();
  return {
    ...nodeWorld({ signals: false }),
    files: within(folder, createFiles()),
    locks: {
      ...locks,
      hold: (path, rest) => locks.hold(absolute(folder, path), rest),
      holder: (path) => locks.holder(absolute(folder, path)),
    },
    http: {
      async send(request) {
        const { createHttp } = await import('../../src/world/http.ts');
        return createHttp(env).send(request);
      },
    },
    processes: {
      run: (command, args, rest) => processes.run(command, args, { cwd: folder, ...rest }),
      open: (command, args, rest) => processes.open(command, args, { cwd: folder, ...rest }),
    },
    clock: createClock(),
    output: createOutput(options, captured),
    input: createInput(options.stdin),
    env,
    cwd: folder,
    signal: options.signal ?? new AbortController().signal,
    ...options.world,
  };
}

function createOutput(options: RunOptions, captured: { stdout: string; stderr: string }): Output {
  const stream: Stream = {
    terminal: options.terminal !== undefined,
    colour: options.terminal !== undefined && (options.terminal.colour ?? true),
    columns: options.terminal?.columns ?? 80,
  };
  return {
    closed: false,
    stdout: stream,
    stderr: stream,
    async write(text) {
      captured.stdout += text;
    },
    note(text) {
      captured.stderr += `${text}\n`;
    },
    noteRaw(text) {
      captured.stderr += text;
    },
    reserve() {},
  };
}

function createInput(stdin: RunOptions['stdin']): Input {
  if (stdin === undefined) return fixedInput('none', '');
  if (typeof stdin === 'object' && 'terminal' in stdin) return fixedInput('terminal', '');
  return fixedInput('pipe', stdin);
}

function fixedInput(kind: Input['kind'], content: string | Uint8Array): Input {
  const bytes = Buffer.from(content);
  return {
    kind,
    read: async () => bytes,
    readIfReady: async () => bytes,
    async *pieces() {
      yield bytes;
    },
  };
}

const absolute = (folder: string, path: string): string =>
  isAbsolute(path) ? path : join(folder, path);

/** A process has one working directory, a test process runs many commands: relative paths are taken from the folder. */
function within(folder: string, files: Files): Files {
  const at = (path: string) => absolute(folder, path);
  const { now } = files;
  return {
    now: {
      load: (path, largest) => now.load(at(path), largest),
      readShort: (path, options) => now.readShort(at(path), options),
      stat: (path) => now.stat(at(path)),
      entries: (path) => now.entries(at(path)),
      kindAt: (path) => now.kindAt(at(path)),
      realPath: (path) => now.realPath(at(path)),
    },
    read: (path) => files.read(at(path)),
    load: (path, largest) => files.load(at(path), largest),
    readStart: (path, limit) => files.readStart(at(path), limit),
    stat: (path) => files.stat(at(path)),
    isWritable: (path) => files.isWritable(at(path)),
    list: (path) => files.list(at(path)),
    entries: (path) => files.entries(at(path)),
    kindAt: (path) => files.kindAt(at(path)),
    realPath: (path) => files.realPath(at(path)),
    readFrom: (path, offset) => files.readFrom(at(path), offset),
    pieces: (path) => files.pieces(at(path)),
    digest: (path) => files.digest(at(path)),
    write: (path, data, options) => files.write(at(path), data, options),
    writePieces: (path, pieces) => files.writePieces(at(path), pieces),
    append: (path, text, options) => files.append(at(path), text, options),
    rename: (path, to) => files.rename(at(path), at(to)),
    makeFolder: (path, options) => files.makeFolder(at(path), options),
    makeFolderNow: (path) => files.makeFolderNow(at(path)),
    remove: (path) => files.remove(at(path)),
    removeFolder: (path) => files.removeFolder(at(path)),
  };
}
