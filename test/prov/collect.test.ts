// Several roots, folders, times: one total, each request once.

import { mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { provenance } from '../../src/prov/collect.ts';
import { findRoots } from '../../src/prov/roots.ts';
import { readTime } from '../../src/prov/time.ts';
import { temporaryFolder, writeTree } from '../helpers/folder.ts';
import { job, provPorts, rounds } from '../helpers/prov.ts';

async function rootsIn(folder: string, ...paths: readonly string[]) {
  const roots = await findRoots(paths, provPorts(folder));
  return roots.map(({ kind, path }) => `${kind} ${path.slice(folder.length + 1)}`);
}

describe('a root is', () => {
  const folder = () =>
    temporaryFolder({
      'talk.chat': rounds('a'),
      'talk.chat.files/agent.chat': rounds('a'),
      'notes.txt': 'user: hi\n',
      ...job('W/t/Default'),
      ...job('W/t/Answer.chat', { info: { type: 'chat' } }),
    });
  const cases: readonly (readonly [string, string, string])[] = [
    ['a chat', 'talk.chat', 'chat talk.chat'],
    ['a chat of any name', 'notes.txt', 'chat notes.txt'],
    ['a job, when its .info is there', 'var/jobs/W/t/Default', 'job var/jobs/W/t/Default'],
    [
      'a job, also when its result is a chat',
      'var/jobs/W/t/Answer.chat',
      'job var/jobs/W/t/Answer.chat',
    ],
    ['the job of an .info', 'var/jobs/W/t/Default.info', 'job var/jobs/W/t/Default'],
    ['a job by its short name', 'W/t/Default', 'job var/jobs/W/t/Default'],
    ['the chat that a .files belongs to', 'talk.chat.files', 'chat talk.chat'],
    ['a path with a slash and dots', './var/../talk.chat', 'chat talk.chat'],
  ];
  for (const [name, path, expected] of cases)
    test(name, async () => {
      expect(await rootsIn(folder(), path)).toEqual([expected]);
    });

  test('real: behind a link stands the same one', async () => {
    const place = folder();
    symlinkSync('talk.chat', join(place, 'link'));
    symlinkSync('var', join(place, 'short'));
    expect(await rootsIn(place, 'link', 'talk.chat', 'short/jobs/W/t/Default')).toEqual([
      'chat talk.chat',
      'job var/jobs/W/t/Default',
    ]);
  });
});

describe('a folder stands for', () => {
  test('the chats and jobs in it, but not for what was kept beside them', async () => {
    const folder = temporaryFolder({
      'p/a.chat': rounds('a'),
      'p/a.chat.files/agent.society/B/one/agent.chat': rounds('b'),
      'p/sub/b.chat': rounds('c'),
      'p/notes.txt': 'x',
      'p/.hidden/x.chat': rounds('x'),
      'p/.x.chat': rounds('x'),
    });
    writeTree(join(folder, 'p'), job('W/t/Answer.chat', { info: { type: 'chat' } }));
    mkdirSync(join(folder, 'p/folder.chat'));
    symlinkSync('..', join(folder, 'p/sub/up'));
    expect(await rootsIn(folder, 'p')).toEqual([
      'chat p/a.chat',
      'chat p/sub/b.chat',
      'job p/var/jobs/W/t/Answer.chat',
    ]);
  });
});

describe('several roots', () => {
  test('have one total, in which each request counts once', async () => {
    const folder = temporaryFolder({
      'p/a.chat': `user: q\n\nmeta: job=W/t/x\n\nassistant: a\n\n${rounds('a')}`,
      'p/b.chat': `user: q\n\nmeta: job=W/t/x\n\nassistant: b\n\n${rounds('a', 'b')}`,
      ...job('W/t/x', { files: { 'agent.chat': rounds('x') } }),
    });
    const { roots, nodes, totals, nodeTotals } = await provenance(
      ['p', 'p/a.chat', 'W/t/x'],
      provPorts(folder),
    );
    expect(roots.map(({ path }) => path.slice(folder.length + 1))).toEqual([
      'p/a.chat',
      'p/b.chat',
      'var/jobs/W/t/x',
    ]);
    expect(nodes).toHaveLength(4);
    expect(totals.deduplicated_total).toMatchObject({ events: 3, tokens: { tt: 330 } });
    expect(nodeTotals.map(({ aggregate }) => aggregate.events)).toEqual([2, 3, 1, 1]);
  });
});

describe('nodes that views leave out', () => {
  test("are a job's own log and its result, unless something else leads there", async () => {
    const folder = temporaryFolder({
      'root.chat': 'user: q\n\nmeta: job=W/t/x.chat\n\nassistant: a\n',
      ...job('W/t/x.chat', { info: { type: 'chat' }, files: { 'agent.chat': rounds('x') } }),
    });
    const place = (name: string) => join(folder, 'var/jobs/W/t', name);
    const hiddenFrom = async (...roots: readonly string[]) =>
      [...(await provenance(roots, provPorts(folder))).hidden].map(({ path }) => path);
    expect(await hiddenFrom('root.chat')).toEqual([
      place('x.chat.files/agent.chat'),
      place('x.chat'),
    ]);
    expect(await hiddenFrom('root.chat', place('x.chat.files/agent.chat'))).toEqual([
      place('x.chat'),
    ]);
  });

  test('are shown when another job has them among its logs', async () => {
    const folder = temporaryFolder();
    const place = (name: string) => join(folder, 'var/jobs/W/t', name);
    writeTree(folder, {
      ...job('W/t/x', { files: { 'agent.chat': rounds('x') } }),
      ...job('W/t/y', {
        info: { dependencies: [place('x')] },
        files: { 'log/b.chat': rounds('b') },
      }),
    });
    const { hidden: before } = await provenance(['W/t/y'], provPorts(folder));
    expect([...before].map(({ path }) => path)).toEqual([place('x.files/agent.chat')]);
    symlinkSync(place('x.files/agent.chat'), place('y.files/log/theirs.chat'));
    const { hidden, totals } = await provenance(['W/t/y'], provPorts(folder));
    expect([...hidden]).toEqual([]);
    expect(totals.deduplicated_total.events).toBe(2);
  });

  test('are counted in what the job cost by itself', async () => {
    const files = { 'agent.chat': rounds('x', 'y'), 'agent.society/B/one/agent.chat': rounds('b') };
    const info = { type: 'chat' };
    const folder = temporaryFolder(job('W/t/x.chat', { info, files, result: rounds('y', 'z') }));
    const { nodeTotals } = await provenance(['W/t/x.chat'], provPorts(folder));
    expect(nodeTotals[0]?.direct.events).toBe(3);
    expect(nodeTotals[0]?.aggregate.events).toBe(4);
  });
});

describe('times', () => {
  const meta = (id: string, time: string) =>
    `user: q\n\nmeta: tt=1 inference_id=${id}${time === '' ? '' : ` timestamp=${time}`}\n\nassistant: a\n\n`;
  const chat =
    meta('old', '2025-12-31T23:59:59.999Z') +
    meta('first', '2026-01-01T00:00:00.000Z') +
    meta('last', '2026-01-31T23:59:59.999Z') +
    meta('next', '2026-02-01T00:00:00.000Z') +
    meta('untimed', '') +
    meta('odd', 'yesterday');

  test('choose the events that lie within, and tell how many do not and how many cannot be told', async () => {
    const folder = temporaryFolder({ 'a.chat': chat });
    const times = {
      since: readTime('2026-01-01', 'since'),
      until: readTime('2026-01-31', 'until'),
    };
    const found = await provenance(['a.chat'], provPorts(folder), { times });
    expect(found.events.map(({ inference_id }) => inference_id)).toEqual(['first', 'last']);
    expect(found.leftOut).toEqual({ outside: 2, untimed: 2 });
    expect(found.totals.deduplicated_total.tokens.tt).toBe(2);
    expect(found.nodeTotals[0]?.aggregate.tokens.tt).toBe(2);
  });

  test('leave nothing out when there are none', async () => {
    const folder = temporaryFolder({ 'a.chat': chat });
    const found = await provenance(['a.chat'], provPorts(folder));
    expect(found.events).toHaveLength(6);
    expect(found.leftOut).toEqual({ outside: 0, untimed: 0 });
  });

  const good: readonly (readonly [string, 'since' | 'until', string])[] = [
    ['2026-01-31', 'since', '2026-01-31T00:00:00.000Z'],
    ['2026-01-31', 'until', '2026-02-01T00:00:00.000Z'],
    ['2026-01-31T12:00:00Z', 'until', '2026-01-31T12:00:00.000Z'],
    ['2026-01-31T12:00:00+02:00', 'since', '2026-01-31T10:00:00.000Z'],
  ];
  for (const [text, edge, expected] of good)
    test(`${edge} ${text} is ${expected}`, () => {
      expect(new Date(readTime(text, edge)).toISOString()).toBe(expected);
    });

  for (const text of ['yesterday', '2026-02-30', '2026', '', '31/01/2026', '1'])
    test(`"${text}" is refused`, () => {
      expect(() => readTime(text, 'since')).toThrow(/is no day and no time/);
    });
});
