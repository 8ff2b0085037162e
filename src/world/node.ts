// Assembles the real World of this process: environment, signals, streams, files.

import * as path from 'node:path';
import { fileURLToPath } from 'node:url';
import { Interruption } from '../errors.ts';
import { createClock } from './clock.ts';
import { createFiles } from './files.ts';
import { createInput } from './input.ts';
import { createOutput } from './output.ts';
import type { Locks } from './types/locks.ts';
import type { Http, Servers } from './types/network.ts';
import type { Processes } from './types/processes.ts';
import type { Foreign } from './types/workers.ts';
import type { World } from './types/world.ts';
import { createWorkers } from './workers.ts';

export interface NodeWorldOptions {
  /** Value of `--color`. */
  readonly color?: string;
  /** `false` leaves the signals of the process alone (library use). */
  readonly signals?: boolean;
}

/** The world as it is. Parts that cost time to load are loaded when first used. */
export function nodeWorld(options: NodeWorldOptions = {}): World {
  const env = process.env;
  let stop: AbortController | undefined;
  return {
    files: createFiles(),
    locks: lazyLocks(),
    http: lazyHttp(env, options.signals !== false),
    processes: lazyProcesses(env),
    servers: lazyServers(),
    ...(options.signals === false ? {} : { foreign: lazyForeign }),
    clock: createClock(),
    output: createOutput(env, options.color),
    input: createInput(),
    env,
    cwd: workingFolder(env),
    packageFolder: packageFolder(),
    workers: createWorkers(path.join(packageFolder(), 'dist', 'cli')),
    platform: {
      os: process.platform,
      arch: process.arch,
      node: process.versions.node,
      executable: process.execPath,
    },
    // Until somebody wants to know, a signal simply ends the process.
    get signal() {
      if (stop === undefined) {
        stop = new AbortController();
        if (options.signals !== false) listen(stop);
      }
      return stop.signal;
    },
  };
}

/** A folder that was removed under the program still has the name that the shell knows; nothing will be found in it. */
function workingFolder({ PWD }: NodeJS.ProcessEnv): string {
  try {
    return process.cwd();
  } catch {
    return PWD !== undefined && path.isAbsolute(PWD) ? PWD : path.parse(process.execPath).root;
  }
}

/** The bundles lie in dist/cli/ and dist/, perhaps in chunks/ of them, this source in src/world/. */
function packageFolder(): string {
  const here = fileURLToPath(import.meta.url).replaceAll('\\', '/');
  return here.replace(/\/(?:dist(?:\/cli)?(?:\/chunks)?|src\/world)\/[^/]*$/, '');
}

/** Its own, whatever code of others is made to call later. */
const exit = process.exit.bind(process);

/** Is told of each signal that is heard. */
let onHeard = () => {};

function listen(stop: AbortController): void {
  const codes = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 } as const;
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(signal, () => {
      onHeard();
      // The first asks politely, so that what is there can be saved; the second means now.
      if (stop.signal.aborted) exit(codes[signal]);
      stop.abort(new Interruption(signal));
    });
  }
}

function lazyLocks(): Locks {
  const real = async () => (await import('./lock.ts')).createLocks();
  return {
    hold: async (path, options) => (await real()).hold(path, options),
    holder: async (path) => (await real()).holder(path),
    self: async () => (await real()).self(),
    isAlive: async (mark) => (await real()).isAlive(mark),
  };
}

function lazyProcesses(env: NodeJS.ProcessEnv): Processes {
  return {
    async run(command, args, options) {
      const { createProcesses } = await import('./processes.ts');
      return createProcesses(env).run(command, args, options);
    },
    async open(command, args, options) {
      const { createProcesses } = await import('./processes.ts');
      return createProcesses(env).open(command, args, options);
    },
  };
}

async function lazyForeign(): Promise<Foreign> {
  // Elsewhere nobody presses Ctrl-C.
  if (process.stderr.isTTY) {
    const { heardOurselves, listenForUs } = await import('./unheard.ts');
    onHeard = heardOurselves;
    listenForUs();
  }
  return (await import('./foreign.ts')).createForeign();
}

function lazyServers(): Servers {
  return {
    async listen(place, answer) {
      const { listen } = await import('./listen.ts');
      return listen(place, answer);
    },
  };
}

/** `ownProcess`: the whole process is ours to tune (`createHttp` says how). */
function lazyHttp(env: NodeJS.ProcessEnv, ownProcess: boolean): Http {
  let real: Promise<Http> | undefined;
  return {
    async send(request) {
      real ??= import('./http.ts').then(({ createHttp }) => createHttp(env, { ownProcess }));
      return (await real).send(request);
    },
  };
}
