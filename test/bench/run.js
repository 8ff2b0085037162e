// Builds the benchmarks and runs them: `npm run bench [NAME…]`. Prints one table; every figure is a ratio measured in this run.

import { mkdtempSync, rmSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from 'esbuild';

const here = import.meta.dirname;
// Below node_modules, so that the packages that are not bundled are found from there.
const folder = mkdtempSync(path.join(here, '../../node_modules/.bench-'));
try {
  const outfile = path.join(folder, 'table.mjs');
  await build({
    entryPoints: [path.join(here, 'table.ts')],
    outfile,
    bundle: true,
    packages: 'external',
    format: 'esm',
    platform: 'node',
    target: 'node20',
    logLevel: 'warning',
  });
  const { runBenchmarks } = await import(pathToFileURL(outfile).href);
  process.exitCode = await runBenchmarks(path.resolve(here, '../..'), process.argv.slice(2));
} finally {
  rmSync(folder, { recursive: true, force: true });
}
