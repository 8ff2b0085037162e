// Computing jobs in one process: order, sharing, failures, results of every kind, abort.

import {
  createReadStream,
  existsSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import { describe, expect, test } from 'vitest';
import { Interruption, providerFailure, workFailure } from '../../src/errors.ts';
import type { JobEvent, JobInfo, PlannedJob } from '../../src/store/types.ts';
import type { Task } from '../../src/workflows/types.ts';
import { createFiles } from '../../src/world/files.ts';
import { createLocks } from '../../src/world/lock.ts';
import { temporaryFolder } from '../helpers/folder.ts';
import { makeTask, storeIn, type TaskParts } from '../helpers/tasks.ts';

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

describe('a failure', () => {
  interface Passing {
    readonly name: string;
    readonly error: unknown;
    readonly passes: boolean;
    readonly said?: { class: string; message: string };
  }
  const coded = (code: string, cause?: unknown) =>
    Object.assign(new Error(`error ${code}`, { cause }), { code });
  const named = (name: string) => Object.assign(new Error(name), { name });
  const failures: readonly Passing[] = [
    {
      name: 'a plain error',
      error: new Error('wrong'),
      passes: false,
      said: { class: 'Error', message: 'wrong' },
    },
    {
      name: 'a text',
      error: 'just text',
      passes: false,
      said: { class: 'Error', message: 'just text' },
    },
    { name: 'nothing at all', error: undefined, passes: false },
    { name: 'a missing file', error: coded('ENOENT'), passes: false },
    { name: 'a refused connection', error: coded('ECONNREFUSED'), passes: true },
    { name: 'a host that is not known', error: coded('ENOTFOUND'), passes: true },
    { name: 'a time limit', error: named('TimeoutError'), passes: true },
    {
      name: 'a network trouble below another error',
      error: new TypeError('fetch failed', { cause: coded('ECONNRESET') }),
      passes: true,
    },
    {
      name: 'a time limit of the HTTP library',
      error: coded('UND_ERR_HEADERS_TIMEOUT'),
      passes: true,
    },
    { name: 'wrong use of the HTTP library', error: coded('UND_ERR_INVALID_ARG'), passes: false },
    { name: 'a full disk', error: coded('ENOSPC'), passes: true },
    {
      name: 'a busy provider',
      error: providerFailure('provider-error', 'busy', { facts: { kind: 'rate_limited' } }),
      passes: true,
    },
    {
      name: 'a provider that refuses',
      error: providerFailure('provider-error', 'no', { facts: { kind: 'bad_request' } }),
      passes: false,
    },
    {
      name: 'an error that says so itself',
      error: Object.assign(new Error('later'), { recoverable: true }),
      passes: true,
    },
    {
      name: 'a failure that says so itself',
      error: workFailure('x', 'killed', { facts: { recoverable: true } }),
      passes: true,
    },
  ];
  for (const { name, error, passes, said } of failures)
    test(`of ${name} ${passes ? 'is tried again by the next request' : 'stays the answer until it is cleaned'}`, async () => {
      let tries = 0;
      const task = makeTask('t', {
        run: () => {
          tries += 1;
          throw error;
        },
      });
      const store = await storeIn(temporaryFolder());
      const job = await store.jobFor(task);
      const [first] = await store.produce([job]);
      const [second] = await store.produce([job]);
      expect([first?.kind, second?.kind, tries]).toEqual(['failed', 'failed', passes ? 2 : 1]);
      const stored = await store.readJob(job.path);
      expect(stored).toMatchObject({
        status: 'error',
        done: false,
        error: { recoverable: passes, ...said },
      });
      await store.clean(job.path);
      await store.produce([job]);
      expect(tries).toBe(passes ? 3 : 2);
    });

  test('has the place of its workflow in the .info and in the log, and none of this program', async () => {
    const task = makeTask('t', {
      run: () => {
        throw workFailure('command-failed', 'no flour', { at: { file: 'Baking.yaml', line: 7 } });
      },
    });
    const store = await storeIn(temporaryFolder());
    const job = await store.jobFor(task);
    await store.produce([job]);
    expect(infoOf(job).backtrace).toEqual(['no flour', '    at Baking.yaml:7']);
    expect(readFileSync(`${job.path}.files/job.log`, 'utf8')).toBe(
      'no flour\n    at Baking.yaml:7\n',
    );
  });

  test('has its stack in the .info and in the log, with what caused it', async () => {
    const task = makeTask('t', {
      run: (_, job) => {
        job.log('about to fail');
        throw new Error('outer', { cause: new Error('inner') });
      },
    });
    const store = await storeIn(temporaryFolder());
    const job = await store.jobFor(task);
    await store.produce([job]);
    const { backtrace, exception } = infoOf(job);
    expect(exception).toEqual({ class: 'Error', message: 'outer' });
    expect((backtrace as string[]).join('\n')).toMatch(
      /^Error: outer\n\s+at [\s\S]*\ncaused by: Error: inner\n/,
    );
    expect(readFileSync(`${job.path}.files/job.log`, 'utf8')).toMatch(
      /^about to fail\nError: outer\n/,
    );
  });

  test('that is tried again adds to the log, keeps the artifacts, and says so', async () => {
    let fail = true;
    const task = makeTask('t', {
      run: (_, job) => {
        writeFileSync(job.files('kept.txt'), 'x');
        job.log(fail ? 'first' : 'second');
        if (fail) throw Object.assign(new Error('later'), { recoverable: true });
        return 'ok';
      },
    });
    const store = await storeIn(temporaryFolder());
    const job = await store.jobFor(task);
    await store.produce([job]);
    fail = false;
    expect(await store.result(job)).toBe('ok');
    expect(readFileSync(`${job.path}.files/job.log`, 'utf8')).toMatch(
      /^first\nError: later\n[\s\S]*\n--- computed again at \d{4}-[^\n]*\nsecond\n$/,
    );
    expect(infoOf(job)).not.toHaveProperty('recoverable');
  });

  test('of an interrupted, a killed, an unfinished attempt is tried again', async () => {
    for (const info of [
      '{"status":"aborted"}',
      '{"status":"running","pid":4194305}',
      '{"status":"do',
      '',
    ]) {
      const folder = temporaryFolder({ 'var/jobs/Test/t/Default.info': info });
      const store = await storeIn(folder);
      expect(await store.result(await store.jobFor(makeTask('t')))).toBe('t');
    }
  });
});

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

function diamond(ran: string[]): readonly Task[] {
  const note = (name: string, deps: readonly string[]) =>
    makeTask(name, {
      deps,
      run: async (_, job) => {
        ran.push(name);
        const below = await Promise.all(deps.map((dep) => job.dep(dep)));
        return below.length === 0 ? name : `${name}(${below.join(' ')})`;
      },
    });
  return [
    note('base', []),
    note('left', ['base']),
    note('right', ['base']),
    note('top', ['left', 'right']),
  ];
}

function taskOf(tasks: readonly Task[], name: string): Task {
  const found = tasks.find((task) => task.name === name);
  if (found === undefined) throw new Error(name);
  return found;
}

const wait = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds));

const infoOf = (job: PlannedJob): JobInfo => JSON.parse(readFileSync(`${job.path}.info`, 'utf8'));

/** Names beside the result, its own included. */
const left = (job: PlannedJob): readonly string[] => readdirSync(dirname(job.path)).sort();
