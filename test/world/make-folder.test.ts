// Folders with all that lead to them, and what stands in the way.

import { statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createFiles } from '../../src/world/files.ts';
import { temporaryFolder } from '../helpers/folder.ts';

const files = createFiles();

test('all that is missing is made, and what is there is no trouble', async () => {
  const folder = temporaryFolder();
  for (let time = 0; time < 2; time++)
    await files.makeFolder(join(folder, 'a/b/c'), { mode: 0o700 });
  expect(statSync(join(folder, 'a/b')).mode & 0o777).toBe(0o700);
});

test('a file in the way is told, at its end and before', async () => {
  const folder = temporaryFolder({ 'a/file': '' });
  for (const place of ['a/file', 'a/file/b', 'a/file/b/c'])
    await expect(files.makeFolder(join(folder, place))).rejects.toMatchObject({
      message: expect.stringContaining('a part of the path is not a folder'),
    });
});

test.runIf(process.platform === 'linux')(
  'a file system that takes no folders does not make it try for ever',
  async () => {
    await expect(files.makeFolder('/proc/not/there')).rejects.toThrow('no such file');
    expect(() => files.makeFolderNow('/proc/not/there')).toThrow('no such file');
  },
);
