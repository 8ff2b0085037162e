// Installs the runtime of the embedded models (node-llama-cpp with the one binary that fits) into the data folder, and finds it there.

import { join } from 'node:path';
import { configFailure, type Failure, providerFailure } from '../errors.ts';
import type { Files } from '../world/types/files.ts';
import type { Locks } from '../world/types/locks.ts';
import type { Processes } from '../world/types/processes.ts';
import type { Environment, World } from '../world/types/world.ts';
import { diskFailure, makeFolderLike, moveIntoPlace, removeFolder } from './disk.ts';
import { withoutCredentials } from './pip.ts';
import { RUNTIME_VERSION, runtimeEntry, runtimeFolder } from './places.ts';
import { findPlatform, type RuntimePlatform } from './platform.ts';

export type RuntimeState =
  | { readonly kind: 'installed'; readonly platform: string; readonly folder: string }
  | { readonly kind: 'missing'; readonly platform: string; readonly folder: string }
  | { readonly kind: 'unsupported'; readonly reason: string };

export interface RuntimePorts {
  readonly files: Files;
  readonly locks: Locks;
  readonly processes: Processes;
  readonly env: Environment;
  readonly platform: World['platform'];
  readonly signal: AbortSignal;
}

/** What is there for this machine. Loads nothing. */
export async function runtimeState(
  models: string,
  ports: Pick<RuntimePorts, 'files' | 'platform'>,
): Promise<RuntimeState> {
  const finding = await findPlatform(ports.platform, ports.files);
  if (finding.kind === 'unsupported') return finding;
  const platform = finding.platform.name;
  const folder = runtimeFolder(models, platform);
  const there = (await ports.files.stat(runtimeEntry(folder))) !== undefined;
  return { kind: there ? 'installed' : 'missing', platform, folder };
}

/**
 * Installs the runtime with npm beside its place, tries it in a process of its own, and moves it into place. Returns false when it was
 * there. Rejects with a Failure: exit 3 when this machine cannot run it, exit 4 when it cannot be fetched, exit 1 for the disk.
 */
export async function installRuntime(
  models: string,
  ports: RuntimePorts,
  note: (text: string) => void,
): Promise<boolean> {
  const finding = await findPlatform(ports.platform, ports.files);
  if (finding.kind === 'unsupported') throw unsupported(finding.reason);
  const { platform } = finding;
  const folder = runtimeFolder(models, platform.name);
  const isThere = async () => (await ports.files.stat(runtimeEntry(folder))) !== undefined;
  if (await isThere()) return false;
  await ports.files.makeFolder(join(folder, '..'));
  const lock = await ports.locks.hold(folder, {
    signal: ports.signal,
    onWait: (holder) => note(`waiting for ${holder}, which is installing the runtime`),
  });
  try {
    if (await isThere()) return false;
    note(`installing node-llama-cpp ${RUNTIME_VERSION} for ${platform.name} (about 85 MB)`);
    await installBeside(folder, platform, ports);
    return true;
  } finally {
    await lock.release();
  }
}

async function installBeside(
  folder: string,
  platform: RuntimePlatform,
  ports: RuntimePorts,
): Promise<void> {
  await removeLeftovers(folder, ports.files);
  const beside = await makeFolderLike(unfinished(folder));
  try {
    const manifest = { private: true, description: 'runtime of the embedded models' };
    await ports.files.write(join(beside, 'package.json'), JSON.stringify(manifest));
    await npmInstall(beside, platform, ports);
    await check(beside, ports);
    await removeFolder(folder);
    await moveIntoPlace(beside, folder);
  } finally {
    await removeFolder(beside);
  }
}

const unfinished = (folder: string): string => `${folder}.new-`;

/** What installations left that were killed. Only the holder of the lock comes here. */
async function removeLeftovers(folder: string, files: Files): Promise<void> {
  const parent = join(folder, '..');
  for (const name of await files.list(parent)) {
    const path = join(parent, name);
    if (path.startsWith(unfinished(folder))) await removeFolder(path);
  }
}

async function npmInstall(
  folder: string,
  platform: RuntimePlatform,
  ports: RuntimePorts,
): Promise<void> {
  const args = [
    'install',
    '--prefix=.',
    '--omit=optional',
    '--ignore-scripts',
    '--no-audit',
    '--no-fund',
    '--no-package-lock',
    '--no-global',
    '--loglevel=error',
    // As often as usual, but without a minute of silence before what is wrong is told.
    '--fetch-retry-mintimeout=1000',
    '--fetch-retry-maxtimeout=8000',
    `node-llama-cpp@${RUNTIME_VERSION}`,
    `@node-llama-cpp/${platform.name}@${RUNTIME_VERSION}`,
  ];
  const [command, before] =
    ports.platform.os === 'win32'
      ? (['cmd.exe', ['/d', '/c', 'npm.cmd']] as const)
      : (['npm', []] as const);
  const options = { cwd: folder, signal: ports.signal, env: npmEnvironment(ports.env) };
  const result = await ports.processes
    .run(command, [...before, ...args], options)
    .catch((cause) => {
      ports.signal.throwIfAborted();
      throw configFailure('npm-missing', 'npm cannot be started, and it fetches the runtime', {
        next: 'put npm on the PATH (it comes with Node), then run "chat model pull" again',
        cause,
      });
    });
  if (result.code === 0) return;
  throw npmFailure(folder, result.stderr);
}

/** npm hands its own settings of an outer run down to its children: where that run was must not count for this one. */
function npmEnvironment(env: Environment): Environment {
  const outer =
    /^npm_(?:lifecycle|package|config_(?:local_prefix|prefix|global|omit|include|dry_run)$)/i;
  return Object.fromEntries(Object.entries(env).filter(([name]) => !outer.test(name)));
}

function npmFailure(folder: string, stderr: string): Failure {
  const lines = stderr
    .split('\n')
    .map((line) => /^npm (?:error|ERR!)\s+(.*\S)/.exec(line)?.[1])
    .filter((line) => line !== undefined && !line.startsWith('A complete log'))
    .map((line) => withoutCredentials(line ?? ''));
  const code = /^code (\S+)/.exec(lines[0] ?? '')?.[1];
  if (code === 'ENOSPC') return diskFailure(folder, Object.assign(new Error(code), { code }));
  return providerFailure('runtime-download-failed', 'npm could not fetch the runtime', {
    detail: lines.slice(0, 3),
    next: 'check the network and the registry that npm is configured with, then run "chat model pull" again',
    facts: { kind: 'connection' },
  });
}

/** Loads the binary in a process of its own: one that does not fit may end its process. */
async function check(folder: string, ports: RuntimePorts): Promise<void> {
  const program = [
    `import { getLlama } from 'node-llama-cpp';`,
    `const llama = await getLlama({ build: 'never', skipDownload: true, progressLogs: false });`,
    `await llama.dispose();`,
  ].join('\n');
  const place = join(folder, 'check.mjs');
  await ports.files.write(place, program);
  const result = await ports.processes.run('node', [place], {
    cwd: folder,
    signal: ports.signal,
    timeout: 120_000,
  });
  await ports.files.remove(place);
  if (result.code === 0) return;
  const reason = /\b(\w*Error\b[^\n]*)/.exec(result.stderr)?.[1];
  throw unsupported(
    `the prebuilt binary does not load here (${reason ?? result.signal ?? `exit ${result.code}`})`,
  );
}

/** The machine cannot run embedded models; everything else can be used. */
export function unsupported(reason: string): Failure {
  return configFailure('runtime-unsupported', `embedded models cannot run here: ${reason}`, {
    next: 'use an endpoint instead ("chat endpoint list"), for example a llama.cpp or Ollama server',
    facts: { kind: 'configuration' },
  });
}

/** The runtime is not installed. */
export function runtimeMissing(): Failure {
  return configFailure('runtime-missing', 'the runtime of the embedded models is not installed', {
    next: 'chat model pull',
    facts: { kind: 'configuration' },
  });
}
