// Which chats beside a job or a chat are its logs, in the layout of today and in the older one.

import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { collect, hiddenNodes, provenance } from '../../src/prov/collect.ts';
import { type Tree, temporaryFolder } from '../helpers/folder.ts';
import { job, provPorts, rounds } from '../helpers/prov.ts';

/** Names below the folder of what a root leads to, in order. */
async function logsIn(files: Tree, root: string, prepare?: (folder: string) => void) {
  const folder = temporaryFolder(files);
  prepare?.(folder);
  const kind = root.endsWith('.chat') ? 'chat' : 'job';
  const graph = await collect({ kind, path: join(folder, root) }, provPorts(folder));
  const below = (path: string) => path.slice(folder.length + 1);
  return {
    logs: graph.edges.map(({ to, relation }) => `${relation} ${below(to.path)}`),
    hidden: [...hiddenNodes(graph)].map(({ path }) => below(path)),
  };
}

const JOB = 'var/jobs/Team/plan/Default';

describe('the logs of a job', () => {
  test('are its own chat, the societies at every depth and the older layout, sorted', async () => {
    const files = {
      'agent.chat': rounds('own'),
      'Worker.chat': rounds('named'),
      'agent.society/Critic/main/agent.chat': rounds('critic'),
      'agent.society/Critic/main/society/Helper/one/agent.chat': rounds('helper'),
      'agent.society/Critic/main/society/Helper/one/society/Deep/x/agent.chat': rounds('deep'),
      'log/agent.chat': rounds('older own'),
      'log/society/Old/a/agent.chat': rounds('older'),
      'plot.png': 'no chat',
      'notes/inside.chat': rounds('an artifact, not a log'),
    };
    const { logs, hidden } = await logsIn(job('Team/plan/Default', { files }), JOB);
    expect(logs).toEqual([
      `log ${JOB}.files/Worker.chat`,
      `log ${JOB}.files/agent.chat`,
      `log ${JOB}.files/agent.society/Critic/main/agent.chat`,
      `log ${JOB}.files/agent.society/Critic/main/society/Helper/one/agent.chat`,
      `log ${JOB}.files/agent.society/Critic/main/society/Helper/one/society/Deep/x/agent.chat`,
      `log ${JOB}.files/log/agent.chat`,
      `log ${JOB}.files/log/society/Old/a/agent.chat`,
    ]);
    expect(hidden).toEqual([
      `${JOB}.files/Worker.chat`,
      `${JOB}.files/agent.chat`,
      `${JOB}.files/log/agent.chat`,
    ]);
  });

  test('are not what was left behind by earlier conversations, nor hidden files', async () => {
    const files = {
      'resets/2026-01-02T030405Z.chat': rounds('old'),
      'agent.society/A/one/agent.chat.files/resets/2026.chat': rounds('older'),
      'agent.society/A/one/.agent.chat.tmp.chat': rounds('unfinished'),
      '.agent.chat': rounds('unfinished'),
      'log/.git/x.chat': rounds('hidden'),
    };
    const { logs } = await logsIn(job('Team/plan/Default', { files }), JOB);
    expect(logs).toEqual([]);
  });

  test('are there for a job that failed', async () => {
    const info = { status: 'error', exception: { class: 'Error', message: 'boom' } };
    const files = { 'agent.chat': rounds('partial') };
    const tree = job('Team/plan/Default', { info, files, result: null });
    expect((await logsIn(tree, JOB)).logs).toEqual([`log ${JOB}.files/agent.chat`]);
  });
});

describe('the logs of a chat', () => {
  test('leave out the copies of itself', async () => {
    const { logs } = await logsIn(
      {
        'p.chat': rounds('a'),
        'p.chat.files/agent.chat': rounds('a'),
        'p.chat.files/Worker.chat': rounds('a'),
        'p.chat.files/log/agent.chat': rounds('a'),
        'p.chat.files/log/planner.chat': rounds('b'),
        'p.chat.files/agent.society/Worker/one/agent.chat': rounds('c'),
        'p.chat.files/log/society/Old/one/agent.chat': rounds('d'),
      },
      'p.chat',
    );
    expect(logs).toEqual([
      'log p.chat.files/agent.society/Worker/one/agent.chat',
      'log p.chat.files/log/planner.chat',
      'log p.chat.files/log/society/Old/one/agent.chat',
    ]);
  });

  test('do not make a job of it: a .files proves nothing', async () => {
    const folder = temporaryFolder({ 'p.chat': '', 'p.chat.files/agent.chat': '' });
    const { nodes } = await provenance([join(folder, 'p.chat')], provPorts(folder));
    expect(nodes.map(({ kind }) => kind)).toEqual(['chat']);
  });
});

describe('links', () => {
  test('to a chat lead to the real one, once', async () => {
    const tree = job('Team/plan/Default', { files: { 'agent.society/A/one/agent.chat': '' } });
    const { logs } = await logsIn(tree, JOB, (folder) => {
      const society = join(folder, `${JOB}.files/agent.society/A`);
      symlinkSync('agent.chat', join(society, 'one/same.chat'));
      symlinkSync(join(society, 'one/agent.chat'), join(society, 'again.chat'));
    });
    expect(logs).toEqual([`log ${JOB}.files/agent.society/A/one/agent.chat`]);
  });

  test('to folders inside are not entered, so that loops end', async () => {
    const tree = job('Team/plan/Default', { files: { 'agent.society/A/one/agent.chat': '' } });
    const { logs } = await logsIn(tree, JOB, (folder) => {
      const society = join(folder, `${JOB}.files/agent.society`);
      symlinkSync('..', join(society, 'A/up'));
      symlinkSync(society, join(society, 'A/one/loop'));
    });
    expect(logs).toEqual([`log ${JOB}.files/agent.society/A/one/agent.chat`]);
  });

  test('in place of the .files or of a society are followed: they may lie on another disk', async () => {
    const { logs } = await logsIn(
      { ...job('Team/plan/Default'), 'disk/agent.chat': '', 'other/A/one/agent.chat': '' },
      JOB,
      (folder) => {
        symlinkSync(join(folder, 'disk'), join(folder, `${JOB}.files`));
        symlinkSync(join(folder, 'other'), join(folder, 'disk/agent.society'));
      },
    );
    expect(logs).toEqual(['log disk/agent.chat', 'log other/A/one/agent.chat']);
  });
});

test('a chat that is both the log of a job and beside its result is one node', async () => {
  const tree = job('Team/plan/Default.chat', {
    info: { type: 'chat' },
    result: rounds('a'),
    files: { 'agent.chat': rounds('a'), 'agent.society/B/one/agent.chat': rounds('b') },
  });
  const folder = temporaryFolder(tree);
  const { nodes, edges, totals } = await provenance(
    [join(folder, `${JOB}.chat`)],
    provPorts(folder),
  );
  expect(nodes).toHaveLength(4);
  const firsts = edges.map(({ from, relation, first }) => [from.kind, relation, first]);
  expect(firsts).toEqual([
    ['job', 'log', true],
    ['job', 'log', true],
    ['job', 'result', true],
    ['chat', 'log', false],
  ]);
  expect(totals.deduplicated_total.events).toBe(2);
});
