// `npm run fake -- WIRE [SCENARIO.yaml] [--port N]`: builds the fake servers and starts one.

import { mkdtempSync, rmSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from 'esbuild';

const here = import.meta.dirname;
// Below node_modules, so that the packages that are not bundled are found from there.
const folder = mkdtempSync(path.join(here, '../../node_modules/.fake-'));
let run;
try {
  const outfile = path.join(folder, 'main.mjs');
  await build({
    entryPoints: [path.join(here, 'main.ts')],
    outfile,
    bundle: true,
    packages: 'external',
    format: 'esm',
    platform: 'node',
    target: 'node20',
    logLevel: 'warning',
  });
  run = (await import(pathToFileURL(outfile).href)).runFake;
} finally {
  rmSync(folder, { recursive: true, force: true });
}
try {
  process.exitCode = await run(process.argv.slice(2));
} catch (error) {
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 2;
}
