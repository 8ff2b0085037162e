// Packages that are imported on demand. In the bundle a CommonJS package has nothing but its default there, so that a name taken from it is undefined.

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const root = join(import.meta.dirname, '..');

function sources(folder: string): readonly string[] {
  return readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => join(folder, name));
}

const manifest = (file: string) => JSON.parse(readFileSync(join(root, file), 'utf8'));
/** Others are not part of the bundle. */
const bundled = Object.keys(manifest('package.json').dependencies).filter(
  (name) => name !== 'esbuild',
);

const isCommonJs = (name: string): boolean =>
  bundled.includes(name) && manifest(`node_modules/${name}/package.json`).type !== 'module';

test('a CommonJS package is imported on demand by its default, or by a file of ours that is', () => {
  const wrong = [...sources('src'), ...sources('commands')].flatMap((file) =>
    [...readFileSync(join(root, file), 'utf8').matchAll(/(.*)import\('([a-z][^':]*)'\)/g)]
      .filter(([, before = '', name = '']) => !before.includes('default') && isCommonJs(name))
      .map(([, , name]) => `${file}: ${name}`),
  );
  expect(wrong).toEqual([]);
});
