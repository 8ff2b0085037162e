// Jobs of somebody else in a folder that may not be looked into.

import { spawnSync } from 'node:child_process';
import { chmodSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { environment, packageFolder } from '../helpers/built.ts';
import { temporaryFolder } from '../helpers/folder.ts';
import { somebodyElse, somebodyElseCan } from '../helpers/somebody-else.ts';

function chat(cwd: string, ...args: readonly string[]) {
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [join(packageFolder, 'bin/chat.js'), ...args],
    { cwd, encoding: 'utf8', env: environment({ HOME: join(cwd, 'home') }), ...somebodyElse },
  );
  return { code: status, stdout, stderr };
}

test.runIf(somebodyElseCan)(
  'a job that may not be looked at is not said to be missing, and what else is known of one is shown',
  () => {
    const folder = temporaryFolder({
      'home/': '',
      'var/jobs/W/t/a': '1',
      'var/jobs/W/t/a.info': '{"status":"done"}',
      'var/jobs/W/u/b': '1',
      'var/jobs/W/u/b.info': '{"status":"done","workflow":"W","task_name":"u"}',
      'var/jobs/W/u/b.files/secret/x': '',
    });
    const closed = ['var/jobs/W/t', 'var/jobs/W/u/b.files/secret'].map((each) =>
      join(folder, each),
    );
    chmodSync(folder, 0o755);
    for (const each of closed) chmodSync(each, 0);
    for (const command of [['task', 'info'], ['task', 'status'], ['task', 'clean'], ['prov']]) {
      const { code, stderr } = chat(folder, ...command, 'W/t/a');
      expect([command, code]).toEqual([command, 2]);
      expect(stderr).toMatch(/cannot read ".*W\/t\/a": permission denied/);
    }
    const { code, stdout } = chat(folder, 'task', 'info', 'W/u/b');
    expect(code).toBe(0);
    expect(stdout).toMatch(/^status {4}done\n/);
    expect(stdout).toMatch(/^files {5}cannot list ".*secret": permission denied$/m);
    for (const each of closed) chmodSync(each, 0o755);
  },
);
