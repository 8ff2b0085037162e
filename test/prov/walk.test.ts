// The walk: order, cycles, links, references, which relations are followed, and that looking changes nothing.

import { lstatSync, mkdirSync, readdirSync, readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { collect, edges } from '../../src/prov/collect.ts';
import { jobReferenceFolders } from '../../src/prov/roots.ts';
import type { Visit } from '../../src/prov/types/graph.ts';
import type { Relation } from '../../src/prov/types/places.ts';
import type { Problem } from '../../src/prov/types/warnings.ts';
import { walk } from '../../src/prov/walk.ts';
import { createFiles } from '../../src/world/files.ts';
import { type Tree, temporaryFolder, writeTree } from '../helpers/folder.ts';
import { job, provPorts, rounds } from '../helpers/prov.ts';

const named = (folder: string) => (path: string) => path.slice(folder.length + 1);

const deps = (folder: string, ...names: readonly string[]) => ({
  info: { dependencies: names.map((name) => join(folder, 'var/jobs', name)) },
});

describe('the order', () => {
  test('is breadth first, relation after relation, and by path within one', async () => {
    const folder = temporaryFolder();
    writeTree(folder, {
      'root.chat': `user: q\n\nfunction_call: {"name":"ask","id":"1"}\n\nfunction_call_output: {"id":"1","meta":[{"job":"W/t/b"},{"job":"W/t/a"}]}\n\nmeta: job=W/t/d\n\nmeta: job=W/t/c\n\nassistant: x\n`,
      'root.chat.files/agent.society/A/one/agent.chat': '',
      ...job('W/t/a'),
      ...job('W/t/b'),
      ...job('W/t/c', { ...deps(folder, 'W/t/z', 'W/t/a'), files: { 'agent.chat': '' } }),
      ...job('W/t/d'),
      ...job('W/t/z'),
    });
    const path = join(folder, 'root.chat');
    const found = await edges({ kind: 'chat', path }, provPorts(folder));
    const last = (path: string) => named(folder)(path).replace('var/jobs/W/t/', '');
    expect(
      found.map(({ from, relation, to }) => `${last(from.path)} ${relation} ${last(to.path)}`),
    ).toEqual([
      'root.chat job c',
      'root.chat job d',
      'root.chat agent_job a',
      'root.chat agent_job b',
      'root.chat log root.chat.files/agent.society/A/one/agent.chat',
      'c dependency a',
      'c dependency z',
      'c log c.files/agent.chat',
    ]);
  });

  test('has one edge for each relation to a job, and one for each receipt', async () => {
    const folder = temporaryFolder({
      'root.chat': `user: q\n\nfunction_call: {"name":"ask","id":"1"}\n\nfunction_call_output: {"id":"1","meta":[{"job":"W/t/a"},{"job":"W/t/a"}]}\n\nmeta: job=W/t/a\n\nassistant: x\n\nmeta: job=W/t/a\n\nassistant: y\n`,
      ...job('W/t/a'),
    });
    const path = join(folder, 'root.chat');
    const found = await edges({ kind: 'chat', path }, provPorts(folder));
    expect(found.map(({ relation, detail }) => [relation, detail])).toEqual([
      ['job', null],
      [
        'agent_job',
        { address: [path, 2, 'meta', 0], call_id: '1', tool_name: 'ask', job: 'W/t/a' },
      ],
      [
        'agent_job',
        { address: [path, 2, 'meta', 1], call_id: '1', tool_name: 'ask', job: 'W/t/a' },
      ],
    ]);
  });
});

describe('what is shared', () => {
  test('ends a cycle, and is expanded once', async () => {
    const folder = temporaryFolder();
    writeTree(folder, {
      ...job('W/t/a', deps(folder, 'W/t/b')),
      ...job('W/t/b', deps(folder, 'W/t/c', 'W/t/b')),
      ...job('W/t/c', deps(folder, 'W/t/a')),
    });
    const visits: Visit[] = [];
    for await (const visit of walk(
      { kind: 'job', path: join(folder, 'var/jobs/W/t/a') },
      provPorts(folder),
    ))
      visits.push(visit);
    const told = visits.map(({ node, edge, first }) => [
      edge?.from.path.slice(-1) ?? null,
      node.path.slice(-1),
      first,
    ]);
    expect(told).toEqual([
      [null, 'a', true],
      ['a', 'b', true],
      ['b', 'b', false],
      ['b', 'c', true],
      ['c', 'a', false],
    ]);
  });

  test('is read once', async () => {
    const folder = temporaryFolder();
    const names = ['a', 'b', 'c', 'd'].map((name) => `W/t/${name}`);
    for (const name of names)
      writeTree(
        folder,
        job(name, { ...deps(folder, ...names), files: { 'agent.chat': 'user: q\n' } }),
      );
    const files = createFiles();
    const read: string[] = [];
    const counting = {
      ...files,
      now: {
        ...files.now,
        load: (path: string, largest: number) => {
          read.push(path);
          return files.now.load(path, largest);
        },
        readShort: (path: string) => {
          read.push(path);
          return files.now.readShort(path);
        },
      },
    };
    const ports = provPorts(folder, { files: counting });
    await collect({ kind: 'job', path: join(folder, 'var/jobs/W/t/a') }, ports);
    expect(read).toHaveLength(8);
    expect(new Set(read).size).toBe(8);
  });

  test('is one node behind links: to its folder, to the job, to the chat', async () => {
    const folder = temporaryFolder();
    mkdirSync(join(folder, 'other'));
    writeTree(folder, {
      ...job('W/t/a'),
      'root.chat': `user: q\n\nmeta: job=${folder}/var/jobs/W/t/a\n\nmeta: job=${folder}/link/W/t/a\n\nmeta: job=${folder}/other/alias\n\nassistant: x\n`,
    });
    symlinkSync(join(folder, 'var/jobs'), join(folder, 'link'));
    symlinkSync(join(folder, 'var/jobs/W/t/a'), join(folder, 'other/alias'));
    symlinkSync(join(folder, 'var/jobs/W/t/a.info'), join(folder, 'other/alias.info'));
    symlinkSync(join(folder, 'root.chat'), join(folder, 'root-link.chat'));
    const graph = await collect(
      [
        { kind: 'chat', path: join(folder, 'root-link.chat') },
        { kind: 'chat', path: join(folder, 'root.chat') },
      ],
      provPorts(folder),
    );
    expect(graph.nodes.map(({ path }) => named(folder)(path))).toEqual([
      'root.chat',
      'var/jobs/W/t/a',
    ]);
    expect(graph.edges).toHaveLength(1);
  });
});

describe('a relation that is not followed', () => {
  const cases: readonly (readonly [readonly Relation[], readonly string[]])[] = [
    [['dependency'], ['a', 'b', 'c']],
    [['log'], ['a', 'a.files/agent.chat']],
    [[], ['a']],
  ];
  for (const [follow, expected] of cases)
    test(`leaves out what only it leads to: ${follow.join(', ') || 'none'}`, async () => {
      const folder = temporaryFolder();
      writeTree(folder, {
        ...job('W/t/a', { ...deps(folder, 'W/t/b', 'W/t/gone'), files: { 'agent.chat': '' } }),
        ...job('W/t/b', deps(folder, 'W/t/c')),
        ...job('W/t/c'),
      });
      const problems: Problem[] = [];
      const graph = await collect(
        { kind: 'job', path: join(folder, 'var/jobs/W/t/a') },
        provPorts(folder),
        { follow, onError: (problem) => problems.push(problem) },
      );
      const names = graph.nodes.map(({ path }) => named(folder)(path).replace('var/jobs/W/t/', ''));
      expect(names).toEqual(expected);
      expect(problems).toHaveLength(follow.includes('dependency') ? 1 : 0);
    });
});

describe('a job reference', () => {
  const folders = ['var/jobs', 'home/.scout/var/jobs', 'home/.rbbt/var/jobs'];
  for (const place of folders)
    test(`Workflow/task/name is found below ${place}`, async () => {
      const folder = temporaryFolder({
        'root.chat': 'user: q\n\nmeta: job=W/t/a\n\nassistant: x\n',
        [`${place}/W/t/a`]: '1',
        [`${place}/W/t/a.info`]: '{"status":"done"}',
        'package/x': '',
      });
      const world = {
        files: createFiles(),
        env: { HOME: join(folder, 'home'), SCOUT_HOME: join(folder, 'elsewhere') },
        cwd: folder,
        packageFolder: join(folder, 'package'),
      };
      const ports = provPorts(folder, { jobFolders: await jobReferenceFolders(world) });
      const graph = await collect({ kind: 'chat', path: join(folder, 'root.chat') }, ports);
      expect(graph.nodes[1]?.path).toBe(join(folder, place, 'W/t/a'));
    });

  test('needs no ending that tells the type of the result', async () => {
    const folder = temporaryFolder({
      'root.chat': 'user: q\n\nmeta: job=W/t/a\n\nassistant: x\n',
      'var/jobs/W/t/a.json': '1',
      'var/jobs/W/t/a.json.info': '{"status":"done"}',
    });
    const root = { kind: 'chat', path: join(folder, 'root.chat') } as const;
    const graph = await collect(root, provPorts(folder));
    expect(graph.nodes[1]?.path).toBe(join(folder, 'var/jobs/W/t/a.json'));
  });

  test('with dots in it does not leave the folders of jobs', async () => {
    const folder = temporaryFolder({
      'root.chat': 'user: q\n\nmeta: job=../../secret\n\nassistant: x\n',
      secret: 'x',
      'var/jobs/x': '',
    });
    const problems: Problem[] = [];
    await collect({ kind: 'chat', path: join(folder, 'root.chat') }, provPorts(folder), {
      onError: (problem) => problems.push(problem),
    });
    expect(problems.map(({ reference }) => reference)).toEqual(['../../secret']);
  });

  test('to a result without its .info is followed', async () => {
    const folder = temporaryFolder({
      'root.chat': 'user: q\n\nmeta: job=W/t/a\n\nassistant: x\n',
      'var/jobs/W/t/a': 'x',
    });
    const graph = await collect(
      { kind: 'chat', path: join(folder, 'root.chat') },
      provPorts(folder),
    );
    expect(graph.nodes[1]).toMatchObject({
      kind: 'job',
      facts: { workflow: 'W', task: 't', name: 'a', status: 'done' },
    });
  });

  test('a project that was moved loses none of its jobs: they are found near what names them', async () => {
    const old = '/gone/lab/var/jobs';
    const folder = temporaryFolder({
      'moved/chats/root.chat': `user: q\n\nfunction_call: {"name":"ask","id":"1"}\n\nfunction_call_output: {"id":"1","meta":[{"job":"${old}/W/t/b"}]}\n\nmeta: job=${old}/W/t/a\n\nassistant: x\n`,
      'moved/var/jobs/W/t/a.json': '1',
      'moved/var/jobs/W/t/a.json.info': `{"status":"done","dependencies":["${old}/W/u/c"]}`,
      'moved/var/jobs/W/t/b': '1',
      'moved/var/jobs/W/t/b.info': '{"status":"done"}',
      'moved/var/jobs/W/u/c': '1',
      'moved/var/jobs/W/u/c.info': `{"status":"done","dependencies":["${old}/W/u/gone"]}`,
      'moved/var/jobs/W/u/c.files/agent.chat': rounds('r1'),
      // The same work in the reader's own store is not what this project means.
      ...job('W/u/c'),
      // A store of another name.
      'out/W/t/a': '1',
      'out/W/t/a.info': '{"status":"done","dependencies":["/gone/out/W/u/d"]}',
      'out/W/u/d': '1',
      'out/W/u/d.info': '{"status":"done"}',
    });
    const problems: Problem[] = [];
    const roots = [
      { kind: 'chat', path: join(folder, 'moved/chats/root.chat') },
      { kind: 'job', path: join(folder, 'out/W/t/a') },
    ] as const;
    const graph = await collect(roots, provPorts(folder), {
      onError: (problem) => problems.push(problem),
    });
    expect(graph.nodes.map(({ path }) => named(folder)(path))).toEqual([
      'moved/chats/root.chat',
      'out/W/t/a',
      'moved/var/jobs/W/t/a.json',
      'moved/var/jobs/W/t/b',
      'out/W/u/d',
      'moved/var/jobs/W/u/c',
      'moved/var/jobs/W/u/c.files/agent.chat',
    ]);
    // Each move is told once: the numbers are those of the jobs that are there.
    expect(problems.map(({ warning, reference }) => [warning.reason, reference])).toEqual([
      ['moved_jobs', '/gone/out/W/u/d'],
      ['moved_jobs', `${old}/W/t/a`],
      ['unresolved_job_reference', `${old}/W/u/gone`],
    ]);
    expect(problems[1]?.warning.message).toContain(join(folder, 'moved/var/jobs'));
  });

  test('a job that is still where it was is not looked for elsewhere', async () => {
    const folder = temporaryFolder();
    writeTree(folder, {
      ...job('W/t/a'),
      'copy/root.chat': `user: q\n\nmeta: job=${join(folder, 'var/jobs/W/t/a')}\n\nassistant: x\n`,
      'copy/var/jobs/W/t/a': '1',
      'copy/var/jobs/W/t/a.info': '{"status":"done"}',
    });
    const root = { kind: 'chat', path: join(folder, 'copy/root.chat') } as const;
    const graph = await collect(root, provPorts(folder));
    expect(graph.nodes[1]?.path).toBe(join(folder, 'var/jobs/W/t/a'));
  });

  test('to nowhere is thrown, or told once with its place', async () => {
    const folder = temporaryFolder();
    writeTree(folder, {
      'root.chat':
        'user: q\n\nmeta: job=W/t/gone\n\nassistant: x\n\nmeta: job=W/t/gone\n\nassistant: y\n',
      ...job('W/t/a', deps(folder, 'W/t/gone')),
    });
    const root = { kind: 'chat', path: join(folder, 'root.chat') } as const;
    await expect(collect(root, provPorts(folder))).rejects.toMatchObject({
      code: 'unresolved-job-reference',
      at: `${root.path}:1`,
    });
    const problems: Problem[] = [];
    const both = [root, { kind: 'job', path: join(folder, 'var/jobs/W/t/a') }] as const;
    await collect(both, provPorts(folder), { onError: (problem) => problems.push(problem) });
    expect(
      problems.map(({ kind, object, relation, reference, warning }) => [
        kind,
        named(folder)(object),
        relation,
        named(folder)(reference ?? '') || reference,
        warning.reason,
        warning.address?.[1] ?? null,
      ]),
    ).toEqual([
      ['chat', 'root.chat', 'job', 'W/t/gone', 'unresolved_job_reference', 1],
      [
        'job',
        'var/jobs/W/t/a',
        'dependency',
        'var/jobs/W/t/gone',
        'unresolved_job_reference',
        null,
      ],
    ]);
  });
});

test('a receipt whose job is nowhere is told with its place and its call', async () => {
  const output = JSON.stringify({ id: 7, content: 'x', meta: [{ tt: 1 }, { job: 'W/t/gone' }] });
  const folder = temporaryFolder({
    'root.chat': `user: q\n\nfunction_call: {"name":"ask","id":7}\n\nfunction_call_output: ${output}\n`,
  });
  const root = { kind: 'chat', path: join(folder, 'root.chat') } as const;
  const problems: Problem[] = [];
  await collect(root, provPorts(folder), { onError: (problem) => problems.push(problem) });
  expect(problems).toMatchObject([
    {
      relation: 'agent_job',
      reference: 'W/t/gone',
      warning: {
        reason: 'unresolved_job_reference',
        address: [root.path, 2, 'meta', 1],
        call_id: '7',
        tool_name: 'ask',
      },
    },
  ]);
});

test('a society that leads to a file, and can be no folder, is told; the other logs are read', async () => {
  const folder = temporaryFolder({
    ...job('W/t/a', { files: { 'agent.chat': rounds('a'), 'log/b.chat': rounds('b') } }),
    file: 'x',
  });
  const files = join(folder, 'var/jobs/W/t/a.files');
  symlinkSync(join(folder, 'file'), join(files, 'agent.society'));
  const problems: Problem[] = [];
  const root = { kind: 'job', path: join(folder, 'var/jobs/W/t/a') } as const;
  const { nodes } = await collect(root, provPorts(folder), {
    onError: (problem) => problems.push(problem),
  });
  expect(nodes).toHaveLength(3);
  expect(problems).toMatchObject([
    {
      kind: 'job',
      relation: 'log',
      warning: { reason: 'unreadable', source: join(folder, 'file') },
    },
  ]);
});

test("a job whose .info is a link to another's is that other one", async () => {
  const folder = temporaryFolder(job('W/t/a', { files: { 'agent.chat': rounds('a') } }));
  const place = (name: string) => join(folder, 'var/jobs/W/t', name);
  symlinkSync(place('a.info'), place('b.info'));
  for (const reference of ['W/t/b', place('b'), 'W/t/a']) {
    writeTree(folder, { 'root.chat': `user: q\n\nmeta: job=${reference}\n` });
    const root = { kind: 'chat', path: join(folder, 'root.chat') } as const;
    const { nodes } = await collect(root, provPorts(folder));
    expect(nodes.map(({ path }) => path)).toEqual([
      root.path,
      place('a'),
      place('a.files/agent.chat'),
    ]);
  }
});

test('a job that failed before its chat was there has no result, and nothing is told of that', async () => {
  const info = { type: 'chat', status: 'error' };
  const folder = temporaryFolder(job('W/t/a.chat', { info, result: null }));
  const root = { kind: 'job', path: join(folder, 'var/jobs/W/t/a.chat') } as const;
  const { nodes, edges: found } = await collect(root, provPorts(folder));
  expect([nodes.length, found]).toEqual([1, []]);
});

describe('jobs say what became of them', () => {
  const cases: readonly (readonly [string, Tree, object])[] = [
    ['done', job('W/t/a'), { status: 'done', done: true }],
    [
      'failed',
      job('W/t/a', {
        info: { status: 'error', exception: { class: 'Boom', message: 'no luck' } },
        result: null,
      }),
      { status: 'error', error: { class: 'Boom', message: 'no luck' } },
    ],
    ['aborted', job('W/t/a', { info: { status: 'aborted' }, result: null }), { status: 'aborted' }],
    [
      'killed without a word',
      job('W/t/a', {
        info: { status: 'running', pid: 999999999, pid_hostname: 'x', pid_started: '1' },
        result: null,
      }),
      { status: 'aborted', error: { class: 'Killed' } },
    ],
    [
      'done, its result gone',
      job('W/t/a', { result: null }),
      { status: 'error', error: { class: 'MissingResult' } },
    ],
  ];
  for (const [name, tree, facts] of cases)
    test(name, async () => {
      const folder = temporaryFolder(tree);
      const graph = await collect(
        { kind: 'job', path: join(folder, 'var/jobs/W/t/a') },
        provPorts(folder),
      );
      expect(graph.nodes[0]?.facts).toMatchObject(facts);
    });
});

test('looking at a chat compiles, runs and writes nothing', async () => {
  const folder = temporaryFolder();
  writeTree(folder, {
    'root.chat': `exec_task: Evil run\n\ntask: Evil run\n\nimport: other.chat\n\nfile: /etc/passwd\n\nuser: $(touch ${folder}/evil)\n\nmeta: job=W/t/a\n\nassistant: x\n`,
    'other.chat': rounds('imported'),
    'workflows/Evil/workflow.yaml': `name: Evil\ntasks: {run: {command: "touch ${folder}/evil"}}\n`,
    ...job('W/t/a', { files: { 'agent.chat': rounds('a') } }),
  });
  const before = everythingIn(folder);
  const graph = await collect({ kind: 'chat', path: join(folder, 'root.chat') }, provPorts(folder));
  expect(graph.nodes.map(({ path }) => named(folder)(path))).toEqual([
    'root.chat',
    'var/jobs/W/t/a',
    'var/jobs/W/t/a.files/agent.chat',
  ]);
  expect(everythingIn(folder)).toEqual(before);
});

const everythingIn = (folder: string) =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((name) => {
    const stat = lstatSync(join(folder, name));
    return [name, stat.mtimeMs, stat.isFile() ? readFileSync(join(folder, name), 'utf8') : null];
  });
