// Results and logs that are larger than one text can be (512 MiB): here with holes, so that they cost no disk.

import { truncateSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { environment, shell } from '../helpers/built.ts';
import { temporaryFolder } from '../helpers/folder.ts';

const SIZE = 600_000_000;

test('a result and a log of 600 MB are printed whole, and a chat that wants such a result as text is told', async () => {
  const folder = temporaryFolder({
    'workflows/Sh.yaml': 'tasks:\n  big: {command: "echo x; echo y >&2"}\n',
    'home/': '',
    'a.chat': 'job: jobs/Sh/big/Default\n\nuser: What is it?\n',
  });
  const run = (script: string) =>
    shell(script, { cwd: folder, env: environment({ HOME: join(folder, 'home') }) });
  const task = 'chat task run -q --jobs jobs Sh big';
  expect((await run(task)).stdout).toBe('x\n');
  truncateSync(join(folder, 'jobs/Sh/big/Default'), SIZE);
  truncateSync(join(folder, 'jobs/Sh/big/Default.files/job.log'), SIZE);
  // A line end is added where there is none.
  expect((await run(`${task} | wc -c`)).stdout.trim()).toBe(`${SIZE + 1}`);
  expect((await run('chat task log jobs/Sh/big/Default | wc -c')).stdout.trim()).toBe(`${SIZE}`);
  const { code, stdout, stderr } = await run('chat ask -d a.chat');
  expect([code, stdout]).toEqual([2, '']);
  expect(stderr).toMatch(
    /a result of 600 MB is too much for one text, in .*\n {2}next: use its path/,
  );
}, 600_000);
