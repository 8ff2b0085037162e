// What stands beside results: read in every form that stores have, judged by what is true, rewritten without loss.

import { cpSync, readFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { dependenciesOf, inputsOf, renewInfo } from '../../src/store/info.ts';
import { readRubyException } from '../../src/store/ruby-exception.ts';
import type { JobInfo } from '../../src/store/types.ts';
import { createLocks } from '../../src/world/lock.ts';
import { temporaryFolder, writeTree } from '../helpers/folder.ts';
import { makeTask, storeIn } from '../helpers/tasks.ts';

/** A number that no process has: above the kernel's limit. */
const NOBODY = 2 ** 22 + 1;
const RUBY = rubyException('RuntimeError', 'böom');

interface Status {
  readonly name: string;
  /** Text of the `.info`; absent: there is none. */
  readonly info?: string | Uint8Array | JobInfo;
  readonly result?: string;
  readonly is: Readonly<Record<string, unknown>>;
}

const killed = { status: 'aborted', error: { class: 'Killed', recoverable: true } };
const here = { pid_hostname: hostname() };

const statuses: readonly Status[] = [
  {
    name: 'done means that the result is there',
    info: { status: 'done' },
    result: 'x',
    is: { status: 'done', done: true },
  },
  {
    name: 'done without a result is an error that may be tried again',
    info: { status: 'done' },
    is: { status: 'error', done: false, error: { class: 'MissingResult', recoverable: true } },
  },
  {
    name: 'a result is done, whatever was written down',
    info: { status: 'running', pid: NOBODY, ...here },
    result: 'x',
    is: { status: 'done' },
  },
  {
    name: 'running in a process that is gone is aborted',
    info: { status: 'running', pid: NOBODY, pid_started: '12', ...here },
    is: killed,
  },
  {
    name: 'streaming in a process that is gone is aborted',
    info: { status: 'streaming', pid: NOBODY, ...here },
    is: killed,
  },
  {
    name: 'running without a lock is over, also when its number was given again',
    info: { status: 'running', pid: process.pid, pid_started: '1', ...here },
    is: killed,
  },
  {
    name: 'running in a live process of scout-ai, which has no lock here, is running',
    info: { status: 'running', pid: process.pid, ...here },
    is: { status: 'running', done: false },
  },
  {
    name: 'running in scout-ai on a host that cannot be asked is running',
    info: { status: 'running', pid: 1, pid_hostname: 'elsewhere' },
    is: { status: 'running' },
  },
  { name: 'waiting is waiting', info: { status: 'waiting' }, is: { status: 'waiting' } },
  {
    name: 'a queued job of scout-ai is waiting',
    info: { status: 'queue' },
    is: { status: 'waiting' },
  },
  {
    name: 'a cleaned job of scout-ai is waiting',
    info: { status: 'cleaned' },
    is: { status: 'waiting' },
  },
  {
    name: 'setup in a process that is gone is aborted',
    info: { status: 'setup', pid: NOBODY, ...here },
    is: killed,
  },
  {
    name: 'a status of an unknown word is waiting',
    info: { status: 'constructor' },
    is: { status: 'waiting' },
  },
  {
    name: 'an error is told with its class and message',
    info: { status: 'error', exception: { class: 'TypeError', message: 'no' } },
    is: { status: 'error', error: { class: 'TypeError', message: 'no', recoverable: false } },
  },
  {
    name: 'an error that may pass says so',
    info: { status: 'error', exception: { class: 'E', message: 'no' }, recoverable: true },
    is: { error: { recoverable: true } },
  },
  {
    name: 'an exception of scout-ai is told by its message',
    info: { status: 'error', exception: RUBY },
    is: { error: { class: 'RuntimeError', message: 'böom', recoverable: false } },
  },
  {
    name: 'an exception of scout-ai that was an interruption may be tried again',
    info: { status: 'error', exception: rubyException('Aborted', '') },
    is: { error: { class: 'Aborted', recoverable: true } },
  },
  {
    name: 'an exception in an unknown form is told by the last message',
    info: { status: 'error', exception: 17, messages: ['start', 'ArgumentError: bad'] },
    is: { error: { message: 'ArgumentError: bad' } },
  },
  {
    name: 'an error without a word is an error',
    info: { status: 'error' },
    is: { status: 'error', error: { message: 'it says nothing more' } },
  },
  {
    name: 'aborted may be tried again',
    info: { status: 'aborted' },
    is: { status: 'aborted', error: { recoverable: true } },
  },
  {
    name: 'broken JSON is told, and is no end',
    info: '{"status": "do',
    is: { status: 'waiting', problem: expect.stringMatching(/no JSON/) },
  },
  {
    name: 'broken JSON beside a result: the job is done',
    info: '{"status": "do',
    result: 'x',
    is: { status: 'done', problem: expect.any(String) },
  },
  { name: 'an empty .info is told', info: '', is: { status: 'waiting', problem: 'it is empty' } },
  { name: 'a list is no .info', info: '[1]', is: { problem: 'it holds no JSON object' } },
  {
    name: "Ruby's binary form is told",
    info: new Uint8Array([4, 8, 0x7b, 0]),
    is: { problem: expect.stringMatching(/Ruby/) },
  },
  { name: 'no .info at all: nothing is known', is: { status: 'waiting', done: false } },
  {
    name: 'a line separator in a message is no end of line',
    info: { status: 'error', exception: { class: 'E', message: 'a\u2028b' } },
    is: { error: { message: 'a\u2028b' } },
  },
];

describe('the status of a job:', () => {
  for (const { name, info, result, is } of statuses)
    test(name, async () => {
      const folder = temporaryFolder({
        ...(info === undefined ? {} : { 'var/jobs/W/t/n.info': infoText(info) }),
        ...(result === undefined ? {} : { 'var/jobs/W/t/n': result }),
      });
      const store = await storeIn(folder);
      const job = await store.readJob(join(folder, 'var/jobs/W/t/n'));
      expect(job).toMatchObject({ workflow: 'W', task: 't', name: 'n', ...is });
      if (!('problem' in is)) expect(job.problem).toBeUndefined();
    });

  test('running is what a live process holds, and who that is', async () => {
    const folder = temporaryFolder({ 'var/jobs/W/t/n.info': '{"status":"streaming"}' });
    const place = join(folder, 'var/jobs/W/t/n');
    const lock = await createLocks().hold(place);
    const store = await storeIn(folder);
    expect(await store.readJob(place)).toMatchObject({
      status: 'streaming',
      holder: expect.stringContaining(String(process.pid)),
    });
    expect(await store.readJob(join(folder, 'var/jobs/W/t/other'))).toMatchObject({
      status: 'waiting',
    });
    await lock.release();
    expect(await store.readJob(place)).toMatchObject({ status: 'aborted' });
  });
});

describe('the fields of scout-ai', () => {
  const inputs: readonly { info: JobInfo; is: Readonly<Record<string, unknown>> }[] = [
    { info: { inputs: [1, 'b'], input_names: ['x', 'y'] }, is: { x: 1, y: 'b' } },
    { info: { inputs: [], input_names: [] }, is: {} },
    { info: { inputs: { x: 1 } }, is: { x: 1 } },
    { info: { inputs: [1, 2], input_names: ['x'] }, is: { x: 1, '2': 2 } },
    { info: { inputs: null }, is: {} },
    { info: {}, is: {} },
  ];
  for (const { info, is } of inputs)
    test(`inputs ${JSON.stringify(info)}`, () => expect(inputsOf(info)).toEqual(is));

  const dependencies: readonly { value: unknown; are: readonly string[] }[] = [
    { value: ['/a', '/b', '/a'], are: ['/a', '/b'] },
    { value: [['Flow', 'base', '/a']], are: ['/a'] },
    { value: [{ path: '/a', task: 'x' }], are: ['/a'] },
    { value: ['Flow/base/Default'], are: ['Flow/base/Default'] },
    { value: { one: '/a' }, are: ['/a'] },
    { value: [null, 3, '', [], [['/a']]], are: ['/a'] },
    { value: 'nonsense', are: [] },
    { value: undefined, are: [] },
  ];
  for (const { value, are } of dependencies)
    test(`dependencies ${JSON.stringify(value)}`, () =>
      expect(dependenciesOf({ dependencies: value })).toEqual(are));

  test('exceptions: the class and the message, however long', () => {
    for (const message of ['', 'x', 'é'.repeat(70), 'y'.repeat(300), 'z'.repeat(70_000)])
      expect(readRubyException(rubyException('Some::DeepError', message))).toEqual({
        class: 'Some::DeepError',
        message,
      });
    for (const text of [
      '',
      'plain text',
      'BAhv',
      'BAg=',
      '!!!',
      Buffer.from([4, 8, 0x6f, 0x3a, 4, 255, 255, 255, 255]).toString('base64'),
    ])
      expect(readRubyException(text)).toBeUndefined();
  });

  test('a store of scout-ai is read as it is, also when it was moved', async () => {
    const folder = temporaryFolder();
    for (const name of ['unicode', 'diamond', 'chat_result'])
      cpSync(join(import.meta.dirname, '../../fixtures/prov', name, 'tree'), folder, {
        recursive: true,
      });
    const store = await storeIn(folder);
    const read = async (reference: string) => store.readJob(await store.find(reference));

    const unicode = await read('Año/hacer/Default_ñandú_largo');
    expect(unicode).toMatchObject({
      status: 'done',
      workflow: 'Año',
      task: 'hacer',
      type: 'string',
    });
    expect(await store.loadResult(unicode)).toBe(readFileSync(unicode.path, 'utf8'));
    expect(await read(join(folder, 'var/jobs/Planned/ask/Default_q.chat.info'))).toMatchObject({
      type: 'chat',
      name: 'Default_q.chat',
    });
    // The paths in the files begin with a folder that is not there.
    const top = await read('var/jobs/Flow/top/Default_top');
    const below = await store.dependencies(top);
    expect(below.map(({ path, status }) => [path, status])).toEqual([
      [join(folder, 'var/jobs/Flow/left/Default_left'), 'done'],
      [join(folder, 'var/jobs/Flow/right/Default_right'), 'done'],
    ]);
  });
});

describe('an .info that is rewritten', () => {
  test('keeps unknown fields where they stood, and drops what an earlier attempt said', () => {
    const old = {
      note: 'mine',
      status: 'error',
      exception: { class: 'E' },
      extra: [1],
      pid: 7,
      end: 'x',
      workflow: 'W',
    };
    const renewed = renewInfo(old, { status: 'done', workflow: 'W', pid: 8, type: 'json' });
    expect(JSON.stringify(renewed)).toBe(
      '{"note":"mine","status":"done","extra":[1],"pid":8,"workflow":"W","type":"json"}',
    );
  });

  test('keeps unknown fields through a whole computation', async () => {
    const folder = temporaryFolder({
      'var/jobs/Test/t/Default.info':
        '{"owner":"me","status":"aborted","tags":{"b":1,"a":2},"exception":{"class":"E","message":"m"}}',
    });
    const store = await storeIn(folder);
    const job = await store.jobFor(makeTask('t'));
    expect(await store.result(job)).toBe('t');
    const text = readFileSync(`${job.path}.info`, 'utf8');
    expect(text).toMatch(/^\{"owner":"me","status":"done","tags":\{"b":1,"a":2\},/);
    expect(text).not.toContain('exception');
  });

  test('that could not be read is kept among the artifacts, and the job is computed', async () => {
    const folder = temporaryFolder({ 'var/jobs/Test/t/Default.info': '{"my": "notes", half' });
    const store = await storeIn(folder);
    const job = await store.jobFor(makeTask('t'));
    expect(await store.result(job)).toBe('t');
    expect(readFileSync(`${job.path}.files/info.broken`, 'utf8')).toBe('{"my": "notes", half');
    expect(await store.readJob(job.path)).not.toHaveProperty('problem');
  });

  test('is not touched when the result is there, also when it is broken', async () => {
    const folder = temporaryFolder({
      'var/jobs/Test/t/Default.info': '{"half',
      'var/jobs/Test/t/Default': 'old',
    });
    const store = await storeIn(folder);
    const job = await store.jobFor(makeTask('t'));
    expect(await store.result(job)).toBe('old');
    expect(readFileSync(`${job.path}.info`, 'utf8')).toBe('{"half');
  });
});

describe('finding a job', () => {
  const tree = {
    'var/jobs/W/t/n.info': '{}',
    'var/jobs/W/t/lost': 'a result without .info',
    'var/jobs/W/t/typed.json.info': '{}',
    'var/jobs/W/t/gone.chat': 'a result without .info',
    'var/jobs/W/t/two.info': '{}',
    'var/jobs/W/t/two.json.info': '{}',
    'notes.txt': '',
    'x.info': '{}',
  };
  const found: readonly { reference: string; is: string | undefined }[] = [
    { reference: 'W/t/n', is: 'var/jobs/W/t/n' },
    { reference: 'var/jobs/W/t/n', is: 'var/jobs/W/t/n' },
    { reference: 'var/jobs/W/t/n.info', is: 'var/jobs/W/t/n' },
    { reference: 'var/jobs/W/t/n.files/', is: 'var/jobs/W/t/n' },
    { reference: 'W/t/lost', is: 'var/jobs/W/t/lost' },
    { reference: 'x', is: 'x' },
    { reference: 'W/t/typed', is: 'var/jobs/W/t/typed.json' },
    { reference: 'var/jobs/W/t/typed', is: 'var/jobs/W/t/typed.json' },
    { reference: 'W/t/gone', is: 'var/jobs/W/t/gone.chat' },
    { reference: 'W/t/two', is: 'var/jobs/W/t/two' },
    { reference: 'notes.txt', is: undefined },
    { reference: 'W/t', is: undefined },
    { reference: 'var/jobs', is: undefined },
    { reference: '../W/t/n', is: undefined },
    { reference: 'W/t/none', is: undefined },
  ];
  for (const { reference, is } of found)
    test(`by ${reference}`, async () => {
      const folder = temporaryFolder(tree);
      const store = await storeIn(folder);
      if (is === undefined)
        await expect(store.find(reference)).rejects.toMatchObject({
          code: 'no-such-job',
          exitCode: 2,
        });
      else expect(await store.find(reference)).toBe(join(folder, is));
    });
});

describe('cleaning', () => {
  test('removes result, .info and artifacts; with dependencies all of them, and nothing outside of a store', async () => {
    const folder = temporaryFolder({ 'precious.txt': 'mine', 'precious.txt.info': '{}' });
    const base = makeTask('base');
    const top = makeTask('top', {
      deps: ['base'],
      run: (_, job) => job.files('a/b.txt') && 'x',
    });
    const store = await storeIn(folder, [base, top]);
    const job = await store.jobFor(top);
    await store.produce([job]);
    const info = JSON.parse(readFileSync(`${job.path}.info`, 'utf8')) as JobInfo;
    writeTree(folder, {
      'var/jobs/Test/top/Default.info': JSON.stringify({
        ...info,
        dependencies: [...(info.dependencies as string[]), join(folder, 'precious.txt')],
      }),
    });
    expect(await store.clean(job.path)).toEqual([job.path]);
    expect(await store.readJob(join(folder, 'var/jobs/Test/base/Default'))).toMatchObject({
      status: 'done',
    });
    await store.produce([job]);
    writeTree(folder, {
      'var/jobs/Test/top/Default.info': JSON.stringify({
        ...info,
        dependencies: [...(info.dependencies as string[]), join(folder, 'precious.txt')],
      }),
    });
    expect(await store.clean(job.path, { dependencies: true })).toHaveLength(2);
    expect(await store.readJob(join(folder, 'var/jobs/Test/base/Default'))).toMatchObject({
      status: 'waiting',
    });
    expect(readFileSync(join(folder, 'precious.txt'), 'utf8')).toBe('mine');
  });

  test('a store that was moved needs and cleans its own jobs, not those of the same name here', async () => {
    const moved = (name: string, dependencies: readonly string[]) => ({
      [`${name}`]: 'x',
      [`${name}.info`]: JSON.stringify({ status: 'done', dependencies }),
    });
    const folder = temporaryFolder({
      ...moved('elsewhere/W/t/top', ['/gone/var/jobs/W/t/base']),
      ...moved('elsewhere/W/t/base', []),
      ...moved('var/jobs/W/t/base', []),
    });
    const store = await storeIn(folder);
    const place = join(folder, 'elsewhere/W/t/top');
    const needed = await store.dependencies(await store.readJob(place));
    expect(needed.map(({ path }) => path)).toEqual([join(folder, 'elsewhere/W/t/base')]);
    await store.clean(place, { dependencies: true });
    expect(readFileSync(join(folder, 'var/jobs/W/t/base'), 'utf8')).toBe('x');
  });

  test('is refused while the job is being computed, and removes nothing then', async () => {
    const folder = temporaryFolder({
      'var/jobs/W/t/n.info': '{"status":"running"}',
      'var/jobs/W/t/n.files/a': '',
    });
    const place = join(folder, 'var/jobs/W/t/n');
    const lock = await createLocks().hold(place);
    const store = await storeIn(folder);
    await expect(store.clean(place)).rejects.toMatchObject({ code: 'job-running', exitCode: 1 });
    await lock.release();
    expect(readFileSync(`${place}.info`, 'utf8')).toContain('running');
    expect(await store.clean(place)).toEqual([place]);
  });
});

function infoText(info: string | Uint8Array | JobInfo): string | Uint8Array {
  return typeof info === 'string' || info instanceof Uint8Array ? info : JSON.stringify(info);
}

/** An exception in the form in which scout-ai stores it. */
function rubyException(name: string, message: string): string {
  const symbol = (text: string) => [0x3a, ...counted(text)];
  const bytes = [
    ...[4, 8, 0x6f, ...symbol(name), ...packed(2)],
    ...[...symbol('mesg'), 0x49, 0x22, ...counted(message), ...packed(1), ...symbol('E'), 0x54],
    ...[...symbol('bt'), 0x30],
  ];
  return Buffer.from(bytes).toString('base64').replace(/.{60}/g, '$&\n');
}

function counted(text: string): readonly number[] {
  const bytes = Buffer.from(text);
  return [...packed(bytes.length), ...bytes];
}

function packed(value: number): readonly number[] {
  if (value === 0) return [0];
  if (value < 123) return [value + 5];
  const bytes: number[] = [];
  for (let rest = value; rest > 0; rest = Math.floor(rest / 256)) bytes.push(rest % 256);
  return [bytes.length, ...bytes];
}
