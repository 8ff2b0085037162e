// The index: the second walk reads nothing, a change reads what changed, and whatever becomes of the index, the numbers stay right.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  appendFileSync,
  cpSync,
  existsSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { provenance } from '../../src/prov/collect.ts';
import type { Provenance } from '../../src/prov/types/graph.ts';
import type { Relation } from '../../src/prov/types/places.ts';
import { createFiles } from '../../src/world/files.ts';
import { temporaryFolder, writeTree } from '../helpers/folder.ts';
import { job, provPorts, rounds } from '../helpers/prov.ts';

const JOBS = 60;
const name = (index: number) => `W/t/job_${index}`;

/** Sixty jobs in a chain, each with a log, a chat that asked for the last one, and files old enough to be trusted. */
function createStore() {
  const folder = temporaryFolder();
  for (let index = 0; index < JOBS; index++) {
    const before = index === 0 ? [] : [join(folder, 'var/jobs', name(index - 1))];
    const files = { 'agent.chat': rounds(`own ${index}`, 'shared') };
    writeTree(folder, job(name(index), { info: { dependencies: before }, files }));
  }
  writeTree(folder, {
    'root.chat': `user: q\n\nmeta: job=${name(JOBS - 1)}\n\nmeta: job=W/t/gone\n\nassistant: a\n`,
  });
  makeOld(folder);
  return { folder, index: join(temporaryFolder(), 'prov') };
}

const LONG_AGO = new Date(Date.now() - 3_600_000);
/** Walks begin long after what they look at was written. */
const LATER = { now: () => new Date(LONG_AGO.getTime() + 7_200_000) };

function makeOld(folder: string): void {
  for (const each of readdirSync(folder, { recursive: true, encoding: 'utf8' }).reverse())
    utimesSync(join(folder, each), LONG_AGO, LONG_AGO);
  utimesSync(folder, LONG_AGO, LONG_AGO);
}

/** What prov says, and which files it read for it, below the folder. */
async function look({ folder, index }: ReturnType<typeof createStore>) {
  const files = createFiles();
  const read: string[] = [];
  const listed: string[] = [];
  const note = (path: string) => read.push(path.slice(folder.length + 1));
  const watched = {
    ...files,
    now: {
      ...files.now,
      load(path: string, largest: number) {
        note(path);
        return files.now.load(path, largest);
      },
      entries(path: string) {
        listed.push(path);
        return files.now.entries(path);
      },
    },
    read(path: string) {
      note(path);
      return files.read(path);
    },
  };
  const found = await provenance(['root.chat'], provPorts(folder, { files: watched }), {
    index: { folder: index, files, clock: LATER },
  });
  return { said: summary(found), read, listed };
}

const summary = ({ nodes, edges, events, totals, nodeTotals, warnings, hidden }: Provenance) => ({
  nodes: nodes.map(({ kind, path, facts }) => ({
    kind,
    path,
    facts,
    isHidden: [...hidden].some((each) => each.path === path),
  })),
  edges: edges.map(({ from, to, ...rest }) => ({ ...rest, from: from.path, to: to.path })),
  events,
  totals,
  nodeTotals,
  warnings,
});

const indexFiles = (index: string) => readdirSync(index).map((each) => join(index, each));

describe('a second look', () => {
  test('says the same, reads no chat and no .info and lists no folder', async () => {
    const store = createStore();
    const first = await look(store);
    expect(first.read).toHaveLength(2 * JOBS + 1);
    expect(first.said.totals.deduplicated_total.events).toBe(JOBS + 1);
    expect(first.said.warnings.map(({ reason }) => reason)).toEqual(['unresolved_job_reference']);
    const second = await look(store);
    expect([second.read, second.listed]).toEqual([[], []]);
    expect(second.said).toEqual(first.said);
  });

  test('for another question is another walk', async () => {
    const { folder, index } = createStore();
    const ask = async (follow: readonly Relation[] | undefined, jobFolders: readonly string[]) => {
      const kept = { index: { folder: index, files: createFiles(), clock: LATER } };
      const ports = provPorts(folder, { jobFolders });
      const options = follow === undefined ? kept : { ...kept, follow };
      return (await provenance(['root.chat'], ports, options)).nodes.length;
    };
    const jobs = [join(folder, 'var/jobs')];
    expect(await ask(undefined, jobs)).toBe(2 * JOBS + 1);
    expect(await ask(['job', 'dependency'], jobs)).toBe(JOBS + 1);
    expect(await ask(undefined, [])).toBe(1);
    expect(await ask(undefined, jobs)).toBe(2 * JOBS + 1);
  });

  test('at a small graph makes no index: that takes longer than reading', async () => {
    const folder = temporaryFolder({ 'root.chat': rounds('a') });
    makeOld(folder);
    const store = { folder, index: join(temporaryFolder(), 'prov') };
    await look(store);
    expect(existsSync(store.index)).toBe(false);
  });
});

const LOG = (index: number) => `var/jobs/${name(index)}.files/agent.chat`;

describe('a change', () => {
  const changes: readonly {
    readonly name: string;
    readonly change: (folder: string) => void;
    /** What is read again. */
    readonly read: readonly string[];
    readonly events: number;
  }[] = [
    {
      name: 'of nothing but the time of one file reads that file',
      change: (folder) =>
        utimesSync(join(folder, LOG(7)), new Date(), new Date(Date.now() - 60_000)),
      read: [LOG(7)],
      events: JOBS + 1,
    },
    {
      name: 'of one chat reads that chat',
      change: (folder) => appendFileSync(join(folder, LOG(7)), rounds('new')),
      read: [LOG(7)],
      events: JOBS + 2,
    },
    {
      name: 'of as many characters reads the chat',
      change: (folder) => {
        const text = readFileSync(join(folder, LOG(7)), 'utf8');
        writeFileSync(join(folder, LOG(7)), text.replace('shared', 'planet'));
      },
      read: [LOG(7)],
      events: JOBS + 2,
    },
    {
      name: 'of as many characters reads the chat, also when its time is set back, as touch -r does',
      change: (folder) => {
        const chat = join(folder, LOG(7));
        const { atime, mtime } = statSync(chat);
        writeFileSync(chat, readFileSync(chat, 'utf8').replace('shared', 'planet'));
        utimesSync(chat, atime, mtime);
      },
      read: [LOG(7)],
      events: JOBS + 2,
    },
    {
      name: 'by a new log finds it, also when the time of its folder is set back, as rsync -a does',
      change: (folder) => {
        const files = join(folder, `var/jobs/${name(3)}.files`);
        const { atime, mtime } = statSync(files);
        writeFileSync(join(files, 'other.chat'), rounds('b'));
        utimesSync(files, atime, mtime);
      },
      read: [`var/jobs/${name(3)}.files/other.chat`],
      events: JOBS + 2,
    },
    {
      name: 'of one job reads its .info, and what it leads to now',
      change: (folder) => writeTree(folder, job(name(1), { info: { dependencies: [] } })),
      read: [`var/jobs/${name(1)}.info`],
      events: JOBS,
    },
    {
      name: 'by a new log finds it',
      change: (folder) =>
        writeTree(folder, {
          [`var/jobs/${name(3)}.files/agent.society/B/one/agent.chat`]: rounds('b'),
        }),
      read: [`var/jobs/${name(3)}.files/agent.society/B/one/agent.chat`],
      events: JOBS + 2,
    },
    {
      name: 'by a log that went forgets it',
      change: (folder) => rmSync(join(folder, LOG(3))),
      read: [],
      events: JOBS,
    },
    {
      name: 'by a first .files finds it',
      change: (folder) =>
        writeTree(folder, { 'root.chat.files/agent.society/B/one/agent.chat': rounds('b') }),
      read: ['root.chat.files/agent.society/B/one/agent.chat'],
      events: JOBS + 2,
    },
    {
      name: 'by a result that went shows in the status',
      change: (folder) => rmSync(join(folder, `var/jobs/${name(3)}`)),
      read: [`var/jobs/${name(3)}.info`],
      events: JOBS + 1,
    },
    {
      name: 'by a job that was missing before finds it',
      change: (folder) =>
        writeTree(folder, job('W/t/gone', { files: { 'agent.chat': rounds('g') } })),
      read: ['var/jobs/W/t/gone.info', 'var/jobs/W/t/gone.files/agent.chat'],
      events: JOBS + 2,
    },
  ];
  for (const each of changes)
    test(each.name, async () => {
      const store = createStore();
      await look(store);
      each.change(store.folder);
      const { said, read } = await look(store);
      expect(read.sort()).toEqual([...each.read].sort());
      expect(said.totals.deduplicated_total.events).toBe(each.events);
      rmSync(store.index, { recursive: true });
      expect(said).toEqual((await look(store)).said);
    });

  test('of one count in a file that is as long as before shows', async () => {
    const store = createStore();
    const file = join(store.folder, LOG(7));
    // No time was set back here: the file's own time is all that tells.
    const text = readFileSync(file, 'utf8');
    writeFileSync(file, text);
    const first = await look(store);
    writeFileSync(file, text.replace('pt=100 ct=10 tt=110', 'pt=200 ct=10 tt=210'));
    const second = await look(store);
    expect(second.read).toEqual([LOG(7)]);
    const sum = ({ said }: typeof first) => said.totals.deduplicated_total.tokens.tt;
    expect([sum(first), sum(second)]).toEqual([110 * (JOBS + 1), 110 * (JOBS + 1) + 100]);
  });

  test('of nothing but who is at work: a job whose process was killed is aborted', async () => {
    const store = createStore();
    const worker = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1e9)']);
    const info = { status: 'running', pid: worker.pid, pid_hostname: hostname() };
    writeTree(store.folder, {
      ...job('W/t/running', { info, result: null }),
      'root.chat': `user: q\n\nmeta: job=${name(JOBS - 1)}\n\nmeta: job=W/t/running\n`,
    });
    makeOld(store.folder);
    const status = async () => {
      const { said } = await look(store);
      const found = said.nodes.find(({ path }) => path.endsWith('/running'));
      return found?.kind === 'job' && found.facts && 'status' in found.facts && found.facts.status;
    };
    expect(await status()).toBe('running');
    worker.kill('SIGKILL');
    await once(worker, 'exit');
    expect(await status()).toBe('aborted');
  });

  test('by a store that is at its old place again finds its jobs there', async () => {
    const { folder, index } = createStore();
    const moved = join(temporaryFolder(), 'moved');
    cpSync(folder, moved, { recursive: true, preserveTimestamps: true });
    renameSync(folder, `${folder}.away`);
    const away = await look({ folder: moved, index });
    renameSync(`${folder}.away`, folder);
    const { said } = await look({ folder: moved, index });
    const at = (place: string, { nodes }: typeof said) =>
      nodes.filter(({ path }) => path.startsWith(`${place}/`)).length;
    expect([at(folder, away.said), at(moved, away.said)]).toEqual([0, 2 * JOBS + 1]);
    // The chat names its job as Workflow/task/name: that one is below the folder of jobs, what it needs at the path that is written there.
    expect([at(folder, said), at(moved, said)]).toEqual([2 * (JOBS - 1), 3]);
    rmSync(index, { recursive: true });
    expect(said).toEqual((await look({ folder: moved, index })).said);
  });

  test('too short ago to be seen again is not relied on', async () => {
    const store = createStore();
    utimesSync(join(store.folder, LOG(7)), LATER.now(), LATER.now());
    const first = await look(store);
    const second = await look(store);
    expect(second.read).toEqual([LOG(7)]);
    expect(second.said).toEqual(first.said);
  });
});

describe('an index that was', () => {
  const damages: readonly (readonly [string, (file: string) => void])[] = [
    ['deleted', (file) => rmSync(file)],
    ['emptied', (file) => writeFileSync(file, '')],
    ['cut off', (file) => truncateSync(file, 2000)],
    [
      'changed in one number',
      (file) => writeFileSync(file, readFileSync(file, 'utf8').replace(',100,10,', ',900,10,')),
    ],
    [
      'changed in one byte',
      (file) => {
        const bytes = readFileSync(file);
        bytes[bytes.length >> 1] = (bytes[bytes.length >> 1] ?? 0) ^ 1;
        writeFileSync(file, bytes);
      },
    ],
    [
      'written by another program',
      (file) =>
        writeFileSync(file, readFileSync(file, 'utf8').replace('prov-index/', 'prov-other/')),
    ],
    ['replaced by noise', (file) => writeFileSync(file, Buffer.from([0, 1, 2, 10, 255, 254]))],
    ['replaced by other JSON', (file) => writeFileSync(file, '{"schema":"prov-index/1"}\n[]\n')],
  ];
  for (const [name, damage] of damages)
    test(`${name} costs time, and never a number`, async () => {
      const store = createStore();
      const first = await look(store);
      for (const file of indexFiles(store.index)) damage(file);
      const second = await look(store);
      expect(second.said).toEqual(first.said);
      expect(second.read.length).toBe(first.read.length);
      expect((await look(store)).read).toEqual([]);
    });

  test('made by another version of this program is not used', async () => {
    const store = createStore();
    const files = createFiles();
    const read = async (version: string) => {
      let loads = 0;
      const load = (path: string, largest: number) => {
        loads++;
        return files.now.load(path, largest);
      };
      const index = { folder: store.index, files, clock: LATER, version };
      const ports = provPorts(store.folder, {
        files: { ...files, now: { ...files.now, load } },
      });
      await provenance(['root.chat'], ports, { index });
      return loads;
    };
    expect([await read('1.0.0'), await read('1.0.0'), await read('1.0.1')]).toEqual([
      2 * JOBS + 1,
      0,
      2 * JOBS + 1,
    ]);
  });

  test('in a place where nothing can be written does not matter', async () => {
    const store = createStore();
    writeFileSync(join(store.folder, 'file'), '');
    const blocked = { ...store, index: join(store.folder, 'file/prov') };
    const first = await look(blocked);
    expect((await look(blocked)).said).toEqual(first.said);
  });
});

test('of many walks the last ones are kept', async () => {
  const store = createStore();
  const files = createFiles();
  const index = { folder: store.index, files, clock: LATER };
  const ports = provPorts(store.folder);
  for (let walk = 0; walk < 70; walk++) {
    const jobs = Array.from({ length: 1 + (walk % 35) }, (_, each) => name(JOBS - 1 - each));
    await provenance(walk < 35 ? jobs : ['root.chat', ...jobs], ports, { index });
  }
  expect(indexFiles(store.index)).toHaveLength(64);
});
