// Several processes on one folder of jobs, some of them killed: each job is computed once, results are whole or absent.

import { type ChildProcess, spawn } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { until } from '../helpers/children.ts';
import { temporaryFolder } from '../helpers/folder.ts';
import { buildProgram } from '../helpers/program.ts';
import { somebodyElse, somebodyElseCan } from '../helpers/somebody-else.ts';
import { makeTask, storeIn } from '../helpers/tasks.ts';

const PROCESSES = 16;
const JOBS = 50;
const KILLED = 5;
const REPEATS = 20;

type Program = Awaited<ReturnType<typeof buildProgram>>;
let diamond: Program;
let single: Program;

beforeAll(async () => {
  [diamond, single] = await Promise.all([
    buildProgram('produce-diamond'),
    buildProgram('produce-one'),
  ]);
});
afterAll(() => {
  diamond.remove();
  single.remove();
});

describe('sixteen processes that ask for one diamond of fifty jobs', () => {
  test('compute each job exactly once', async () => {
    const folder = temporaryFolder();
    const watch = watchResults(folder);
    const runs = Array.from({ length: PROCESSES }, (_, index) =>
      start(diamond, folder, `${index + 1}`),
    );
    const ends = await Promise.all(runs.map(({ ended }) => ended));
    await watch.stop();
    expect(ends).toEqual(ends.map(() => ({ code: 0, signal: null, errors: '' })));
    const counted = count(folder);
    expect(counted.size).toBe(JOBS);
    for (const [name, processes] of counted) expect([name, processes.length]).toEqual([name, 1]);
    expect(whole(folder)).toBe(JOBS);
    expect(strays(folder)).toEqual([]);
  });

  test(`also when ${KILLED} are killed at random moments, ${REPEATS} times: no part of a result is ever seen`, async () => {
    let looks = 0;
    let takenOver = 0;
    for (let repeat = 0; repeat < REPEATS; repeat++) {
      const folder = temporaryFolder();
      const watch = watchResults(folder);
      const runs = Array.from({ length: PROCESSES }, (_, index) =>
        start(diamond, folder, `${index + 1}`),
      );
      await until(() => count(folder).size >= 1);
      const killed = runs.slice(0, KILLED);
      const kills = killed.map(async ({ child }) => {
        await wait(Math.random() * 400);
        child.kill('SIGKILL');
      });
      await Promise.all(kills);
      const ends = await Promise.all(runs.slice(KILLED).map(({ ended }) => ended));
      await Promise.all(killed.map(({ ended }) => ended));
      looks += await watch.stop();
      expect(ends).toEqual(ends.map(() => ({ code: 0, signal: null, errors: '' })));
      const dead = new Set(killed.map(({ child }) => child.pid));
      const counted = count(folder);
      expect(counted.size).toBe(JOBS);
      for (const [name, processes] of counted) {
        // Only a process that was killed in the middle of a job leaves it to another one.
        expect([name, processes.slice(0, -1).filter((pid) => !dead.has(pid))]).toEqual([name, []]);
        expect(new Set(processes).size).toBe(processes.length);
        takenOver += processes.length - 1;
      }
      expect(whole(folder)).toBe(JOBS);
    }
    // Else nothing was tried here.
    expect(takenOver).toBeGreaterThan(0);
    expect(looks).toBeGreaterThan(REPEATS * JOBS);
  }, 600_000);
});

describe('a job whose process was killed', () => {
  test('is taken over within two seconds by one that waits for it', async () => {
    const folder = temporaryFolder({ hang: '' });
    const first = start(single, folder);
    await until(() => existsSync(join(folder, 'began')));
    const second = start(single, folder);
    await until(() => existsSync(join(folder, 'waits')));
    const { unlinkSync } = await import('node:fs');
    unlinkSync(join(folder, 'hang'));
    const killedAt = performance.now();
    first.child.kill('SIGKILL');
    expect(await second.ended).toMatchObject({ code: 0, output: 'result\n' });
    expect(performance.now() - killedAt).toBeLessThan(2000);
    expect(strays(folder)).toEqual([]);
  });

  test('is seen as aborted, and is computed by the next request', async () => {
    const folder = temporaryFolder({ hang: '' });
    const first = start(single, folder);
    await until(() => existsSync(join(folder, 'began')));
    const store = await storeIn(folder);
    const place = join(folder, 'var/jobs/Test/one/Default');
    expect(await store.readJob(place)).toMatchObject({
      status: 'running',
      info: { pid: first.child.pid },
    });
    first.child.kill('SIGKILL');
    await first.ended;
    expect(await store.readJob(place)).toMatchObject({
      status: 'aborted',
      error: { class: 'Killed', recoverable: true },
    });
    const job = await store.jobFor(makeTask('one', { run: () => 'mine' }));
    expect(await store.result(job)).toBe('mine');
    expect(strays(folder)).toEqual([]);
  });

  test('in the middle of a stream leaves no half file once it was taken over', async () => {
    const folder = temporaryFolder({ stream: '' });
    const place = await killedInStream(folder);
    const store = await storeIn(folder);
    expect(await store.result(await store.jobFor(makeTask('one', { run: () => 'mine' })))).toBe(
      'mine',
    );
    expect(readdirSync(place).sort()).toEqual(['Default', 'Default.info']);
  });

  test('in the middle of a stream leaves no half file once it was cleaned', async () => {
    const folder = temporaryFolder({ stream: '' });
    const place = await killedInStream(folder);
    await (await storeIn(folder)).clean(join(place, 'Default'));
    expect(readdirSync(place)).toEqual([]);
  });
});

describe('a lock of another host', () => {
  const claim = { pid: 1, started: '1', host: 'elsewhere', space: 'x', token: 'abc' };

  test('is waited for while its heart beats, and taken over when it is silent for a minute', async () => {
    const folder = temporaryFolder({ 'var/jobs/Test/one/': '' });
    const lock = join(folder, 'var/jobs/Test/one/Default.lock');
    writeFileSync(lock, JSON.stringify(claim));
    const store = await storeIn(folder);
    const job = await store.jobFor(makeTask('one'));
    const stop = new AbortController();
    const waiting = store.produce([job], {
      signal: stop.signal,
      onEvent: ({ kind }) =>
        kind === 'wait' && setTimeout(() => stop.abort(new Error('still held')), 300),
    });
    await expect(waiting).rejects.toThrow('still held');
    expect(await store.readJob(job.path)).toMatchObject({
      status: 'running',
      holder: 'process 1 on elsewhere',
    });
    const old = new Date(Date.now() - 61_000);
    utimesSync(lock, old, old);
    expect(await store.result(job)).toBe('one');
  });
});

describe('a folder of jobs that may not be written to', () => {
  test.runIf(somebodyElseCan)(
    'gives what is there, and refuses new work before it begins, with an error that names the job',
    async () => {
      const folder = temporaryFolder({ 'var/jobs/Test/one/': '', began: '' });
      chmodSync(join(folder, 'began'), 0o666);
      for (const each of ['.', 'var', 'var/jobs', 'var/jobs/Test', 'var/jobs/Test/one'])
        chmodSync(join(folder, each), 0o555);
      chmodSync(dirname(single.file), 0o755);
      const refused = await start(single, folder, '', somebodyElse).ended;
      expect(refused).toMatchObject({
        code: 1,
        errors: expect.stringMatching(
          /^Test\/one cannot be kept: cannot (?:write|create) ".*": permission denied\n$/,
        ),
      });
      expect(readFileSync(join(folder, 'began'), 'utf8')).toBe('');
      writeFileSync(join(folder, 'var/jobs/Test/one/Default'), 'result');
      expect(await start(single, folder, '', somebodyElse).ended).toMatchObject({
        code: 0,
        output: 'result\n',
      });
      for (const each of ['var/jobs/Test/one', '.']) chmodSync(join(folder, each), 0o755);
    },
  );
});

interface Ended {
  readonly code: number | null;
  readonly signal: string | null;
  readonly errors: string;
}

function start(
  program: Program,
  folder: string,
  seed = '',
  identity: { uid?: number; gid?: number } = {},
): { child: ChildProcess; ended: Promise<Ended & { output?: string }> } {
  mkdirSync(folder, { recursive: true });
  const child = spawn(process.execPath, [program.file, folder, seed], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { PATH: process.env.PATH },
    ...identity,
  });
  let errors = '';
  let output = '';
  child.stderr?.on('data', (text) => (errors += text));
  child.stdout?.on('data', (text) => (output += text));
  const ended = new Promise<Ended & { output?: string }>((resolve) =>
    child.on('close', (code, signal) =>
      resolve({ code, signal, errors, ...(output === '' ? {} : { output }) }),
    ),
  );
  return { child, ended };
}

/** Who began each job, in order. */
function count(folder: string): ReadonlyMap<string, readonly number[]> {
  const counted = new Map<string, number[]>();
  const file = join(folder, 'counter');
  if (!existsSync(file)) return counted;
  for (const line of readFileSync(file, 'utf8').split('\n').slice(0, -1)) {
    const [name = '', pid] = line.split(' ');
    counted.set(name, [...(counted.get(name) ?? []), Number(pid)]);
  }
  return counted;
}

/** How many results there are; throws for one that is not whole. */
function whole(folder: string): number {
  const root = join(folder, 'var/jobs/Test');
  if (!existsSync(root)) return 0;
  let results = 0;
  for (const name of readdirSync(root)) {
    const file = join(root, name, 'Default');
    if (!existsSync(file)) continue;
    const text = readFileSync(file, 'utf8');
    if (!text.endsWith(`\nend of ${name}\n`)) throw new Error(`${name} is not whole`);
    const info = `${file}.info`;
    if (existsSync(info)) JSON.parse(readFileSync(info, 'utf8'));
    results += 1;
  }
  return results;
}

/** Looks at the results again and again; `stop` tells how many it saw, or throws what it found wrong. */
function watchResults(folder: string): { stop(): Promise<number> } {
  let seen = 0;
  let going = true;
  const watching = (async () => {
    while (going) {
      seen += whole(folder);
      await wait(15);
    }
  })();
  watching.catch(() => {});
  return {
    async stop() {
      going = false;
      await watching;
      return seen;
    },
  };
}

/** Locks and half files. */
function strays(folder: string): readonly string[] {
  return readdirSync(join(folder, 'var/jobs'), { recursive: true, encoding: 'utf8' }).filter(
    (name) => /\.lock|\.tmp$/.test(name),
  );
}

const wait = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds));

/** Runs the task that streams its result, kills it when a part is written, and gives the folder of its jobs. */
async function killedInStream(folder: string): Promise<string> {
  const first = start(single, folder);
  const place = join(folder, 'var/jobs/Test/one');
  await until(
    () => existsSync(place) && readdirSync(place).some((name) => /^\.Default\..*\.tmp$/.test(name)),
  );
  first.child.kill('SIGKILL');
  await first.ended;
  return place;
}
