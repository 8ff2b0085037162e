// Results of every kind, and what a running task may use.

import { createReadStream, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { Readable } from 'node:stream';
import { describe, expect, test } from 'vitest';
import type { JobEvent, JobInfo } from '../../src/store/types.ts';
import type { Task } from '../../src/workflows/types.ts';
import { temporaryFolder } from '../helpers/folder.ts';
import { makeTask, storeIn, type TaskParts } from '../helpers/tasks.ts';
import { infoOf, left, taskOf, wait } from './producing.ts';

describe('a result', () => {
  interface Kind {
    readonly name: string;
    readonly result: Task['result'];
    readonly run: NonNullable<TaskParts['run']>;
    readonly is: unknown;
  }
  const kinds: readonly Kind[] = [
    { name: 'of a promise', result: 'json', run: async () => ({ a: 1 }), is: { a: 1 } },
    {
      name: 'of bytes',
      result: 'binary',
      run: () => new Uint8Array([0, 255]),
      is: Buffer.from([0, 255]),
    },
    {
      name: 'of a Node stream',
      result: 'text',
      run: () => Readable.from(['a', Buffer.from('b'), 'c']),
      is: 'abc',
    },
    {
      name: 'of a web stream',
      result: 'text',
      run: () => new Blob(['web ', 'stream']).stream(),
      is: 'web stream',
    },
    {
      name: 'of an async generator',
      result: 'array',
      async *run() {
        yield 'one\n';
        await wait(1);
        yield 'two\n';
      },
      is: ['one', 'two'],
    },
    {
      name: 'of a generator',
      result: 'string',
      *run() {
        yield 'a';
        yield 'b';
      },
      is: 'ab',
    },
    {
      name: 'whose characters were cut between two pieces',
      result: 'string',
      *run() {
        for (const unit of 'x🐌y'.split('')) yield unit;
        for (const byte of Buffer.from('ž🐌')) yield new Uint8Array([byte]);
      },
      is: 'x🐌yž🐌',
    },
    {
      name: 'of pieces that are JSON together',
      result: 'json',
      run: () => Readable.from(['{"a"', ':1}']),
      is: { a: 1 },
    },
    { name: 'of no pieces', result: 'string', run: () => Readable.from([]), is: '' },
    { name: 'that is an empty list', result: 'array', run: () => [], is: [] },
    {
      name: 'of nothing, for a task that only makes artifacts',
      result: 'string',
      run: (_, job) => void writeFileSync(job.files('a.png'), ''),
      is: '',
    },
  ];
  for (const { name, result, run, is } of kinds)
    test(`${name} is stored and read back`, async () => {
      const store = await storeIn(temporaryFolder());
      const job = await store.jobFor(makeTask('t', { result, run }));
      expect(await store.result(job)).toEqual(is);
      expect(await store.loadResult(await store.readJob(job.path))).toEqual(is);
      expect(infoOf(job)).toMatchObject({ status: 'done', type: result });
    });

  const refusals: readonly Omit<Kind, 'is'>[] = [
    { name: 'that JSON would lose', result: 'json', run: () => ({ a: new Map() }) },
    { name: 'of the wrong type', result: 'integer', run: () => 'many' },
    { name: 'of pieces that are no JSON', result: 'json', run: () => Readable.from(['{"a"']) },
    {
      name: 'of a stream that cannot even be opened',
      result: 'string',
      run: () => createReadStream('/nonexistent'),
    },
    {
      name: 'of pieces that are neither text nor bytes',
      result: 'string',
      run: () => Readable.from([{ a: 1 }]),
    },
  ];
  for (const { name, result, run } of refusals)
    test(`${name} is a clear failure, and leaves nothing`, async () => {
      const store = await storeIn(temporaryFolder());
      const job = await store.jobFor(makeTask('t', { result, run }));
      await expect(store.result(job)).rejects.toMatchObject({ code: 'job-failed', exitCode: 1 });
      expect(await store.readJob(job.path)).toMatchObject({
        status: 'error',
        error: { recoverable: false },
      });
      expect(left(job)).toEqual([`${job.name}.files`, `${job.name}.info`]);
    });

  test('of a stream that breaks leaves nothing, and the error is the job’s', async () => {
    const task = makeTask('t', {
      async *run() {
        yield 'half';
        throw new Error('broke');
      },
    });
    const store = await storeIn(temporaryFolder());
    const job = await store.jobFor(task);
    await expect(store.result(job)).rejects.toThrow('Test/t failed: broke');
    expect(left(job)).toEqual(['Default.files', 'Default.info']);
  });

  test('is not there while its pieces arrive; the status is streaming then', async () => {
    const folder = temporaryFolder();
    const store = await storeIn(folder);
    let seen: unknown;
    const task = makeTask('t', {
      async *run(_, job) {
        yield 'first';
        await wait(1);
        seen = [existsSync(job.path), await store.readJob(job.path)];
        yield 'last';
      },
    });
    expect(await store.result(await store.jobFor(task))).toBe('firstlast');
    expect(seen).toMatchObject([false, { status: 'streaming', done: false }]);
  });
});

describe('a running task', () => {
  test('gets the results of its dependencies by their type, and where they are', async () => {
    const tasks = [
      makeTask('number', { result: 'integer', run: () => 7 }),
      makeTask('list', { result: 'array', run: () => ['a', 'b'] }),
      makeTask('top', {
        result: 'json',
        deps: ['number', { name: 'words', workflow: 'Test', task: 'list', inputs: () => ({}) }],
        run: async (_, job) => ({
          number: await job.dep('number'),
          words: await job.dep('words'),
          text: readFileSync(job.depPath('words'), 'utf8'),
        }),
      }),
    ];
    const store = await storeIn(temporaryFolder(), tasks);
    const job = await store.jobFor(taskOf(tasks, 'top'));
    expect(await store.result(job)).toEqual({ number: 7, words: ['a', 'b'], text: 'a\nb\n' });
    expect(infoOf(job).dependencies).toEqual(job.dependencies.map((each) => each.job.path));
  });

  test('that names a dependency which it does not have fails with their names', async () => {
    const tasks = [makeTask('a'), makeTask('top', { deps: ['a'], run: (_, job) => job.dep('b') })];
    const store = await storeIn(temporaryFolder(), tasks);
    await expect(store.result(await store.jobFor(taskOf(tasks, 'top')))).rejects.toThrow(
      'top has no dependency "b"',
    );
  });

  test('finds its artifact folder made, also a folder in it, and cannot leave it', async () => {
    const refused: string[] = [];
    const task = makeTask('t', {
      run: (_, job) => {
        writeFileSync(job.files('plots/a.svg'), '<svg/>');
        for (const name of ['../x', '/etc/x', 'a/../../x', '..', '', '.', 'a\0b'])
          try {
            job.files(name);
          } catch {
            refused.push(name);
          }
        return job.files();
      },
    });
    const store = await storeIn(temporaryFolder());
    const job = await store.jobFor(task);
    expect(await store.result(job)).toBe(`${job.path}.files`);
    expect(refused).toHaveLength(7);
    expect(readFileSync(`${job.path}.files/plots/a.svg`, 'utf8')).toBe('<svg/>');
  });

  test('that uses no artifact folder has none', async () => {
    const store = await storeIn(temporaryFolder());
    const job = await store.jobFor(makeTask('t'));
    await store.produce([job]);
    expect(left(job)).toEqual(['Default', 'Default.info']);
  });

  test('tells how far it is, to the caller and to everybody', async () => {
    const events: JobEvent[] = [];
    const store = await storeIn(temporaryFolder());
    let seen: JobInfo | undefined;
    const task = makeTask('t', {
      run: async (_, job) => {
        job.progress(1, 4, 'reading');
        job.log('a line');
        await wait(1);
        seen = (await store.readJob(job.path)).info;
        job.progress(4, 4, 'writing');
        return '';
      },
    });
    const job = await store.jobFor(task);
    await store.produce([job], { onEvent: (event) => events.push(event) });
    expect(events.map(({ kind }) => kind)).toEqual(['start', 'progress', 'log', 'progress', 'end']);
    expect(seen).toMatchObject({
      status: 'running',
      progress: { done: 1, total: 4 },
      messages: ['reading'],
    });
    expect(infoOf(job)).toMatchObject({ status: 'done', messages: ['reading', 'writing'] });
    expect(infoOf(job)).not.toHaveProperty('progress');
    expect(readFileSync(`${job.path}.files/job.log`, 'utf8')).toBe('a line\n');
  });

  test('leaves an .info with everything that explains it, in a fixed order', async () => {
    const task = makeTask('t', {
      inputs: { n: { type: 'integer', default: 1 }, name: {}, list: { type: 'string_array' } },
      result: 'json',
    });
    const store = await storeIn(temporaryFolder());
    const job = await store.jobFor(task, { name: 'x' });
    await store.produce([job]);
    const info = infoOf(job);
    expect(Object.keys(info)).toEqual(
      'status workflow task_name type inputs input_names provided_inputs non_default_inputs dependencies issued start end time_elapsed total_time_elapsed pid pid_hostname pid_started'.split(
        ' ',
      ),
    );
    expect(info).toMatchObject({
      inputs: [1, 'x', null],
      input_names: ['n', 'name', 'list'],
      provided_inputs: { name: 'x' },
      non_default_inputs: ['name'],
      pid: process.pid,
    });
    for (const field of ['issued', 'start', 'end'] as const)
      expect(new Date(info[field] ?? '').toISOString()).toBe(info[field]);
  });
});
