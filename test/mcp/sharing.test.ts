// One server for a chat and the agents that it asks; agents bring servers of their own; each end closes what it opened.

import { readFileSync } from 'node:fs';
import * as path from 'node:path';
import { describe, expect, test } from 'vitest';
import { Agent } from '../../src/agents/agent.ts';
import { openAgent } from '../../src/agents/opening.ts';
import { fakeEndpoint } from '../helpers/ask-home.ts';
import { type Script, startFakeServer } from '../helpers/fake-server.ts';
import { temporaryFolder, writeTree } from '../helpers/folder.ts';
import { openaiStream } from '../helpers/openai-replies.ts';
import { createWorld, runCli } from '../helpers/run.ts';
import { callsScript, serverCommand } from './asking.ts';

const SERVER = `mcp: stdio ${serverCommand('odd.js', 'ok')}`;
const work = callsScript([{ name: 'work' }]);
const done = openaiStream('done');

async function begun(scripts: readonly Script[], files: Record<string, string> = {}) {
  const server = await startFakeServer(scripts);
  const folder = temporaryFolder();
  const log = path.join(folder, 'started');
  writeTree(folder, {
    'home/.scout/etc/AI/default.yaml': fakeEndpoint(server.url),
    'home/.scout/etc/mcp.yaml': `odd:\n  command: node\n  env: {STARTED: ${log}}\n`,
    started: '',
    ...files,
  });
  const pids = () => readFileSync(log, 'utf8').trim().split('\n').filter(Boolean).map(Number);
  return { server, folder, pids };
}

const isRunning = (pid: number): boolean => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};

describe('a run', () => {
  test('shares a server with the agents that it asks', async () => {
    const { server, folder, pids } = await begun(
      [
        work,
        callsScript([{ name: 'ask', arguments: { agent: 'Helper', prompt: 'Work, please' } }]),
        work,
        openaiStream('worked'),
        done,
      ],
      {
        'Agent/Helper/start_chat': `${SERVER}\n\nsystem:\n\nYou help.\n`,
        'x.chat': `${SERVER}\n\nsocialize: true\n\nuser:\n\nGo on.\n`,
      },
    );
    const { code, read, stderr } = await runCli(['ask', 'x.chat'], { folder });
    await server.close();
    expect(stderr).not.toContain('warning');
    expect(code).toBe(0);
    expect(read('x.chat')).toContain('"content":"worked"');
    expect(
      server.requests[4]?.json.tools.map(
        (tool: { function: { name: string } }) => tool.function.name,
      ),
    ).toEqual(['work', 'ask']);
    expect(pids()).toHaveLength(1);
    expect(pids().filter(isRunning)).toEqual([]);
  });

  test('an agent of the library closes its servers after each answer, and starts them again', async () => {
    const { server, folder, pids } = await begun([work, done, work, done]);
    const world = createWorld(folder);
    const agent = new Agent(
      { start: SERVER, cache: false, saveFile: path.join(folder, 'a.chat') },
      (options) => openAgent(options, world),
    );
    for (const count of [1, 2]) {
      expect(await agent.user('Go on.').chat()).toBe('done');
      // The first ask lists and calls with one process.
      expect(pids()).toHaveLength(count);
      expect(pids().filter(isRunning)).toEqual([]);
    }
    await server.close();
  });

  test('--inline closes them too', async () => {
    const { server, folder, pids } = await begun([work, openaiStream('42')], {
      'Agent/Helper/start_chat': SERVER,
      'x.py': '# ask: how many?\n',
    });
    const { code, read } = await runCli(['agent', 'ask', 'Helper', '--inline', 'x.py'], { folder });
    await server.close();
    expect(code).toBe(0);
    expect(read('x.py')).toContain('42');
    expect(pids()).toHaveLength(1);
    expect(pids().filter(isRunning)).toEqual([]);
  });
});
