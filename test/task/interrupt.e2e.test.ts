// Ctrl-C, TERM and a closed reader during `chat task run`, with the built program and real processes.

import { spawn } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { environment, onTerminal, packageFolder, shell } from '../helpers/built.ts';
import { living, until } from '../helpers/children.ts';
import { temporaryFolder } from '../helpers/folder.ts';

const HANG = `
tasks:
  hang:
    description: Starts children, also in groups of their own, one that will not listen, and never ends
    command: |
      sleep 987 & sleep 987 &
      setsid sleep 987 &
      timeout 987 sleep 987 &
      sh -c 'trap "" TERM; sleep 987; sleep 987' &
      for job in $(jobs -p); do echo $job; done > pids
      echo half of the result
      echo started > began
      wait
  above: { deps: [hang], command: "true" }
  many: { command: "yes | head -c 3000000" }
`;

const project = () => temporaryFolder({ 'workflows/Sh.yaml': HANG, 'var/jobs/': '', 'home/': '' });

describe('a task that started children', () => {
  for (const [signal, code] of [
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ] as const)
    test(`that is stopped by ${signal} leaves no process, no result, and the status aborted`, async () => {
      const folder = project();
      const child = spawn(
        process.execPath,
        [join(packageFolder, 'bin/chat.js'), 'task', 'run', 'Sh', 'above'],
        {
          cwd: folder,
          env: environment({ HOME: join(folder, 'home'), TEST_FOLDER: folder }),
          stdio: ['ignore', 'pipe', 'pipe'],
        },
      );
      let output = '';
      child.stdout.on('data', (text) => (output += text));
      const ended = new Promise<number | null>((resolve) => child.on('close', resolve));
      await until(() => existsSync(join(folder, 'began')));
      expect(living(folder).length).toBeGreaterThan(5);
      child.kill(signal);
      expect(await ended).toBe(code);
      expect(living(folder)).toEqual([]);
      expect(output).toBe('');
      const jobs = join(folder, 'var/jobs/Sh');
      expect(readdirSync(jobs)).toEqual(['hang']);
      expect(readdirSync(join(jobs, 'hang')).sort()).toEqual(['Default.files', 'Default.info']);
      const info = JSON.parse(readFileSync(join(jobs, 'hang/Default.info'), 'utf8'));
      expect(info).toMatchObject({
        status: 'aborted',
        workflow: 'Sh',
        task_name: 'hang',
        exception: { class: 'Interruption' },
        start: expect.any(String),
        end: expect.any(String),
      });
      const status = await shell('chat task status Sh/hang/Default', {
        cwd: folder,
        env: { HOME: join(folder, 'home') },
      });
      expect(status).toEqual({ code: 0, stdout: 'aborted\n', stderr: '' });
    });

  test('leaves none when it is killed, however its children are grouped', async () => {
    const folder = project();
    const child = spawn(
      process.execPath,
      [join(packageFolder, 'bin/chat.js'), 'task', 'run', 'Sh', 'hang'],
      {
        cwd: folder,
        env: environment({ HOME: join(folder, 'home'), TEST_FOLDER: folder }),
        stdio: 'ignore',
      },
    );
    await until(() => existsSync(join(folder, 'began')));
    expect(living(folder).length).toBeGreaterThan(5);
    child.kill('SIGKILL');
    await until(() => living(folder).length === 0);
  });

  test('is stopped by Ctrl-C on a terminal, which is left as it was', async () => {
    const folder = project();
    let typed = false;
    const { code, output } = await onTerminal('chat', ['task', 'run', 'Sh', 'hang'], {
      cwd: folder,
      env: { HOME: join(folder, 'home'), TEST_FOLDER: folder },
      type() {
        if (typed || !existsSync(join(folder, 'began'))) return undefined;
        typed = true;
        return '\x03';
      },
    });
    expect(code).toBe(130);
    expect(living(folder)).toEqual([]);
    expect(output).toContain('Sh/hang');
    expect(output.endsWith('\x1b[J')).toBe(true);
  });
});

test('a reader that goes away is no failure, and the job is kept', async () => {
  const folder = project();
  const result = await shell('chat task run -q Sh many | head -c 2; echo "$PIPESTATUS"', {
    cwd: folder,
    env: { HOME: join(folder, 'home') },
  });
  expect(result).toEqual({ code: 0, stdout: 'y\n0\n', stderr: '' });
  expect(readFileSync(join(folder, 'var/jobs/Sh/many/Default')).length).toBe(3_000_000);
});

test('a full disk for the output is told, with exit 1', async () => {
  const folder = project();
  const result = await shell('chat task run -q Sh many > /dev/full', {
    cwd: folder,
    env: { HOME: join(folder, 'home') },
  });
  expect(result.code).toBe(1);
  expect(result.stderr).toMatch(/^error: /);
});
