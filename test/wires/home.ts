// A home folder whose endpoints lead to fake providers, and `chat` as a child process in it.

import { spawn } from 'node:child_process';
import * as path from 'node:path';
import { onTestFinished } from 'vitest';
import { toScenario } from '../fake/scenario.ts';
import { type Fake, startFake, WIRES } from '../fake/server.ts';
import type { WireName } from '../fake/types.ts';
import { environment, type Outcome, packageFolder } from '../helpers/built.ts';
import { outcomeOf } from '../helpers/children.ts';
import { type Tree, temporaryFolder, writeTree } from '../helpers/folder.ts';
import { runCli } from '../helpers/run.ts';

export const WIRE_NAMES = Object.keys(WIRES) as WireName[];

export interface WireHome {
  readonly folder: string;
  readonly fakes: Readonly<Record<WireName, Fake>>;
  /** Runs `chat` to its end. */
  chat(args: readonly string[], env?: Readonly<Record<string, string>>): Promise<Outcome>;
  /** The same in this process, where no test is about what a process remembers. */
  here(args: readonly string[]): Promise<Outcome>;
}

export interface HomeOptions {
  readonly files?: Tree;
  /** Fields of every endpoint file. */
  readonly fields?: Readonly<Record<string, unknown>>;
}

/** One endpoint a wire, by its name; each plays the scenario, with what it remembers for itself. */
export async function wireHome(
  scenario: unknown | ((wire: WireName) => unknown),
  { files = {}, fields = {} }: HomeOptions = {},
): Promise<WireHome> {
  const folder = temporaryFolder(files);
  const started = await Promise.all(
    WIRE_NAMES.map(async (name) => {
      const source = typeof scenario === 'function' ? scenario(name) : scenario;
      return [name, await startFake(name, toScenario(source))] as const;
    }),
  );
  const fakes = Object.fromEntries(started) as Record<WireName, Fake>;
  onTestFinished(async () => {
    await Promise.all(Object.values(fakes).map((fake) => fake.close()));
  });
  for (const [name, fake] of started)
    writeTree(folder, {
      [`home/.scout/etc/AI/${name}.yaml`]: fake.endpoint({ retry_base: 0.01, ...fields }),
    });
  return {
    folder,
    fakes,
    chat: (args, env = {}) =>
      runChat(args, folder, { HOME: path.join(folder, 'home'), FAKE_KEY: 'key-1', ...env }),
    here: (args) => runCli(args, { folder, env: { FAKE_KEY: 'key-1' } }),
  };
}

async function runChat(
  args: readonly string[],
  cwd: string,
  env: Readonly<Record<string, string>>,
): Promise<Outcome> {
  const child = spawn(process.execPath, [path.join(packageFolder, 'bin/chat.js'), ...args], {
    cwd,
    env: environment(env),
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const { code, stdout, stderr } = await outcomeOf(child);
  return { code, stdout, stderr };
}
