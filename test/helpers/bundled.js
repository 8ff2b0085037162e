// A TypeScript program as one file that Node runs: for the programs that tests and benchmarks start, and for those that a person does.

import { mkdtempSync, rmSync } from 'node:fs';
import path from 'node:path';
import { build } from 'esbuild';

/** `source` below `root`, the folder of the package. Packages are not in the file: it lies where they are found. */
export async function bundled(root, source) {
  const folder = mkdtempSync(path.join(root, 'node_modules/.bundled-'));
  const remove = () => rmSync(folder, { recursive: true, force: true });
  const file = path.join(folder, `${path.basename(source, '.ts')}.mjs`);
  try {
    await build({
      entryPoints: [path.join(root, source)],
      outfile: file,
      bundle: true,
      packages: 'external',
      format: 'esm',
      platform: 'node',
      target: 'node20',
      logLevel: 'warning',
    });
  } catch (error) {
    remove();
    throw error;
  }
  return { file, remove };
}
