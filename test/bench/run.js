// Builds the benchmarks and runs them: `npm run bench [NAME…]`. Prints one table; every figure is a ratio measured in this run.

import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { bundled } from '../helpers/bundled.js';

const root = path.resolve(import.meta.dirname, '../..');
const { file, remove } = await bundled(root, 'test/bench/table.ts');
try {
  const { runBenchmarks } = await import(pathToFileURL(file).href);
  process.exitCode = await runBenchmarks(root, process.argv.slice(2));
} finally {
  remove();
}
