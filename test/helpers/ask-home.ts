// A home folder with the endpoint `fake`, and `chat` as a child process that asks it.

import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import * as path from 'node:path';
import { environment, packageFolder } from './built.ts';
import { type Heard, heard } from './children.ts';
import { type Answers, type FakeServer, startFakeServer } from './fake-server.ts';
import { writeTree } from './folder.ts';

export interface AskHome {
  readonly folder: string;
  readonly server: FakeServer;
  file(name: string): string;
  /** Starts `chat` with these arguments in the folder. */
  start(args: readonly string[], options?: StartOptions): Heard;
  close(): Promise<void>;
}

export interface StartOptions {
  readonly env?: Readonly<Record<string, string>>;
  /** Another program in front, as a shell that limits something. */
  readonly before?: readonly string[];
  readonly stdin?: 'ignore' | 'pipe';
}

/** The endpoint's file, with settings that lose no time. */
export const fakeEndpoint = (url: string): string =>
  `backend: openai\nurl: ${url}/v1\nmodel: fake-mini\nretry_max: 1\nretry_base: 0.01\n`;

export async function askHome(answers: Answers): Promise<AskHome> {
  const server = await startFakeServer(answers);
  const folder = mkdtempSync(path.join(tmpdir(), 'scout-ask-'));
  writeTree(folder, { 'home/.scout/etc/AI/default.yaml': fakeEndpoint(server.url) });
  return {
    folder,
    server,
    file: (name) => path.join(folder, name),
    start(args, { env, before = [], stdin = 'ignore' } = {}) {
      const [command = '', ...rest] = [
        ...before,
        process.execPath,
        path.join(packageFolder, 'bin/chat.js'),
        ...args,
      ];
      const child = spawn(command, rest, {
        cwd: folder,
        env: environment({ HOME: path.join(folder, 'home'), ...env }),
        stdio: [stdin, 'pipe', 'pipe'],
      });
      return heard(child);
    },
    async close() {
      await server.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
