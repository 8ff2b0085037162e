// Runs the built executables as a shell does: real processes, real pipes, a real terminal.

import { spawn as spawnProcess } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, renameSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { threadId } from 'node:worker_threads';
import { spawn as spawnTerminal } from '@lydell/node-pty';
import { onTestFinished } from 'vitest';
import { outcomeOf } from './children.ts';

export const packageFolder = join(import.meta.dirname, '../..');

export interface Outcome {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface Surroundings {
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
}

/**
 * A folder with `chat`, `agent` and `prov` as an installation links them, and the Node that runs the tests. It stays, one for each Node
 * and each copy of the package (several may share their dependencies): workers are ended by a signal, and would leave theirs behind.
 */
function linkedCommands(): string {
  const copy = createHash('sha256').update(packageFolder).digest('hex').slice(0, 8);
  const name = `commands-${process.version}-${copy}`;
  const folder = join(packageFolder, 'node_modules/.cache', name);
  mkdirSync(folder, { recursive: true });
  link(process.execPath, join(folder, 'node'));
  for (const name of ['chat', 'agent', 'prov'])
    link(join(packageFolder, 'bin', `${name}.js`), join(folder, name));
  return folder;
}

/** A link to there, at once also for others who make it in the same moment. */
function link(target: string, place: string): void {
  const made = `${place}.${process.pid}.${threadId}`;
  symlinkSync(target, made);
  renameSync(made, place);
}

let commands: string | undefined;

/** What a process of the tests sees of the environment: the commands on its PATH, and a home that is not there. */
export function environment(more: Readonly<Record<string, string>> = {}): Record<string, string> {
  commands ??= linkedCommands();
  return {
    PATH: `${commands}:${process.env.PATH}`,
    HOME: '/nonexistent',
    LANG: 'C.UTF-8',
    ...more,
  };
}

/** Runs a command line in a shell. Standard input is empty unless the command gives it another. */
export async function shell(
  command: string,
  { cwd, env, program }: Surroundings & { readonly program?: readonly string[] } = {},
): Promise<Outcome> {
  const [name = 'bash', ...options] = program ?? ['bash'];
  const child = spawnProcess(name, [...options, '-c', command], {
    cwd: cwd ?? packageFolder,
    env: environment(env),
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const { code, stdout, stderr } = await outcomeOf(child);
  return { code, stdout, stderr };
}

/** Runs a program on a terminal; both streams come as one text. `type` is called with the text so far and says what to type. */
export function onTerminal(
  command: string,
  argv: readonly string[],
  {
    cwd,
    env,
    type,
  }: Surroundings & { readonly type?: (output: string) => string | undefined } = {},
): Promise<{ readonly code: number; readonly output: string }> {
  return new Promise((resolve) => {
    const terminal = spawnTerminal(command, [...argv], {
      cols: 80,
      rows: 24,
      cwd: cwd ?? packageFolder,
      env: environment({ TERM: 'xterm-256color', ...env }),
    });
    onTestFinished(() => terminal.kill('SIGKILL'));
    let output = '';
    terminal.onData((text) => {
      output += text;
      const typed = type?.(output);
      if (typed !== undefined) terminal.write(typed);
    });
    terminal.onExit(({ exitCode }) => resolve({ code: exitCode, output }));
  });
}
