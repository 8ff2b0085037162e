// Which job some work is: names, digests and places, before anything runs.

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { openStore, type Store } from '../../src/store/store.ts';
import type { PlannedJob } from '../../src/store/types.ts';
import type { Dependency, Inputs, Task, TaskInput } from '../../src/workflows/types.ts';
import { temporaryFolder, writeTree } from '../helpers/folder.ts';
import { finder, makeTask, storeIn, storeWorld } from '../helpers/tasks.ts';

const INPUTS: Readonly<Record<string, Partial<TaskInput>>> = {
  words: { type: 'string_array' },
  depth: { type: 'integer', default: 3 },
  deep: { type: 'boolean', default: false },
  place: { type: 'path' },
  text: { type: 'file' },
};

interface Same {
  readonly name: string;
  readonly one: Inputs;
  readonly other: Inputs;
  readonly same: boolean;
}

const digests: readonly Same[] = [
  {
    name: 'the order in which inputs are given does not matter',
    one: { depth: 4, deep: true },
    other: { deep: true, depth: 4 },
    same: true,
  },
  {
    name: 'a default that is given is the same as one that is not',
    one: { words: ['a'], depth: 3 },
    other: { words: ['a'] },
    same: true,
  },
  {
    name: 'null is the same as not given',
    one: { words: ['a'], place: null },
    other: { words: ['a'] },
    same: true,
  },
  {
    name: 'the order of a list matters',
    one: { words: ['a', 'b'] },
    other: { words: ['b', 'a'] },
    same: false,
  },
  {
    name: 'texts are not joined: two words are not one',
    one: { words: ['a', 'b'] },
    other: { words: ['a","b'] },
    same: false,
  },
  { name: 'a number is not its text', one: { words: ['1'] }, other: { words: [1] }, same: false },
  { name: 'another value is other work', one: { depth: 4 }, other: { depth: 5 }, same: false },
  {
    name: 'the order of keys inside a value does not matter',
    one: { words: [{ a: 1, b: [{ c: 2, d: 3 }] }] },
    other: { words: [{ b: [{ d: 3, c: 2 }], a: 1 }] },
    same: true,
  },
  {
    name: 'a relative path is the same as the absolute one',
    one: { place: 'data/x' },
    other: { place: '@/data/x' },
    same: true,
  },
  {
    name: 'a path is not its content',
    one: { place: 'a.txt' },
    other: { place: 'b.txt' },
    same: false,
  },
  { name: 'a file is its content', one: { text: 'a.txt' }, other: { text: 'b.txt' }, same: true },
  {
    name: 'other content is other work',
    one: { text: 'a.txt' },
    other: { text: 'c.txt' },
    same: false,
  },
];

describe('a digest', () => {
  const task = makeTask('t', { inputs: INPUTS });
  for (const { name, one, other, same } of digests)
    test(name, async () => {
      const folder = project();
      const [first, second] = [await plan(folder, task, one), await plan(folder, task, other)];
      expect(first.digest === second.digest).toBe(same);
      expect(first.path === second.path).toBe(same);
      expect(first.digest).toMatch(/^[0-9a-f]{32}$/);
    });

  test('is the same on another machine, also for a path inside of the project', async () => {
    const inputs = { words: ['x'], place: 'data/x', text: 'a.txt' };
    const jobs = [await plan(project(), task, inputs), await plan(project(), task, inputs)];
    expect(jobs[0]?.name).toBe(jobs[1]?.name);
    expect(jobs[0]?.path).not.toBe(jobs[1]?.path);
  });

  test('has the absolute path in it where the path leads out of the project', async () => {
    const [one, other] = [project(), project()];
    const absolute = { place: join(one, 'data/x') };
    expect((await plan(one, task, absolute)).digest).not.toBe(
      (await plan(other, task, absolute)).digest,
    );
  });

  test('stays as it was in earlier versions', async () => {
    const job = await plan(project(), task, {
      words: ['ä', '\u2028'],
      depth: 4,
      place: '/etc/hosts',
    });
    expect(job.digest).toBe('ca02ca690c1caf7371502a185a3abc40');
  });

  test('tells workflows and tasks apart', async () => {
    const tasks = [
      makeTask('t', { inputs: INPUTS }),
      makeTask('u', { inputs: INPUTS }),
      makeTask('t', { inputs: INPUTS, workflow: 'Other' }),
    ];
    const found = await Promise.all(tasks.map((each) => plan(project(), each, { depth: 9 })));
    expect(new Set(found.map(({ digest }) => digest)).size).toBe(3);
  });

  test('changes with what the job depends on, however deep, and not with the name of the job', async () => {
    const folder = project();
    const digestWith = async (depth: number, jobname?: string) => {
      const base = makeTask('base', { inputs: { depth: { type: 'integer', default: 3 } } });
      const middle = makeTask('middle', {
        deps: [{ ...dependency('base'), inputs: () => ({ depth }) }],
      });
      const top = makeTask('top', { deps: ['middle'] });
      const store = await storeIn(folder, [base, middle, top]);
      return (await store.jobFor(top, {}, jobname === undefined ? {} : { jobname })).digest;
    };
    expect(await digestWith(4)).not.toBe(await digestWith(5));
    expect(await digestWith(4)).toBe(await digestWith(4, 'mine'));
  });
});

describe('a name', () => {
  const names: readonly {
    name: string;
    task: Task;
    inputs?: Inputs;
    jobname?: string;
    is: RegExp;
  }[] = [
    {
      name: 'is Default with nothing given',
      task: makeTask('t', { inputs: INPUTS }),
      is: /^Default$/,
    },
    {
      name: 'is Default when what is given is the default',
      task: makeTask('t', { inputs: INPUTS }),
      inputs: { depth: 3, deep: false },
      is: /^Default$/,
    },
    {
      name: 'has a digest when an input is not at its default',
      task: makeTask('t', { inputs: INPUTS }),
      inputs: { depth: 4 },
      is: /^Default_[0-9a-f]{32}$/,
    },
    {
      name: 'has a digest for an input without a default',
      task: makeTask('t', { inputs: { a: { required: true } } }),
      inputs: { a: '' },
      is: /^Default_[0-9a-f]{32}$/,
    },
    {
      name: 'has a digest for a file, also for the default one: its content may be any',
      task: makeTask('t', { inputs: { text: { type: 'file', default: 'a.txt' } } }),
      is: /^Default_[0-9a-f]{32}$/,
    },
    {
      name: 'is the one that was asked for',
      task: makeTask('t', { inputs: INPUTS }),
      jobname: 'première_ñandú 2.5',
      is: /^première_ñandú 2\.5$/,
    },
    {
      name: 'keeps the digest behind the one that was asked for',
      task: makeTask('t', { inputs: INPUTS }),
      inputs: { depth: 4 },
      jobname: 'x',
      is: /^x_[0-9a-f]{32}$/,
    },
    ...(
      [
        ['json', '.json'],
        ['chat', '.chat'],
        ['tsv', '.tsv'],
        ['yaml', '.yaml'],
        ['string', ''],
        ['text', ''],
        ['integer', ''],
        ['float', ''],
        ['boolean', ''],
        ['array', ''],
        ['binary', ''],
      ] as const
    ).map(([result, ending]) => ({
      name: `ends in "${ending}" for the type ${result}`,
      task: makeTask('t', { result }),
      is: new RegExp(`^Default${ending.replace('.', '\\.')}$`),
    })),
  ];
  for (const { name, task, inputs = {}, jobname, is } of names)
    test(name, async () => {
      const store = await storeIn(project());
      const job = await store.jobFor(task, inputs, jobname === undefined ? {} : { jobname });
      expect(job.name).toMatch(is);
    });

  test('has a digest when a dependency is given something else than its defaults', async () => {
    const base = makeTask('base', { inputs: { depth: { type: 'integer', default: 3 } } });
    const top = makeTask('top', {
      deps: [{ ...dependency('base'), inputs: () => ({ depth: 9 }) }],
    });
    const store = await storeIn(project(), [base, top]);
    expect((await store.jobFor(top)).name).toMatch(/^Default_[0-9a-f]{32}$/);
  });

  test('inputs without a value that are called like what every object has are not passed on, and change no name', async () => {
    const inputs = { constructor: {}, toString: { default: 'x' } };
    const base = makeTask('base', { inputs, run: (given) => JSON.stringify(given) });
    const top = makeTask('top', { inputs: { valueOf: {} }, deps: ['base'] });
    const store = await storeIn(project(), [base, top]);
    const job = await store.jobFor(top);
    expect(job.name).toBe('Default');
    expect(job.dependencies.map(({ job }) => [job.name, { ...job.inputs }])).toEqual([
      ['Default', { toString: 'x' }],
    ]);
  });

  const bad = [
    '../x',
    'a/b',
    'a\\b',
    '..',
    '.',
    '.hidden',
    '',
    ' ',
    'a\nb',
    'a\0b',
    'x.info',
    'x.files',
    'x.lock',
    'x'.repeat(101),
    `x_${'0123456789abcdef'.repeat(2)}`,
    `x_${'0123456789abcdef'.repeat(2)}.json`,
  ];
  for (const jobname of bad)
    test(`cannot be ${JSON.stringify(jobname.slice(0, 40))}`, async () => {
      const store = await storeIn(project());
      await expect(store.jobFor(makeTask('t'), {}, { jobname })).rejects.toMatchObject({
        code: 'bad-job-name',
        exitCode: 2,
      });
    });

  for (const part of [{ workflow: '../up' }, { name: 'a/b' }])
    test(`of a folder cannot be ${Object.values(part)[0]}`, async () => {
      const store = await storeIn(project());
      await expect(store.jobFor({ ...makeTask('t'), ...part })).rejects.toMatchObject({
        exitCode: 2,
      });
    });
});

describe('dependencies', () => {
  test('get inputs of the same name, unless they are given others', async () => {
    const base = makeTask('base', {
      inputs: { depth: { type: 'integer', default: 3 }, other: { default: 'o' } },
    });
    const top = makeTask('top', {
      inputs: { depth: { type: 'integer', default: 5 }, own: {} },
      deps: [
        'base',
        {
          ...dependency('base'),
          name: 'again',
          inputs: ({ depth }) => ({ depth: Number(depth) + 1 }),
        },
      ],
    });
    const store = await storeIn(project(), [base, top]);
    const { dependencies } = await store.jobFor(top, { own: 'x' });
    expect(dependencies.map(({ name, job }) => [name, job.inputs])).toEqual([
      ['base', { depth: 5, other: 'o' }],
      ['again', { depth: 6, other: 'o' }],
    ]);
  });

  test('that are shared are planned once: thirty layers of two are quick', async () => {
    const layers = Array.from({ length: 30 }, (_, index) => [
      makeTask(`a${index}`, { deps: index === 0 ? [] : [`a${index - 1}`, `b${index - 1}`] }),
      makeTask(`b${index}`, { deps: index === 0 ? [] : [`a${index - 1}`, `b${index - 1}`] }),
    ]).flat();
    const store = await storeIn(project(), layers);
    const top = await store.jobFor(layers.at(-1) as Task);
    expect(count(top)).toBe(59);
  });

  const wrong: readonly {
    name: string;
    tasks: readonly Task[];
    message: string;
    exitCode: number;
  }[] = [
    {
      name: 'that go in a circle are an error that shows it',
      tasks: [
        makeTask('a', { deps: ['b'] }),
        makeTask('b', { deps: ['c'] }),
        makeTask('c', { deps: ['b'] }),
      ],
      message: 'these tasks depend on each other: Test/b → Test/c → Test/b',
      exitCode: 3,
    },
    {
      name: 'on oneself are an error',
      tasks: [makeTask('a', { deps: ['a'] })],
      message: 'these tasks depend on each other: Test/a → Test/a',
      exitCode: 3,
    },
    {
      name: 'on an unknown task are an error that names the task',
      tasks: [makeTask('a', { deps: ['nope'] })],
      message: 'Test has no task "nope"',
      exitCode: 2,
    },
    {
      name: 'that are given an input which they do not have are an error',
      tasks: [
        makeTask('a', { deps: [{ ...dependency('b'), inputs: () => ({ colour: 1 }) }] }),
        makeTask('b'),
      ],
      message: 'Test/b has no input "colour"',
      exitCode: 2,
    },
    {
      name: 'whose inputs cannot be made are an error that says why',
      tasks: [
        makeTask('a', {
          deps: [
            {
              ...dependency('b'),
              inputs: () => {
                throw new TypeError('no such field');
              },
            },
          ],
        }),
        makeTask('b'),
      ],
      message:
        'the inputs that Test/a gives to its dependency Test/b cannot be made: no such field',
      exitCode: 3,
    },
  ];
  for (const { name, tasks, message, exitCode } of wrong)
    test(name, async () => {
      const store = await storeIn(project(), tasks);
      await expect(store.jobFor(tasks[0] as Task)).rejects.toMatchObject({ message, exitCode });
    });
});

describe('inputs', () => {
  const task = makeTask('t', { inputs: { must: { required: true }, text: { type: 'file' } } });
  const wrong: readonly { inputs: Inputs; message: RegExp }[] = [
    { inputs: {}, message: /needs the input "must"/ },
    { inputs: { must: null }, message: /needs the input "must"/ },
    { inputs: { must: 'x', nope: 1 }, message: /has no input "nope"/ },
    { inputs: { must: 'x', text: 'missing.txt' }, message: /missing\.txt": no such file/ },
    { inputs: { must: 'x', text: 'data' }, message: /data": it is a folder/ },
  ];
  for (const { inputs, message } of wrong)
    test(`${JSON.stringify(inputs)} are refused`, async () => {
      await expect(plan(project(), task, inputs)).rejects.toMatchObject({
        message: expect.stringMatching(message),
        exitCode: 2,
      });
    });

  test('that are files are looked at anew each time', async () => {
    const folder = project();
    const store = await storeIn(folder);
    const inputs = { must: 'x', text: 'a.txt' };
    const before = await store.jobFor(task, inputs);
    writeTree(folder, { 'a.txt': 'changed' });
    expect((await store.jobFor(task, inputs)).digest).not.toBe(before.digest);
  });
});

describe('the place of a job', () => {
  const task = makeTask('t', { inputs: INPUTS });
  const home = { SCOUT_HOME: '@/scout' };

  interface Place {
    readonly name: string;
    readonly there: readonly string[];
    readonly jobs?: string;
    readonly is: string;
  }
  const places: readonly Place[] = [
    { name: 'is the working directory when it has a store', there: ['var/jobs/'], is: 'var/jobs' },
    {
      name: "is the user's store when the working directory has none, although that has a var",
      there: ['var/', 'scout/var/jobs/'],
      is: 'scout/var/jobs',
    },
    {
      name: "is the user's store, to be made, when there is none at all",
      there: [],
      is: 'scout/var/jobs',
    },
    {
      name: 'is the folder that was asked for',
      there: ['var/jobs/'],
      jobs: 'elsewhere',
      is: 'elsewhere',
    },
    {
      name: 'is where the job is done, in any store',
      there: ['var/jobs/', 'scout/var/jobs/Test/t/Default'],
      is: 'scout/var/jobs',
    },
    {
      name: 'is the first store of those where it is done',
      there: ['var/jobs/Test/t/Default', 'scout/var/jobs/Test/t/Default'],
      is: 'var/jobs',
    },
    {
      name: 'is where an earlier attempt is written down',
      there: ['var/jobs/', 'scout/var/jobs/Test/t/Default.info'],
      is: 'scout/var/jobs',
    },
    {
      name: 'is any store where the job is done, although another folder was asked for',
      there: ['var/jobs/Test/t/Default'],
      jobs: 'elsewhere',
      is: 'var/jobs',
    },
  ];
  for (const { name, there, jobs, is } of places)
    test(name, async () => {
      const folder = temporaryFolder(Object.fromEntries(there.map((path) => [path, '{}'])));
      const env = { HOME: join(folder, 'home'), SCOUT_HOME: home.SCOUT_HOME.replace('@', folder) };
      const store = await openStore(storeWorld(folder, { env }), {
        findTask: finder([]),
        ...(jobs === undefined ? {} : { jobs }),
      });
      expect((await store.jobFor(task)).path).toBe(join(folder, is, 'Test/t/Default'));
      expect(existsSync(join(folder, 'scout/var/jobs'))).toBe(
        there.some((path) => /^scout/.test(path)),
      );
    });

  test('of work with a path of one project is not looked for in the store of another', async () => {
    const folder = temporaryFolder({ 'var/jobs/': '' });
    const env = { HOME: folder, SCOUT_HOME: join(folder, 'scout') };
    const store = await openStore(storeWorld(folder, { env }), { findTask: finder([]) });
    const job = await store.jobFor(task, { place: 'data/x' });
    writeTree(folder, { [`scout/var/jobs/Test/t/${job.name}`]: 'of other data' });
    const again = await openStore(storeWorld(folder, { env }), { findTask: finder([]) });
    expect((await again.jobFor(task, { place: 'data/x' })).path).toBe(job.path);
  });
});

const dependency = (task: string): Dependency => ({
  name: task,
  workflow: 'Test',
  task,
  inputs: () => ({}),
});

const project = (): string =>
  temporaryFolder({ 'a.txt': 'same', 'b.txt': 'same', 'c.txt': 'other', 'data/': '' });

/** `@` stands for the folder. */
async function plan(folder: string, task: Task, inputs: Inputs): Promise<PlannedJob> {
  const store: Store = await storeIn(folder, [task]);
  const { place, ...rest } = inputs;
  const here = typeof place === 'string' ? { place: place.replace(/^@/, folder) } : { place };
  return store.jobFor(task, place === undefined ? rest : { ...rest, ...here });
}

function count(job: PlannedJob, seen = new Set<PlannedJob>()): number {
  for (const { job: below } of job.dependencies)
    if (!seen.has(below)) count(below, seen.add(below));
  return seen.size + 1;
}
