// Provenance of a store of 20,000 jobs with 5,000 chats: against reading the same files and nothing else, and again from the
// index; and what the totals of all nodes cost as the store grows.

import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import * as path from 'node:path';
import { bundled } from '../helpers/bundled.js';
import { cleanEnvironment, median } from './measure.ts';
import type { Bench, Row } from './types.ts';

const JOBS = 20_000;
/** Of so many jobs one has a chat. */
const CHATS = 4;
const MEGABYTE = 1_000_000;

export const provBench: Bench = {
  name: 'prov',
  async run(root) {
    const folder = mkdtempSync(path.join(tmpdir(), 'scout-bench-'));
    const program = await bundled(root, 'test/bench/prov-child.ts');
    try {
      const child = childOf(root, program.file);
      return [...walkRows(root, folder, child), ...growthRows(root, folder, child)];
    } finally {
      program.remove();
      rmSync(folder, { recursive: true, force: true });
    }
  },
};

/** What to do, with what, and where the index is, if any. */
type Child = (what: string, place: string, index?: string) => Figures;

interface Figures {
  /** Milliseconds. */
  readonly find: number;
  readonly read: number;
  readonly walk: number;
  readonly totals: number;
  readonly bytes: number;
  readonly tokens: number;
  readonly files: readonly string[];
}

function childOf(root: string, file: string): Child {
  return (what, place, index) => {
    const args = [
      what,
      place,
      path.join(root, 'dist/cli'),
      ...(index === undefined ? [] : [index]),
    ];
    const options = { encoding: 'utf8', env: cleanEnvironment(), maxBuffer: 1e9 } as const;
    const { stdout, stderr, status } = spawnSync(process.execPath, [file, ...args], options);
    if (status !== 0) throw new Error(stderr);
    return JSON.parse(stdout);
  };
}

function walkRows(root: string, folder: string, child: Child): readonly Row[] {
  const store = createStore(root, folder, JOBS, CHATS);
  const chat = path.join(store, 'root.chat');
  const index = path.join(folder, 'index');
  const list = path.join(folder, 'list.json');
  // Once to fill the page cache, and to know which files are read.
  const { files, tokens } = child('walk', chat);
  writeFileSync(list, JSON.stringify(files));
  const runs = Array.from({ length: 5 }, () => {
    rmSync(index, { recursive: true, force: true });
    const run = {
      read: child('read', list),
      walk: child('walk', chat),
      first: child('walk', chat, index),
      second: child('walk', chat, index),
    };
    for (const each of [run.walk, run.first, run.second])
      if (each.tokens !== tokens) throw new Error('the totals differ');
    return run;
  });
  const reads = runs.map(({ read }) => read.read);
  const finds = runs.map(({ read }) => read.find + read.read);
  const walks = runs.map(({ walk }) => walk.walk);
  const [firsts, seconds] = [runs.map((run) => run.first.walk), runs.map((run) => run.second.walk)];
  const bytes = Math.max(...runs.flatMap(({ walk, first }) => [walk.bytes, first.bytes]));
  return [
    {
      name: 'prov',
      measured: `20,000 jobs, 5,000 chats, all events: ${median(walks).toFixed(0)} ms`,
      against: `reading the same files and nothing else: ${median(reads).toFixed(0)} ms`,
      ratio: median(runs.map(({ walk, read }) => walk.walk / read.read)),
      bound: 4,
    },
    {
      name: 'prov',
      measured: 'the same walk',
      against: `finding and reading the same files: ${median(finds).toFixed(0)} ms`,
      ratio: median(runs.map(({ walk, read }) => walk.walk / (read.find + read.read))),
      bound: 4,
    },
    {
      name: 'prov',
      measured: `the same from the index: ${median(seconds).toFixed(0)} ms`,
      against: `the walk that made it: ${median(firsts).toFixed(0)} ms`,
      ratio: median(runs.map(({ first, second }) => second.walk / first.walk)),
      bound: 0.5,
    },
    ...coldRows(child, chat, index),
    {
      name: 'prov',
      measured: `memory of the walk: ${(bytes / MEGABYTE).toFixed(0)} MB`,
      against: '500 MB',
      ratio: bytes / (500 * MEGABYTE),
      bound: 1,
    },
  ];
}

/**
 * The same with nothing in the page cache. Only when `BENCH_COLD` asks for it, since it slows everything else on the machine, and where
 * the kernel lets this process drop the cache.
 */
function coldRows(child: Child, chat: string, index: string): readonly Row[] {
  if (process.env.BENCH_COLD === undefined) return [];
  try {
    rmSync(index, { recursive: true, force: true });
    const [first, second] = [0, 1].map(() => {
      writeFileSync('/proc/sys/vm/drop_caches', '3');
      return child('walk', chat, index).walk;
    });
    return [
      {
        name: 'prov',
        measured: `the same from the index, page cache dropped: ${second?.toFixed(0)} ms`,
        against: `the walk that made it, page cache dropped: ${first?.toFixed(0)} ms`,
        ratio: (second ?? 0) / (first ?? 1),
        bound: 1,
      },
    ];
  } catch {
    return [];
  }
}

/** The generator's own shapes, whole: deep chains, and groups that share nothing. */
function growthRows(root: string, folder: string, child: Child): readonly Row[] {
  return ['deep', 'flat'].map((shape): Row => {
    const time = (jobs: number): number => {
      const chat = path.join(createStore(root, folder, jobs, 1, shape), 'root.chat');
      return median(Array.from({ length: 3 }, () => child('walk', chat).totals));
    };
    const [small, large] = [time(JOBS / 10), time(JOBS)];
    return {
      name: 'prov',
      measured: `totals of all nodes, 20,000 ${shape} jobs: ${large.toFixed(0)} ms`,
      against: `2,000 jobs: ${small.toFixed(0)} ms`,
      ratio: large / small,
      bound: 12,
    };
  });
}

/** A store of the generator, with a chat beside every so-manieth job alone, all of it old enough for an index. */
function createStore(
  root: string,
  folder: string,
  jobs: number,
  chats: number,
  shape = 'deep',
): string {
  const store = path.join(folder, `${shape}-${jobs}-${chats}`);
  const generator = path.join(root, 'fixtures/prov/gen_store.mjs');
  const { status, stderr } = spawnSync(process.execPath, [generator, store, `${jobs}`, shape]);
  if (status !== 0) throw new Error(`${stderr}`);
  const long = new Date(Date.now() - 3_600_000);
  const entries = readdirSync(store, { recursive: true, encoding: 'utf8' });
  for (const name of entries.filter((each) => each.endsWith('.files'))) {
    const number = Number(/(\d+)\.files$/.exec(name)?.[1]);
    if (number % chats !== 0) rmSync(path.join(store, name), { recursive: true });
    else if (chats > 1) removeWorkers(path.join(store, name, 'log'));
  }
  for (const name of readdirSync(store, { recursive: true, encoding: 'utf8' }).reverse())
    utimesSync(path.join(store, name), long, long);
  return store;
}

function removeWorkers(log: string): void {
  for (const name of readdirSync(log))
    if (name.startsWith('worker_')) rmSync(path.join(log, name), { recursive: true });
}
