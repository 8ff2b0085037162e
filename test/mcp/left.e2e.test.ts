// Nothing of a server is left, however the program ends.

import { existsSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { processTable } from '../../src/world/process-table.ts';
import { type AskHome, askHome } from '../helpers/ask-home.ts';
import type { Script } from '../helpers/fake-server.ts';
import { writeTree } from '../helpers/folder.ts';
import { openaiError, openaiStream } from '../helpers/openai-replies.ts';
import { callsScript, installed, serverCommand } from './asking.ts';

/** Whether the process runs; one that has ended and waits to be asked about does not. */
function isRunning(pid: number): boolean {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    return !/^[ZX]/.test(stat.slice(stat.lastIndexOf(')') + 2));
  } catch {
    return false;
  }
}

interface Begun {
  readonly home: AskHome;
  readonly started: ReturnType<AskHome['start']>;
  /** The server's process and the one that it has started. */
  pids(): readonly number[];
}

async function begin(
  mode: string,
  calls: readonly string[],
  last: Script = openaiStream('done'),
): Promise<Begun> {
  const home = await askHome([...calls.map((name) => callsScript([{ name }])), last]);
  const log = home.file('started');
  writeTree(home.folder, {
    'home/.scout/etc/mcp.yaml': `odd:\n  command: node\n  env: {STARTED: ${log}}\n`,
    'x.chat': `mcp: stdio ${serverCommand('odd.js', mode)}\n\nuser:\n\nGo on.\n`,
  });
  const pids = () =>
    existsSync(log) ? readFileSync(log, 'utf8').trim().split('\n').map(Number) : [];
  return { home, started: home.start(['ask', 'x.chat']), pids };
}

/** Waits until the last call is running. */
async function untilAsked({ home, pids }: Begun): Promise<void> {
  while (home.server.requests.length === 0 || pids().length < 2) await sleep(20);
  // The call goes out when its reply was read.
  await sleep(300);
}

async function expectGone(pids: readonly number[], milliseconds: number): Promise<void> {
  expect(pids.length).toBeGreaterThan(0);
  const end = performance.now() + milliseconds;
  while (pids.some(isRunning) && performance.now() < end) await sleep(50);
  expect(pids.filter(isRunning)).toEqual([]);
}

describe.each(['ok', 'stubborn', 'child-apart', 'child-apart-die', 'daemon'])(
  'a server of the kind %s',
  (mode) => {
    test('is gone after an answer', async () => {
      const begun = await begin(mode, ['work']);
      expect(await begun.started.ended).toMatchObject({ code: 0 });
      expect(begun.started.stdout()).toBe('done\n');
      await expectGone(begun.pids(), 0);
      await begun.home.close();
    });
  },
);

describe('a server that ignores TERM and the end of its input', () => {
  test('is gone after an error', async () => {
    const begun = await begin('stubborn', ['work'], openaiError(400, 'no'));
    expect(await begun.started.ended).toMatchObject({ code: 4 });
    await expectGone(begun.pids(), 0);
    await begun.home.close();
  });

  test.each([
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ] as const)('is gone after %s in a call', async (signal, code) => {
    const begun = await begin('stubborn', ['wait']);
    await untilAsked(begun);
    begun.started.child.kill(signal);
    expect(await begun.started.ended).toMatchObject({ code });
    await expectGone(begun.pids(), 0);
    await begun.home.close();
  });

  test('is gone after two Ctrl-C, without a wait', async () => {
    const begun = await begin('stubborn', ['wait']);
    await untilAsked(begun);
    begun.started.child.kill('SIGINT');
    await sleep(200);
    begun.started.child.kill('SIGINT');
    expect(await begun.started.ended).toMatchObject({ code: 130 });
    await expectGone(begun.pids(), 1000);
    await begun.home.close();
  });

  test('is gone after the program was killed', async () => {
    const begun = await begin('stubborn', ['wait']);
    await untilAsked(begun);
    expect(begun.pids().filter(isRunning)).toHaveLength(2);
    begun.started.child.kill('SIGKILL');
    await begun.started.ended;
    await expectGone(begun.pids(), 10_000);
    await begun.home.close();
  });
});

test.each(['child-apart', 'daemon'])(
  'what a server had moved away (%s) is gone after the program was killed, although the server has ended by itself',
  async (mode) => {
    const begun = await begin(mode, ['wait']);
    await untilAsked(begun);
    expect(begun.pids().filter(isRunning)).toHaveLength(2);
    begun.started.child.kill('SIGKILL');
    await begun.started.ended;
    await expectGone(begun.pids(), 10_000);
    await begun.home.close();
  },
);

test('Ctrl-C ends a long call of the reference server, and the server', async () => {
  const home = await askHome([
    callsScript([
      { name: 'trigger-long-running-operation', arguments: { duration: 60, steps: 60 } },
    ]),
  ]);
  writeTree(home.folder, {
    'x.chat': `mcp: stdio ${installed('mcp-server-everything')}\n\nuser:\n\nGo on.\n`,
  });
  const started = home.start(['ask', 'x.chat', '-v']);
  while (!started.stderr().includes('trigger-long-running-operation: 1 of 60')) await sleep(20);
  const children = (await processTable()).filter(({ parent }) => parent === started.child.pid);
  // The server, and the watch that would end it if the program were killed.
  expect(children).toHaveLength(2);
  started.child.kill('SIGINT');
  expect(await started.ended).toMatchObject({ code: 130 });
  await expectGone(
    children.map(({ pid }) => pid),
    2000,
  );
  await home.close();
});

test('Ctrl-C tells the server that its call is cancelled, and saves nothing of the round', async () => {
  const home = await askHome([callsScript([{ name: 'work' }])]);
  const log = home.file('log');
  const chat = `mcp: stdio ${serverCommand('odd.js', 'hang-call', log)}\n\nuser:\n\nGo on.\n`;
  writeTree(home.folder, { 'x.chat': chat });
  const started = home.start(['ask', 'x.chat']);
  while (!existsSync(log)) await sleep(20);
  started.child.kill('SIGINT');
  expect(await started.ended).toMatchObject({ code: 130 });
  expect(readFileSync(log, 'utf8')).toMatch(/^call (\d+)\ncancelled \1\n$/);
  expect(readFileSync(home.file('x.chat'), 'utf8')).toBe(chat);
  await home.close();
});
