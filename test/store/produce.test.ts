// Computing graphs of jobs in one process: order, sharing, what is not stored.

import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { temporaryFolder } from '../helpers/folder.ts';
import { makeTask, storeIn, type TaskParts } from '../helpers/tasks.ts';
import { diamond, infoOf, taskOf, wait } from './producing.ts';

describe('a graph of jobs', () => {
  test('is computed from below, each job once, and the second time nothing is', async () => {
    const ran: string[] = [];
    const tasks = diamond(ran);
    const store = await storeIn(temporaryFolder(), tasks);
    const top = await store.jobFor(taskOf(tasks, 'top'));
    const also = await store.jobFor(taskOf(tasks, 'left'));
    const outcomes = await store.produce([top, also, top]);
    expect(outcomes.map((each) => each.kind)).toEqual(['done', 'done', 'done']);
    expect(ran).toHaveLength(4);
    expect([ran[0], ran[3]]).toEqual(['base', 'top']);
    expect(await store.loadResult({ path: top.path, type: 'string' })).toBe(
      'top(left(base) right(base))',
    );
    const again = await store.produce([top, also]);
    expect(again.map((each) => each.kind === 'done' && each.computed)).toEqual([false, false]);
    expect(ran).toHaveLength(4);
  });

  test('needs nothing below a job that is there, also when that was cleaned', async () => {
    const ran: string[] = [];
    const tasks = diamond(ran);
    const folder = temporaryFolder();
    const store = await storeIn(folder, tasks);
    const top = await store.jobFor(taskOf(tasks, 'top'));
    await store.produce([top]);
    await store.clean(join(folder, 'var/jobs/Test/base/Default'));
    await store.produce([top]);
    expect(ran).toHaveLength(4);
    expect(existsSync(join(folder, 'var/jobs/Test/base/Default'))).toBe(false);
  });

  test('runs so many at a time and no more', async () => {
    let running = 0;
    let most = 0;
    const task = makeTask('t', {
      inputs: { n: { type: 'integer' } },
      run: async () => {
        most = Math.max(most, ++running);
        await wait(5);
        running -= 1;
        return '';
      },
    });
    const store = await storeIn(temporaryFolder(), [task]);
    const jobs = await Promise.all(Array.from({ length: 12 }, (_, n) => store.jobFor(task, { n })));
    await store.produce(jobs, { cpus: 3 });
    expect(most).toBe(3);
  });

  test('gives its signal to as many tasks as run, without a warning of the platform', async () => {
    const warnings: Error[] = [];
    const note = (warning: Error) => void warnings.push(warning);
    process.on('warning', note);
    const task = makeTask('t', {
      inputs: { n: { type: 'integer' } },
      run: async (_, job) => {
        job.signal.addEventListener('abort', () => {});
        await wait(5);
        return '';
      },
    });
    const store = await storeIn(temporaryFolder(), [task]);
    const jobs = await Promise.all(Array.from({ length: 30 }, (_, n) => store.jobFor(task, { n })));
    await store.produce(jobs, { cpus: 30, signal: new AbortController().signal });
    await wait(5);
    process.off('warning', note);
    expect(warnings).toEqual([]);
  });

  test('stops at a failure only what depends on it', async () => {
    const ran: string[] = [];
    const note = (name: string, parts: TaskParts = {}) =>
      makeTask(name, { ...parts, run: () => `${ran.push(name)}` });
    const tasks = [
      makeTask('bad', {
        run: () => {
          throw new TypeError('no such thing');
        },
      }),
      note('good'),
      note('above', { deps: ['good', 'bad'] }),
      note('higher', { deps: ['above'] }),
      note('beside', { deps: ['good'] }),
    ];
    const store = await storeIn(temporaryFolder(), tasks);
    const [higher, beside] = [
      await store.jobFor(taskOf(tasks, 'higher')),
      await store.jobFor(taskOf(tasks, 'beside')),
    ];
    const [stopped, finished] = await store.produce([higher, beside]);
    expect(ran).toEqual(['good', 'beside']);
    expect(finished?.kind).toBe('done');
    expect(stopped).toMatchObject({
      kind: 'failed',
      error: { class: 'TypeError', message: 'no such thing', recoverable: false },
      failure: {
        message: 'Test/higher needs a job that failed: Test/bad failed: TypeError: no such thing',
        exitCode: 1,
        at: expect.stringMatching(/Test\/bad\/Default$/),
        next: expect.stringMatching(/^chat task log .*Test\/bad\/Default tells more/),
      },
      culprit: { task: { name: 'bad' } },
    });
    // What was never begun left nothing.
    expect(existsSync(dirname(higher.path))).toBe(false);
  });
});

describe('a task that is not worth storing', () => {
  test('is computed each time, in place, and leaves nothing', async () => {
    let count = 0;
    const task = makeTask('now', { exec: true, result: 'integer', run: () => String(++count) });
    const folder = temporaryFolder();
    const store = await storeIn(folder);
    const job = await store.jobFor(task);
    expect([await store.result(job), await store.result(job)]).toEqual([1, 2]);
    expect(readdirSync(folder)).toEqual([]);
  });

  test('gives its value to what depends on it, as a file too', async () => {
    const tasks = [
      makeTask('now', { exec: true, result: 'json', run: () => ({ at: 5 }) }),
      makeTask('top', {
        deps: ['now'],
        run: async (_, job) =>
          `${JSON.stringify(await job.dep('now'))} ${readFileSync(job.depPath('now'), 'utf8')}`,
      }),
    ];
    const store = await storeIn(temporaryFolder(), tasks);
    const job = await store.jobFor(taskOf(tasks, 'top'));
    expect(await store.result(job)).toBe('{"at":5} {"at":5}\n');
    expect(infoOf(job).dependencies).toEqual([]);
  });

  test('fails as others do, and is computed again all the same', async () => {
    const task = makeTask('now', {
      exec: true,
      run: () => {
        throw new Error('no');
      },
    });
    const store = await storeIn(temporaryFolder());
    const job = await store.jobFor(task);
    await expect(store.result(job)).rejects.toThrow('Test/now failed: no');
    await expect(store.result(job)).rejects.toThrow('Test/now failed: no');
  });
});
