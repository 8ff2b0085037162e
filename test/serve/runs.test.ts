// Runs that calls share, in the real store: how many there are, and when they end.

import { describe, expect, test } from 'vitest';
import { createRuns } from '../../src/serve/runs.ts';
import { slotsFor } from '../../src/store/produce.ts';
import type { JobEvent } from '../../src/store/types.ts';
import type { Task } from '../../src/workflows/types.ts';
import { temporaryFolder } from '../helpers/folder.ts';
import { makeTask, storeIn } from '../helpers/tasks.ts';

const never = new AbortController().signal;
const silent = () => {};

/** A store whose tasks end when they are told to, or when they are stopped. */
async function setUp(cpus = 4, tasks: readonly Task[] = []) {
  const store = await storeIn(temporaryFolder(), tasks);
  const runs = createRuns(store, { slots: slotsFor(cpus), onEvent: silent });
  return { store, runs };
}

function patient(name: string, exec = false) {
  const log: string[] = [];
  const open: (() => void)[] = [];
  const task = makeTask(name, {
    exec,
    run: (_inputs, { signal }) =>
      new Promise<string>((resolve, reject) => {
        log.push('begin');
        open.push(() => resolve('done'));
        signal.addEventListener('abort', () => {
          log.push('stopped');
          reject(signal.reason);
        });
      }),
  });
  const begun = async (count: number) => {
    while (log.filter((each) => each === 'begin').length < count)
      await new Promise((resolve) => setTimeout(resolve, 5));
  };
  return { task, log, begun, finish: () => open.forEach((end) => void end()) };
}

describe('equal calls', () => {
  test('share one run, each told what comes while it waits', async () => {
    const { store, runs } = await setUp();
    const { task, log, begun, finish } = patient('one');
    const job = await store.jobFor(task);
    const events: JobEvent['kind'][][] = [[], []];
    const first = runs.run(job, { signal: never, onEvent: ({ kind }) => events[0]?.push(kind) });
    await begun(1);
    const second = runs.run(job, { signal: never, onEvent: ({ kind }) => events[1]?.push(kind) });
    finish();
    expect(await Promise.all([first, second])).toMatchObject([{ kind: 'done' }, { kind: 'done' }]);
    expect(log).toEqual(['begin']);
    expect(events).toEqual([['start', 'end'], ['end']]);
    expect(await runs.run(job, { signal: never, onEvent: silent })).toMatchObject({
      computed: false,
    });
  });

  test('of a task that is not kept run apart', async () => {
    const { store, runs } = await setUp();
    const { task, begun, finish } = patient('one', true);
    const job = await store.jobFor(task);
    const both = [1, 2].map(() => runs.run(job, { signal: never, onEvent: silent }));
    await begun(2);
    finish();
    expect(await Promise.all(both)).toHaveLength(2);
  });
});

describe('a call that leaves', () => {
  test('lets the run go on for another, and the last one ends it', async () => {
    const { store, runs } = await setUp();
    const { task, log, begun } = patient('one');
    const job = await store.jobFor(task);
    const stops = [new AbortController(), new AbortController()];
    const calls = stops.map(({ signal }) => runs.run(job, { signal, onEvent: silent }));
    await begun(1);
    stops[0]?.abort(new Error('first'));
    await expect(calls[0]).rejects.toThrow('first');
    expect(log).toEqual(['begin']);
    stops[1]?.abort(new Error('second'));
    await expect(calls[1]).rejects.toThrow('second');
    expect(log).toEqual(['begin', 'stopped']);
    expect((await store.readJob(job.path)).status).toBe('aborted');
  });

  test('does not take one with it that comes while its run is ending', async () => {
    const { store, runs } = await setUp();
    const { task, log, begun, finish } = patient('one');
    const job = await store.jobFor(task);
    const stop = new AbortController();
    const leaving = runs.run(job, { signal: stop.signal, onEvent: silent });
    await begun(1);
    stop.abort(new Error('gone'));
    const staying = runs.run(job, { signal: never, onEvent: silent });
    await expect(leaving).rejects.toThrow('gone');
    await begun(2);
    finish();
    expect(await staying).toMatchObject({ kind: 'done', computed: true });
    expect(log).toEqual(['begin', 'stopped', 'begin']);
  });

  test('before it came begins nothing', async () => {
    const { store, runs } = await setUp();
    const { task, log } = patient('one');
    const job = await store.jobFor(task);
    await expect(
      runs.run(job, { signal: AbortSignal.abort(new Error('early')), onEvent: silent }),
    ).rejects.toThrow('early');
    expect(log).toEqual([]);
  });
});

test('stopping ends all runs, and what comes later', async () => {
  const { store, runs } = await setUp();
  const tasks = [patient('one'), patient('two')];
  const jobs = await Promise.all(tasks.map(({ task }) => store.jobFor(task)));
  const calls = jobs.map((job) =>
    runs.run(job, { signal: never, onEvent: silent }).catch((error) => error.message),
  );
  await Promise.all(tasks.map(({ begun }) => begun(1)));
  expect(await runs.stop(new Error('the end'))).toBe(true);
  expect(tasks.map(({ log }) => log.at(-1))).toEqual(['stopped', 'stopped']);
  expect(await Promise.all(calls)).toEqual(['the end', 'the end']);
  await expect(
    runs.run(jobs[0] as (typeof jobs)[number], { signal: never, onEvent: silent }),
  ).rejects.toThrow('the end');
  expect(await runs.stop(new Error('again'))).toBe(false);
});

test('calls share the places for jobs, also behind a dependency that another computes', async () => {
  let [running, most] = [0, 0];
  const run = async () => {
    running += 1;
    most = Math.max(most, running);
    await new Promise((resolve) => setTimeout(resolve, 20));
    running -= 1;
    return 'x';
  };
  const deps = ['below'];
  const tasks = [
    makeTask('below', { run }),
    makeTask('one', { run, deps }),
    makeTask('two', { run, deps }),
    makeTask('three', { run }),
  ];
  const { store, runs } = await setUp(1, tasks);
  const outcomes = await Promise.all(
    tasks
      .slice(1)
      .map(async (task) => runs.run(await store.jobFor(task), { signal: never, onEvent: silent })),
  );
  expect(outcomes.map(({ kind }) => kind)).toEqual(['done', 'done', 'done']);
  expect(most).toBe(1);
});
