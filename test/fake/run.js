// `npm run fake -- WIRE [SCENARIO.yaml] [--port N]`: builds the fake servers and starts one.

import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { bundled } from '../helpers/bundled.js';

const { file, remove } = await bundled(
  path.resolve(import.meta.dirname, '../..'),
  'test/fake/main.ts',
);
let run;
try {
  run = (await import(pathToFileURL(file).href)).runFake;
} finally {
  remove();
}
try {
  process.exitCode = await run(process.argv.slice(2));
} catch (error) {
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 2;
}
