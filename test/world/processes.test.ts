import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { Interruption } from '../../src/errors.ts';
import { createProcesses } from '../../src/world/processes.ts';
import { until } from '../helpers/children.ts';
import { temporaryFolder } from '../helpers/folder.ts';
import { buildProgram } from '../helpers/program.ts';

const processes = createProcesses(process.env);

const isAlive = (pid: number): boolean => {
  try {
    // A process that ended and waits for its parent can still be signalled.
    return !/^\d+ \(.*\) Z/s.test(readFileSync(`/proc/${pid}/stat`, 'latin1'));
  } catch {
    return false;
  }
};

/** Scripts write the numbers of the processes that they start into `pids`, and `ready` when all stand. */
const STUBBORN: readonly { name: string; script: string; count: number }[] = [
  { name: 'a plain child', script: 'sleep 300 & echo $! >> pids; touch ready; wait', count: 1 },
  {
    name: 'a shell that ignores TERM',
    script: "trap '' TERM; echo $$ >> pids; touch ready; while :; do sleep 0.2; done",
    count: 1,
  },
  {
    name: 'a grandchild that ignores TERM while its parent obeys',
    script: `sh -c 'trap "" TERM; echo $$ >> pids; touch ready; while :; do sleep 0.2; done' & wait`,
    count: 1,
  },
  {
    name: 'a child in a session of its own',
    script: `setsid sh -c 'echo $$ >> pids; touch ready; exec sleep 300' & wait`,
    count: 1,
  },
  {
    name: 'a child in a session of its own that ignores TERM and has a child in another',
    script: `setsid sh -c 'trap "" TERM; setsid sleep 300 & echo $$ >> pids; echo $! >> pids; touch ready; while :; do sleep 0.2; done' & wait`,
    count: 2,
  },
  {
    name: 'a child that timeout moved to a group of its own',
    script: `timeout 300 sh -c 'echo $$ >> pids; touch ready; sleep 300'`,
    count: 1,
  },
  {
    name: 'a child that answers TERM by starting another in a session of its own',
    script: `sh -c 'trap "setsid sleep 300 & echo \\$! >> pids; wait" TERM; echo $$ >> pids; touch ready; while :; do sleep 0.1; done' & wait`,
    count: 1,
  },
];

interface Stopped {
  readonly reason: unknown;
  readonly settled: unknown;
  readonly pids: readonly number[];
  readonly left: readonly number[];
}

async function stopInTheMiddle(script: string, count: number): Promise<Stopped> {
  const folder = temporaryFolder();
  const stop = new AbortController();
  const run = processes.run('/bin/sh', ['-c', script], { cwd: folder, signal: stop.signal });
  const settled = run.catch((error: unknown) => error);
  const pids = () =>
    existsSync(join(folder, 'pids'))
      ? readFileSync(join(folder, 'pids'), 'utf8').trim().split('\n').map(Number)
      : [];
  await until(() => existsSync(join(folder, 'ready')) && pids().filter(isAlive).length >= count);
  const reason = new Interruption('SIGINT');
  stop.abort(reason);
  return { reason, settled: await settled, pids: pids(), left: pids().filter(isAlive) };
}

describe('stopping', () => {
  // Each takes the whole grace, so all of them take it together.
  let stopped: readonly Stopped[];
  beforeAll(async () => {
    stopped = await Promise.all(
      STUBBORN.map(({ script, count }) => stopInTheMiddle(script, count)),
    );
  });

  for (const [index, { name, count }] of STUBBORN.entries())
    test(`${name} is gone when the call settles`, () => {
      const { reason, settled, pids, left } = stopped[index] ?? {};
      expect(settled).toBe(reason);
      expect(pids?.length).toBeGreaterThanOrEqual(count);
      expect(left).toEqual([]);
    });

  test('a limit of time ends the whole group and is told', async () => {
    const folder = temporaryFolder();
    const result = await processes.run(
      '/bin/sh',
      ['-c', 'sleep 300 & echo $! > pid; echo begun; wait'],
      {
        cwd: folder,
        timeout: 300,
      },
    );
    expect(result).toMatchObject({
      code: null,
      signal: 'SIGTERM',
      timedOut: true,
      stdout: 'begun\n',
    });
    expect(isAlive(Number(readFileSync(join(folder, 'pid'), 'utf8')))).toBe(false);
  });

  test('an aborted signal starts nothing', async () => {
    const reason = new Interruption('SIGTERM');
    const folder = temporaryFolder();
    const run = processes.run('touch', ['made'], {
      cwd: folder,
      signal: AbortSignal.abort(reason),
    });
    await expect(run).rejects.toBe(reason);
    expect(existsSync(join(folder, 'made'))).toBe(false);
  });

  test('what a finished command left in the background goes on', async () => {
    const folder = temporaryFolder();
    const script = 'setsid sleep 300 > /dev/null 2>&1 & echo $!';
    const { stdout, code } = await processes.run('/bin/sh', ['-c', script], { cwd: folder });
    expect([code, isAlive(Number(stdout))]).toEqual([0, true]);
    process.kill(Number(stdout), 'SIGKILL');
  });

  test('a program that ends by itself takes its children with it', async () => {
    const folder = temporaryFolder();
    const program = await buildProgram('start-child');
    const parent = spawn(process.execPath, [program.file, folder], { stdio: 'ignore' });
    const ended = new Promise((resolve) => parent.on('close', resolve));
    await until(() => existsSync(join(folder, 'pids')));
    const pids = readFileSync(join(folder, 'pids'), 'utf8').trim().split(' ').map(Number);
    expect(await ended).toBe(7);
    program.remove();
    await until(() => !pids.some(isAlive));
    expect(pids.length).toBe(2);
  });
});

describe('output', () => {
  test('bytes arrive as they were written, also those that are no text', async () => {
    const pieces: Uint8Array[] = [];
    const script = "printf 'a\\377\\000b'; printf 'žluť' >&2";
    const result = await processes.run('/bin/sh', ['-c', script], {
      onStdoutBytes: (bytes) => void pieces.push(bytes),
    });
    expect([...Buffer.concat(pieces)]).toEqual([0x61, 0xff, 0, 0x62]);
    expect(result).toMatchObject({ code: 0, stdout: '', stderr: 'žluť' });
  });

  test('of much standard error only the end is kept, and all of it is told', async () => {
    let told = 0;
    const script =
      'i=0; while [ $i -lt 3000 ]; do echo "line $i of the noise" >&2; i=$((i+1)); done';
    const { stderr } = await processes.run('/bin/sh', ['-c', script], {
      keepStderr: 100,
      onStderr: (text) => {
        told += text.length;
      },
    });
    expect(stderr).toHaveLength(100);
    expect(stderr.endsWith('line 2999 of the noise\n')).toBe(true);
    expect(told).toBeGreaterThan(60_000);
  });

  test('a program that is not there rejects with its code', async () => {
    await expect(processes.run('no-such-program-here', [])).rejects.toMatchObject({
      code: 'ENOENT',
    });
    await expect(processes.run('true', ['a\0b'])).rejects.toMatchObject({
      code: 'ERR_INVALID_ARG_VALUE',
    });
  });
});
