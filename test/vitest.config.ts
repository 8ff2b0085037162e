// Two groups: unit tests share one process per worker, e2e tests start programs and get processes of their own.

import { createRequire } from 'node:module';
import { defineConfig } from 'vitest/config';

const root = new URL('..', import.meta.url).pathname;

/** Tests that index tables; on a machine that can neither load nor build SQLite they say so and are left out. */
const indexing = hasSqlite() ? [] : ['test/knowledge/**'];

function hasSqlite(): boolean {
  if (process.getBuiltinModule('node:sqlite' as 'node:os') !== undefined) return true;
  try {
    const require = createRequire(import.meta.url);
    new (require('better-sqlite3') as new (file: string) => object)(':memory:');
    return true;
  } catch {
    process.stderr.write('SQLite cannot be loaded here: tests of knowledge bases are left out\n');
    return false;
  }
}

export default defineConfig({
  root,
  cacheDir: `${root}node_modules/.cache/vite`,
  test: {
    root,
    // For what hangs alone: no test is about time, and machines may be busy.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    retry: Number(process.env.TEST_RETRY ?? 0),
    projects: [
      {
        extends: true,
        test: {
          name: 'unit',
          include: ['test/**/*.test.ts'],
          exclude: ['test/**/*.e2e.test.ts', ...indexing],
          pool: 'threads',
          isolate: false,
          maxWorkers: 2,
        },
      },
      {
        extends: true,
        test: {
          name: 'e2e',
          include: ['test/**/*.e2e.test.ts'],
          exclude: indexing,
          pool: 'forks',
          maxWorkers: 2,
        },
      },
    ],
  },
});
