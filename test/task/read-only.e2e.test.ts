// A folder of jobs on a file system that is read-only.

import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { environment, shell } from '../helpers/built.ts';
import { temporaryFolder } from '../helpers/folder.ts';

/** Whether this machine lets a test have mounts of its own. */
const canMount = spawnSync('unshare', ['-rm', 'sh', '-c', 'mount -t tmpfs none /mnt']).status === 0;

test.runIf(canMount)(
  'is told as that, also where folders are missing, and keeps old results',
  async () => {
    const folder = temporaryFolder({
      'workflows/Sh.yaml':
        'tasks:\n  old: {command: echo kept}\n  new: {command: echo never}\n  above: {deps: [new], command: "true"}\n',
      'home/': '',
    });
    const run = (task: string) => `chat task run -q --jobs /mnt Sh ${task}`;
    const script = `mount -t tmpfs none /mnt && ${run('old')} && mount -o remount,ro none /mnt && ${run('old')}; ${run('above')}`;
    const { code, stdout, stderr } = await shell(`unshare -rm sh -c '${script}'`, {
      cwd: folder,
      env: environment({ HOME: join(folder, 'home') }),
    });
    expect([code, stdout]).toEqual([1, 'kept\nkept\n']);
    expect(stderr).toContain(
      'Sh/new cannot be kept: cannot create "/mnt/Sh/new": the file system is read-only',
    );
  },
);

test.runIf(canMount)(
  'without a place for locks either (a container whose root is read-only) it is told by the name of the job',
  async () => {
    const folder = temporaryFolder({
      'workflows/Sh.yaml': 'tasks:\n  new: {command: echo never}\n',
      'home/': '',
    });
    const script =
      'mount -t tmpfs none /mnt && mkdir -p /mnt/Sh/new && mount -o remount,ro none /mnt && TMPDIR=/mnt chat task run -q --jobs /mnt Sh new';
    const { code, stderr } = await shell(`unshare -rm sh -c '${script}'`, {
      cwd: folder,
      env: environment({ HOME: join(folder, 'home') }),
    });
    expect(code).toBe(1);
    expect(stderr).toContain(
      'cannot create "/mnt/Sh/new/Default.lock": the file system is read-only',
    );
  },
);

test.runIf(canMount)(
  'a chat on such a disk is refused before it is asked, by what is wrong',
  async () => {
    const folder = temporaryFolder({ 'home/': '' });
    const script =
      'mount -t tmpfs none /mnt && echo "user: hi" > /mnt/a.chat && mount -o remount,ro none /mnt && chat ask -e local /mnt/a.chat';
    const { code, stdout, stderr } = await shell(`unshare -rm sh -c '${script}'`, {
      cwd: folder,
      env: environment({ HOME: join(folder, 'home') }),
    });
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toContain('cannot write to "/mnt/a.chat": it, or all of its disk, is read-only');
  },
);
