// Workflows whose code does what a server suffers from: programs that print or read where messages are, errors that nobody waits for, tasks that do not end.

import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { environment, shell } from '../helpers/built.ts';
import { type Heard, until } from '../helpers/children.ts';
import { connect, project, start } from '../helpers/serving.ts';

const CODE = `
import { defineWorkflow, z } from 'scout-chat';
import { execFileSync, execSync, fork, spawn, spawnSync } from 'node:child_process';
const ended = (child) => new Promise((resolve) => child.on('close', resolve));
const ways = {
  spawn: () => ended(spawn('sh', ['-c', 'cat; echo printed'], { stdio: 'inherit' })),
  fork: () => ended(fork(process.env.TEST_FOLDER + '/printer.cjs')),
  spawnSync: () => spawnSync('sh', ['-c', 'cat; echo printed'], { stdio: ['inherit', 1, 'inherit'] }),
  execSync: () => execSync('cat; echo printed', { stdio: [process.stdin, process.stdout, 2] }),
  execFileSync: () => execFileSync('sh', ['-c', 'cat; echo printed'], { stdio: 'inherit' }),
};
const sleep = (time) => new Promise((resolve) => setTimeout(resolve, time));
export default defineWorkflow({
  tasks: {
    program: {
      description: 'Starts a program', exec: true, inputs: { way: z.string() },
      async run({ way }) { await ways[way](); return way; },
    },
    pipes: { description: 'Reads what a program prints', exec: true, run: () => execSync('echo read').toString() + spawnSync('echo', ['too']).stdout },
    later: { description: 'Fails later', exec: true, run() { setTimeout(() => { throw new Error('too late'); }, 20); return 'ok'; } },
    alone: { description: 'Nobody waits', exec: true, run() { void sleep(20).then(() => { throw new Error('all alone'); }); return 'ok'; } },
    deaf: { description: 'Does not listen', exec: true, run: () => { setInterval(() => {}, 1000); return 'ok'; } },
    large: { description: 'A large answer', exec: true, run: () => 'x'.repeat(3_000_000) },
  },
});
`;

const files = {
  'workflows/Code.ts': CODE,
  'printer.cjs': "console.log('printed'); process.disconnect();\n",
};

describe('a program that a task starts', () => {
  for (const way of ['spawn', 'fork', 'spawnSync', 'execSync', 'execFileSync'])
    test(`prints to standard error, and reads no messages (${way})`, async () => {
      const { client, stderr } = await connect(project(files), ['Code']);
      const result = await client.callTool({ name: 'program', arguments: { way } });
      expect(result.content).toEqual([{ type: 'text', text: way }]);
      await until(() => stderr().includes('printed\n'));
    });

  test('gives its task what it prints', async () => {
    const { client } = await connect(project(files), ['Code']);
    const { content } = await client.callTool({ name: 'pipes', arguments: {} });
    expect(content).toEqual([{ type: 'text', text: 'read\ntoo\n' }]);
  });
});

for (const [name, message] of [
  ['later', 'too late'],
  ['alone', 'all alone'],
] as const)
  test(`an error that no task waits for is told, and ends no server (${name})`, async () => {
    const { client, stderr } = await connect(project(files), ['Code']);
    await client.callTool({ name, arguments: {} });
    await until(() => stderr().includes(`no task waited for: Error: ${message}`));
    expect((await client.callTool({ name, arguments: {} })).content).toMatchObject([
      { text: 'ok' },
    ]);
  });

/** A server that was asked, while nobody reads what it answers. */
async function unread(folder: string): Promise<Heard> {
  const started = start(folder, ['Code']);
  started.child.stdout?.pause();
  const call = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'large' } };
  started.child.stdin?.write(`${JSON.stringify(call)}\n`);
  await until(() => started.stderr().includes('done after'));
  return started;
}

describe('a client that reads nothing', () => {
  test('does not keep a server that TERM ends', async () => {
    const { child } = await unread(project(files));
    const exit = new Promise((resolve) => child.on('exit', resolve));
    child.kill('SIGTERM');
    expect(await exit).toBe(143);
  });

  test('does not keep a server whose standard input ends', async () => {
    const { child } = await unread(project(files));
    const exit = new Promise((resolve) => child.on('exit', resolve));
    child.stdin?.end();
    expect(await exit).toBe(0);
  });
});

test('what a task left running keeps neither a server nor `chat task run`', async () => {
  const folder = project(files);
  const { child, stdout, ended } = start(folder, ['Code']);
  const call = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'deaf' } };
  child.stdin?.write(`${JSON.stringify(call)}\n`);
  await until(() => stdout().includes('ok'));
  child.stdin?.end();
  expect(await ended).toEqual({ code: 0, signal: null });
  const env = environment({ HOME: join(folder, 'home'), TEST_FOLDER: folder });
  const run = await shell('chat task run Code deaf', { cwd: folder, env });
  expect([run.code, run.stdout]).toEqual([0, '"ok"\n']);
});
