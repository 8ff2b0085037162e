// Tasks in TypeScript that would end the program they run in: each is a failed job, and the program goes on.

import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { environment, shell } from '../helpers/built.ts';
import { temporaryFolder } from '../helpers/folder.ts';
import { connect, project } from '../helpers/serving.ts';

const CODE = `
import { defineWorkflow } from 'scout-chat';
import { exit } from 'node:process';
import { spawn } from 'node:child_process';
const sleep = (time: number) => new Promise((resolve) => setTimeout(resolve, time));
export default defineWorkflow({
  tasks: {
    exits: { run: () => process.exit(0) },
    caught: { run() { try { exit(3); } catch { return 'went on'; } } },
    timer: { async run() { setTimeout(() => process.exit(0), 20); await sleep(400); } },
    pieces: { result: 'text', async *run() { yield 'some'; process.exit(0); } },
    plain: { result: 'text', *run() { yield 'some'; process.exit(0); } },
    throws: { async run() { setTimeout(() => { throw new Error('thrown aside'); }, 20); await sleep(400); } },
    rejects: { async run() { void sleep(20).then(() => { throw new Error('rejected aside'); }); await sleep(400); } },
    micro: { async run() { await sleep(20); queueMicrotask(() => { throw new Error('thrown in a microtask'); }); await sleep(400); } },
    child: { async run() { spawn('/no/such/program'); await sleep(400); } },
    between: { result: 'text', async *run() { setTimeout(() => { throw new Error('thrown between'); }, 20); yield 'some'; await sleep(400); yield 'more'; } },
    never: { run: () => new Promise(() => {}) },
    needs: { deps: ['never', 'slow'], run: () => 'not reached' },
    slow: { async run() { await sleep(200); return 'kept'; } },
    late: { run() { setTimeout(() => process.exit(9), 20); setTimeout(() => { throw new Error('too late'); }, 20); return 'ok'; } },
    code: { run() { process.exitCode = 9; return 'ok'; } },
    order: { result: 'text', async run() { const seen = []; void Promise.resolve().then(() => seen.push(1)); queueMicrotask(() => seen.push(2)); void Promise.resolve().then(() => seen.push(3)); try { queueMicrotask('no function'); } catch (error) { seen.push(error.code); } await sleep(1); return seen.join(' '); } },
  },
});
`;

const files = { 'workflows/Code.ts': CODE, 'var/jobs/': '', 'home/': '' };

function run(folder: string, words: string) {
  return shell(`chat ${words}`, { cwd: folder, env: environment({ HOME: join(folder, 'home') }) });
}

const FAILED: readonly [task: string, told: string][] = [
  ['exits', 'it called process.exit(0), which would end the whole program'],
  ['caught', 'it called process.exit(3)'],
  ['timer', 'it called process.exit(0)'],
  ['pieces', 'it called process.exit(0)'],
  ['plain', 'it called process.exit(0)'],
  ['throws', 'thrown aside'],
  ['rejects', 'rejected aside'],
  ['micro', 'thrown in a microtask'],
  ['child', 'spawn /no/such/program ENOENT'],
  ['between', 'thrown between'],
  ['never', 'it waits for something that can never come'],
];

describe('a task that would end the program is a job that failed', () => {
  for (const [task, told] of FAILED)
    test(task, async () => {
      const folder = temporaryFolder(files);
      const { code, stdout, stderr } = await run(folder, `task run Code ${task} -q`);
      expect(stderr).toContain(`error: Code/${task} failed: ${told}`);
      expect([code, stdout]).toEqual([1, '']);
      const again = await run(folder, `task run Code ${task} -q`);
      expect([again.code, again.stderr]).toEqual([1, stderr]);
    });
});

test('a job that waits in vain stops only what depends on it', async () => {
  const folder = temporaryFolder(files);
  const { code, stderr } = await run(folder, 'task run Code needs');
  expect(stderr).toContain('Code/needs needs a job that failed: Code/never failed');
  expect([code, (await run(folder, 'task run Code slow')).stderr]).toEqual([1, '']);
});

for (const task of ['late', 'code'])
  test(`what a task does after its end changes neither result nor exit status (${task})`, async () => {
    const { code, stdout } = await run(temporaryFolder(files), `task run Code ${task}`);
    expect([code, stdout]).toEqual([0, '"ok"\n']);
  });

for (const [name, source, told] of [
  ['exits', 'process.exit(0);', 'it called process.exit(0)'],
  ['waits in vain', 'await new Promise(() => {});', 'it waits for something that can never come'],
  [
    'exports a promise that is never kept',
    'export default new Promise(() => {});',
    'it waits for something that can never come',
  ],
  [
    'throws in a microtask',
    "queueMicrotask(() => { throw new Error('micro'); }); await new Promise((go) => setTimeout(go, 9));",
    'micro',
  ],
  [
    'goes on for an hour',
    'await new Promise((go) => setTimeout(go, 3_600_000));',
    'it is not at its end after 10 seconds',
  ],
] as const)
  test(`a workflow that ${name} while it is loaded is told, and hides no other`, async () => {
    const folder = temporaryFolder({
      ...files,
      'workflows/Bad.mjs': source.includes('export') ? source : `${source}\nexport default {};`,
    });
    const { code, stdout, stderr } = await run(folder, 'task list');
    expect(stderr).toContain(`error: the workflow fails while it is loaded: Error: ${told}`);
    expect([code, stdout.includes('Code.ts')]).toEqual([0, true]);
    // Who asks for it by name waits for it.
    if (!source.includes('3_600_000')) expect((await run(folder, 'task list Bad')).code).toBe(3);
  });

for (const [name, source] of [
  ['a timer', "setTimeout(() => { throw new Error('aside'); }, 0);"],
  ['a microtask', "queueMicrotask(() => { throw new Error('aside'); });"],
  ['a promise', "void Promise.reject(new Error('aside'));"],
  ['a child', "import { spawn } from 'node:child_process'; spawn('/no/such/aside');"],
  ['a timer that exits', 'setTimeout(() => process.exit(0), 0);'],
] as const)
  test(`a workflow that fails in ${name} after it was loaded ends neither a list nor a run of another`, async () => {
    const folder = temporaryFolder({
      ...files,
      'workflows/Aside.mjs': `${source}\nexport default { tasks: {} };`,
      'workflows/Zest.yaml': 'tasks:\n  peel: { command: [echo, peel] }\n',
    });
    const list = await run(folder, 'task list');
    expect([list.code, list.stdout.includes('Zest.yaml')]).toEqual([0, true]);
    expect(list.stderr).toMatch(/aside|process\.exit/);
  });

test('a task finds microtasks as they are elsewhere: in their order, and refused at once when they are none', async () => {
  const { stdout } = await run(temporaryFolder(files), 'task run Code order');
  expect(stdout).toBe('ERR_INVALID_ARG_TYPE 1 2 3\n');
});

test('a served task that throws in a microtask ends no server', async () => {
  const { client } = await connect(project(files), ['Code']);
  expect(await client.callTool({ name: 'micro', arguments: {} })).toMatchObject({
    isError: true,
    content: [{ text: expect.stringContaining('thrown in a microtask') }],
  });
  const { content } = await client.callTool({ name: 'slow', arguments: {} });
  expect(content).toMatchObject([{ text: 'kept' }, {}]);
});

test('a served task that calls process.exit ends no server', async () => {
  const { client } = await connect(project(files), ['Code']);
  for (const name of ['exits', 'timer'])
    expect(await client.callTool({ name, arguments: {} })).toMatchObject({
      isError: true,
      content: [{ text: expect.stringContaining('it called process.exit(0)') }],
    });
  const { content } = await client.callTool({ name: 'slow', arguments: {} });
  expect(content).toMatchObject([{ text: 'kept' }, {}]);
});
