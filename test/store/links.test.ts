// A folder of jobs that came with somebody else's folder may have links in it.

import { lstatSync, readFileSync, symlinkSync } from 'node:fs';
import * as path from 'node:path';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../helpers/folder.ts';
import { runCli } from '../helpers/run.ts';

test('a link in the place of an .info is replaced, and what it leads to stays as it is', async () => {
  const own = temporaryFolder({ precious: 'keep me\n' });
  const folder = temporaryFolder({
    'home/.scout/': '',
    'workflows/Words.yaml':
      'tasks:\n  hello:\n    description: Says hello\n    command: [echo, hello]\n',
    'var/jobs/Words/hello/': '',
  });
  const info = path.join(folder, 'var/jobs/Words/hello/Default.info');
  symlinkSync(path.join(own, 'precious'), info);
  const result = await runCli(['task', 'run', 'Words', 'hello'], { folder });
  expect([result.code, result.stdout]).toEqual([0, 'hello\n']);
  expect(readFileSync(path.join(own, 'precious'), 'utf8')).toBe('keep me\n');
  expect(lstatSync(info).isSymbolicLink()).toBe(false);
});
