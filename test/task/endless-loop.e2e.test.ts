// Code that never gives control back, on a real terminal.

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { spawn } from '@lydell/node-pty';
import { expect, onTestFinished, test } from 'vitest';
import { environment, onTerminal, shell } from '../helpers/built.ts';
import { living, until } from '../helpers/children.ts';
import { temporaryFolder } from '../helpers/folder.ts';

const LOOPS = `
import { writeFileSync } from 'node:fs';
import { defineWorkflow } from 'scout-chat';
const spin = () => { writeFileSync('began', ''); for (;;) {} };
export default defineWorkflow({ tasks: {
  now: { description: 'Spins', run() { spin(); } },
  later: { description: 'Spins after a while', async run() { await new Promise((go) => setTimeout(go, 50)); spin(); } },
  waits: { description: 'Can be stopped', async run(_, job) { writeFileSync('began', ''); await new Promise((go, stop) => { setTimeout(go, 60_000); job.signal.addEventListener('abort', () => stop(job.signal.reason)); }); } },
} });
`;

const TOP = `
import { writeFileSync } from 'node:fs';
writeFileSync('began', '');
for (;;) {}
`;

const project = () =>
  temporaryFolder({
    'workflows/Loops.ts': LOOPS,
    'top/Top.ts': TOP,
    'var/jobs/': '',
    'home/': '',
  });

/** Presses Ctrl-C when it has begun, and again when the terminal says so. */
function pressing(folder: string) {
  let pressed = 0;
  const press = (output: string) => {
    const isDue = pressed === 0 ? existsSync(join(folder, 'began')) : output.includes('once more');
    if (pressed > 1 || !isDue) return undefined;
    pressed += 1;
    return '\x03';
  };
  return { press, pressed: () => pressed };
}

async function run(folder: string, args: readonly string[]) {
  const { press, pressed } = pressing(folder);
  // Keys are typed when something is written, which the loop keeps the program from.
  const tell = '(while [ ! -e began ]; do sleep 0.05; done; echo has begun) &';
  const script = `trap : INT; ${tell} chat ${args.join(' ')}; echo status $?`;
  const { output } = await onTerminal('/bin/bash', ['-c', script], {
    cwd: folder,
    env: { HOME: join(folder, 'home'), TEST_FOLDER: folder },
    type: press,
  });
  return { output, pressed: pressed() };
}

for (const args of [
  ['task', 'run', 'Loops', 'now'],
  ['task', 'run', 'Loops', 'later'],
])
  test(`an endless loop that hears no Ctrl-C ends with the second: ${args.join(' ')}`, async () => {
    const folder = project();
    const { output, pressed } = await run(folder, args);
    expect(output).toContain('press it once more to end the program at once');
    expect(output).toContain('status 137');
    expect(pressed).toBe(2);
    expect(living(folder)).toEqual([]);
  });

test('an endless loop while a workflow is loaded for a list ends with the first', async () => {
  const folder = project();
  const { output, pressed } = await run(folder, ['task', 'list', './top/Top.ts']);
  expect(output).toContain('status 130');
  expect(pressed).toBe(1);
  expect(living(folder)).toEqual([]);
});

test('a task that can be stopped is stopped by one Ctrl-C, and nothing is said of another', async () => {
  const folder = project();
  const { output, pressed } = await run(folder, ['task', 'run', 'Loops', 'waits']);
  expect(output).toContain('status 130');
  expect(output).not.toContain('once more');
  expect(pressed).toBe(1);
  expect(living(folder)).toEqual([]);
});

test('a job that was ended in a loop is not taken for one that runs', async () => {
  const folder = project();
  await run(folder, ['task', 'run', 'Loops', 'now']);
  const { stdout } = await shell('chat task status var/jobs/Loops/now/Default.json', {
    cwd: folder,
    env: environment({ HOME: join(folder, 'home') }),
  });
  expect(stdout).toMatch(/aborted|killed|died/);
});

test('an endless loop does not go on for ever when its terminal is closed', async () => {
  const folder = project();
  const terminal = spawn('/bin/bash', ['--norc', '-ic', 'chat task run Loops now; true'], {
    cwd: folder,
    env: environment({ HOME: join(folder, 'home'), TEST_FOLDER: folder }),
  });
  onTestFinished(() => terminal.kill('SIGKILL'));
  await until(() => existsSync(join(folder, 'began')));
  // As a shell is told when its window is closed; it tells its jobs.
  terminal.kill('SIGHUP');
  await until(() => living(folder).length === 0);
});
