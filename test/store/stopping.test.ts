// Jobs that are stopped, asked for twice at once, or in a store that is in trouble.

import { readdirSync, rmSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { Interruption, workFailure } from '../../src/errors.ts';
import type { JobEvent, PlannedJob } from '../../src/store/types.ts';
import { createFiles } from '../../src/world/files.ts';
import { createLocks } from '../../src/world/lock.ts';
import { temporaryFolder } from '../helpers/folder.ts';
import { makeTask, storeIn } from '../helpers/tasks.ts';
import { infoOf, left, wait } from './producing.ts';

describe('an abort', () => {
  const reason = new Interruption('SIGINT');

  test('marks what runs as aborted, with a whole .info, leaves no result, and begins nothing more', async () => {
    const stop = new AbortController();
    const ran: string[] = [];
    const task = makeTask('t', {
      inputs: { n: { type: 'integer' } },
      run: ({ n }, job) => {
        ran.push(String(n));
        return new Promise((_, reject) => {
          job.signal.addEventListener('abort', () => reject(job.signal.reason));
          if (ran.length === 2) stop.abort(reason);
        });
      },
    });
    const store = await storeIn(temporaryFolder());
    const jobs = await Promise.all([1, 2, 3, 4].map((n) => store.jobFor(task, { n })));
    await expect(store.produce(jobs, { cpus: 2, signal: stop.signal })).rejects.toBe(reason);
    expect(ran).toEqual(['1', '2']);
    const [first, , third] = jobs as [PlannedJob, PlannedJob, PlannedJob];
    expect(infoOf(first)).toMatchObject({
      status: 'aborted',
      exception: { class: 'Interruption' },
      end: expect.any(String),
    });
    expect(left(first)).toEqual([`${first.name}.info`, `${jobs[1]?.name}.info`].sort());
    expect(await store.readJob(first.path)).toMatchObject({
      status: 'aborted',
      error: { recoverable: true },
    });
    expect(await store.readJob(third.path)).toMatchObject({ status: 'waiting' });
  });

  test('does not keep what a task returns after it was told to end', async () => {
    const stop = new AbortController();
    const task = makeTask('t', {
      run: async () => {
        stop.abort(reason);
        await wait(1);
        return 'half of it';
      },
    });
    const store = await storeIn(temporaryFolder());
    const job = await store.jobFor(task);
    await expect(store.produce([job], { signal: stop.signal })).rejects.toBe(reason);
    expect(left(job)).toEqual(['Default.info']);
    expect(infoOf(job).status).toBe('aborted');
  });

  test('ends a stream that waits for its next piece for ever', async () => {
    const stop = new AbortController();
    const task = makeTask('t', {
      async *run() {
        yield 'first';
        setTimeout(() => stop.abort(reason), 5);
        await new Promise(() => {});
      },
    });
    const store = await storeIn(temporaryFolder());
    const job = await store.jobFor(task);
    await expect(store.produce([job], { signal: stop.signal })).rejects.toBe(reason);
    expect(left(job)).toEqual(['Default.info']);
    expect(infoOf(job).status).toBe('aborted');
  });

  test('before anything began leaves nothing', async () => {
    const folder = temporaryFolder();
    const store = await storeIn(folder);
    const job = await store.jobFor(makeTask('t'));
    await expect(store.produce([job], { signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
    expect(readdirSync(folder)).toEqual([]);
  });

  test('ends the wait for another process', async () => {
    const stop = new AbortController();
    const store = await storeIn(temporaryFolder({ 'var/jobs/Test/t/': '' }));
    const job = await store.jobFor(makeTask('t'));
    const lock = await createLocks().hold(job.path);
    const events: JobEvent[] = [];
    const waiting = store.produce([job], {
      signal: stop.signal,
      onEvent(event) {
        events.push(event);
        stop.abort(reason);
      },
    });
    await expect(waiting).rejects.toBe(reason);
    expect(events).toMatchObject([
      { kind: 'wait', holder: expect.stringContaining(String(process.pid)) },
    ]);
    await lock.release();
  });
});

describe('two requests at once', () => {
  test('compute a job once: the other waits, does its own work meanwhile, and uses the result', async () => {
    const folder = temporaryFolder();
    const ran: string[] = [];
    const task = makeTask('t', {
      inputs: { n: {} },
      run: async ({ n }) => {
        ran.push(String(n));
        await wait(20);
        return n;
      },
    });
    const events: JobEvent[] = [];
    const ask = async (numbers: readonly string[]) => {
      const store = await storeIn(folder, [task]);
      const jobs = await Promise.all(numbers.map((n) => store.jobFor(task, { n })));
      return store.produce(jobs, { cpus: 1, onEvent: (event) => events.push(event) });
    };
    const [one, other] = await Promise.all([ask(['shared', 'a']), ask(['shared', 'b'])]);
    expect([...one, ...other].map((each) => each.kind)).toEqual(Array(4).fill('done'));
    expect([...ran].sort()).toEqual(['a', 'b', 'shared']);
    // What began to be told ended being told, the wait too.
    const told = (kind: string) => events.filter((event) => event.kind === kind).length;
    expect([told('start'), told('wait'), told('end')]).toEqual([3, 1, 4]);
    // The one that had to wait did not keep its only place for that.
    expect(ran.indexOf('b')).toBeLessThan(2);
  });

  test('take an attempt that was waited for and failed as the answer of both', async () => {
    const folder = temporaryFolder();
    let tries = 0;
    const task = makeTask('t', {
      run: async () => {
        tries += 1;
        await wait(30);
        throw Object.assign(new Error('network'), { code: 'ECONNRESET' });
      },
    });
    const ask = async () => {
      const store = await storeIn(folder, [task]);
      return store.produce([await store.jobFor(task)]);
    };
    const outcomes = (await Promise.all([ask(), ask(), ask()])).flat();
    expect(outcomes.map((each) => each.kind)).toEqual(['failed', 'failed', 'failed']);
    expect(tries).toBe(1);
  });
});

describe('trouble with the store itself', () => {
  const files = createFiles();

  test('a result that cannot be written is told, may be tried again, and leaves no part', async () => {
    let full = true;
    const world = {
      files: {
        ...files,
        write: async (path: string, ...rest: [string | Uint8Array]) => {
          if (full && !path.endsWith('.info'))
            throw workFailure('disk-full', `cannot write "${path}": the disk is full`);
          return files.write(path, ...rest);
        },
      },
    };
    const store = await storeIn(temporaryFolder(), [], world);
    const job = await store.jobFor(makeTask('t'));
    await expect(store.result(job)).rejects.toThrow(/the disk is full/);
    expect(await store.readJob(job.path)).toMatchObject({
      status: 'error',
      error: { recoverable: true },
    });
    full = false;
    expect(await store.result(job)).toBe('t');
  });

  test('an .info that cannot be written: the task is not run, and the error names the folder', async () => {
    let ran = false;
    const world = {
      files: {
        ...files,
        write: async (path: string) => {
          throw workFailure('no-permission', `cannot write "${path}": permission denied`);
        },
      },
    };
    const store = await storeIn(temporaryFolder(), [], world);
    const job = await store.jobFor(makeTask('t', { run: () => (ran = true) }));
    await expect(store.result(job)).rejects.toMatchObject({
      code: 'job-not-kept',
      message: expect.stringMatching(
        /^Test\/t cannot be kept: cannot write ".*": permission denied$/,
      ),
      exitCode: 1,
    });
    expect(ran).toBe(false);
    expect(left(job)).toEqual([]);
  });

  test('an .info that cannot be written at the end: the job is done', async () => {
    let writes = 0;
    const world = {
      files: {
        ...files,
        write: async (path: string, ...rest: [string | Uint8Array]) => {
          if (path.endsWith('.info') && ++writes > 1) throw workFailure('disk-full', 'full');
          return files.write(path, ...rest);
        },
      },
    };
    const store = await storeIn(temporaryFolder(), [], world);
    const job = await store.jobFor(makeTask('t'));
    expect(await store.result(job)).toBe('t');
    expect(await store.readJob(job.path)).toMatchObject({ status: 'done' });
  });

  test('a file where the folder of jobs should be is told', async () => {
    const store = await storeIn(temporaryFolder({ 'var/jobs': 'not a folder' }));
    const job = await store.jobFor(makeTask('t'));
    await expect(store.result(job)).rejects.toMatchObject({ code: 'job-not-kept', exitCode: 1 });
  });

  test('a result that is gone again is computed again', async () => {
    const store = await storeIn(temporaryFolder());
    const job = await store.jobFor(makeTask('t'));
    await store.produce([job]);
    rmSync(job.path);
    const [outcome] = await store.produce([job]);
    expect(outcome).toMatchObject({ kind: 'done', computed: true });
  });
});
