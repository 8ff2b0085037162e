// Temporary folders with files in them, removed when the test that made them ends.

import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { onTestFinished } from 'vitest';

/** Content by path; a path that ends in a slash is an empty folder. */
export type Tree = Readonly<Record<string, string | Uint8Array>>;

/** A new folder below the system's temporary one, its real path. Kept until the process ends when made outside a test. */
export function temporaryFolder(files: Tree = {}): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'chat-test-')));
  const remove = () => rmSync(folder, { recursive: true, force: true });
  try {
    onTestFinished(remove);
  } catch {
    process.once('exit', remove);
  }
  writeTree(folder, files);
  return folder;
}

/** Writes files below a folder, making the folders they need. */
export function writeTree(folder: string, files: Tree): void {
  for (const [path, content] of Object.entries(files)) {
    const place = join(folder, path);
    mkdirSync(path.endsWith('/') ? place : dirname(place), { recursive: true });
    if (!path.endsWith('/')) writeFileSync(place, content);
  }
}
