// The package as it is built: nothing in it that nothing asks for. Needs `npm run bundle`.

import { readdirSync, readFileSync } from 'node:fs';
import * as path from 'node:path';
import { expect, test } from 'vitest';

const dist = path.join(import.meta.dirname, '../../dist');

/** Chunks that this file of the library asks for, at once or on demand, and those that they ask for. */
function reached(file: string, found: Set<string>): Set<string> {
  const text = readFileSync(path.join(dist, file), 'utf8');
  for (const [, name = ''] of text.matchAll(/["']\.{1,2}\/(?:chunks\/)?([\w.-]+\.js)["']/g)) {
    if (found.has(name)) continue;
    found.add(name);
    reached(path.join('chunks', name), found);
  }
  return found;
}

test('the package does not grow with every build: no chunk of an earlier one is left', () => {
  const asked = reached('workflow.js', reached('index.js', new Set()));
  const left = readdirSync(path.join(dist, 'chunks')).filter(
    (name) => !asked.has(name.replace(/\.map$/, '')),
  );
  expect(left).toEqual([]);
});
