// The package as it is published, built from the sources into a temporary folder, with a program of the tests beside its entries.

import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from 'esbuild';

const root = join(import.meta.dirname, '../..');

export interface BuiltPackage {
  readonly folder: string;
  /** Runs the program; what it prints is JSON. */
  run(
    args: readonly string[],
    options?: { readonly env?: NodeJS.ProcessEnv; readonly cwd?: string },
  ): unknown;
  remove(): void;
}

export async function buildPackage(program: string): Promise<BuiltPackage> {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'chat-package-')));
  await build({
    entryPoints: {
      workflow: join(root, 'src/workflows/public.ts'),
      index: join(root, 'src/index.ts'),
      program: join(import.meta.dirname, `${program}.ts`),
    },
    outdir: join(folder, 'dist'),
    chunkNames: 'chunks/[name]-[hash]',
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    external: ['esbuild', 'node-llama-cpp'],
    banner: { js: 'const require=process.getBuiltinModule;' },
    logLevel: 'silent',
  });
  // As the real package says it; an older Node does not find out by itself.
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}\n');
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
  cpSync(join(root, 'share'), join(folder, 'share'), { recursive: true });
  return {
    folder,
    run(args, { env, cwd } = {}) {
      const { stdout, stderr, status } = spawnSync(
        process.execPath,
        [join(folder, 'dist/program.js'), ...args],
        {
          encoding: 'utf8',
          env: { PATH: process.env.PATH, HOME: folder, ...env },
          cwd: cwd ?? folder,
        },
      );
      if (status !== 0) throw new Error(`status ${status}: ${stderr}`);
      return JSON.parse(stdout);
    },
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}
