// The job store: 1,000 small jobs against the least that could be written for them, and asking again against looking at the files.

import * as fs from 'node:fs';
import { tmpdir } from 'node:os';
import * as path from 'node:path';
import { openStore, type Store } from '../../src/store/store.ts';
import type { StoreWorld } from '../../src/store/types.ts';
import type { Task } from '../../src/workflows/types.ts';
import { createClock } from '../../src/world/clock.ts';
import { createFiles } from '../../src/world/files.ts';
import { createLocks } from '../../src/world/lock.ts';
import { median } from './measure.ts';
import type { Bench } from './types.ts';

const JOBS = 1000;

export const produceBench: Bench = {
  name: 'produce',
  async run() {
    const trials: Trial[] = [];
    for (let trial = 0; trial < 3; trial++) trials.push(await runTrial());
    const of = (figure: keyof Trial) => median(trials.map((trial) => trial[figure]));
    return [
      {
        name: 'produce',
        measured: `1,000 small jobs: ${of('produced').toFixed(0)} ms`,
        against: `1,000 results and .info, each flushed and renamed: ${of('written').toFixed(0)} ms`,
        ratio: median(trials.map(({ produced, written }) => produced / written)),
        bound: 4,
      },
      {
        name: 'produce',
        measured: `the same jobs again: ${of('again').toFixed(1)} ms`,
        against: `stat of the same files: ${of('looked').toFixed(1)} ms`,
        ratio: median(trials.map(({ again, looked }) => again / looked)),
        bound: 10,
      },
    ];
  },
};

/** Milliseconds. */
interface Trial {
  readonly produced: number;
  readonly written: number;
  readonly again: number;
  readonly looked: number;
}

async function runTrial(): Promise<Trial> {
  const folder = fs.mkdtempSync(path.join(tmpdir(), 'scout-bench-'));
  const jobs = path.join(folder, 'var/jobs');
  const store = await openStore(worldOf(folder), { findTask: () => task, jobs });
  const written = time(() => writePlainly(path.join(folder, 'plain')));
  const produced = await timeAsync(() => ask(store));
  const again = await timeAsync(() => ask(store));
  const files = filesBelow(jobs);
  const looked = time(() => {
    for (const file of files) fs.statSync(file);
  });
  fs.rmSync(folder, { recursive: true, force: true });
  return { produced, written, again, looked };
}

const task: Task = {
  workflow: 'Bench',
  name: 'double',
  description: '',
  inputs: [{ name: 'n', type: 'integer', description: '', required: true }],
  deps: [],
  result: 'json',
  exec: false,
  returnPath: false,
  run: ({ n }) => ({ twice: Number(n) * 2 }),
};

async function ask(store: Store): Promise<void> {
  const jobs = [];
  for (let n = 0; n < JOBS; n++) jobs.push(await store.jobFor(task, { n }));
  const outcomes = await store.produce(jobs);
  if (outcomes.some(({ kind }) => kind !== 'done')) throw new Error('a job failed');
}

/** What has to be written for them at least: two whole files a job, of the size that they have. */
function writePlainly(folder: string): void {
  fs.mkdirSync(folder);
  for (let index = 0; index < JOBS; index++)
    for (const [ending, length] of [
      ['', 14],
      ['.info', 450],
    ] as const) {
      const place = path.join(folder, `Default_${index}${ending}`);
      const descriptor = fs.openSync(`${place}.tmp`, 'wx');
      fs.writeSync(descriptor, 'x'.repeat(length));
      fs.fsyncSync(descriptor);
      fs.closeSync(descriptor);
      fs.renameSync(`${place}.tmp`, place);
    }
}

function worldOf(folder: string): StoreWorld {
  return {
    files: createFiles(),
    locks: createLocks(),
    clock: createClock(),
    env: { HOME: folder },
    cwd: folder,
    packageFolder: path.join(folder, 'package'),
  };
}

function filesBelow(folder: string): readonly string[] {
  return fs
    .readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.join(entry.parentPath, entry.name));
}

function time(work: () => void): number {
  const started = performance.now();
  work();
  return performance.now() - started;
}

async function timeAsync(work: () => Promise<void>): Promise<number> {
  const started = performance.now();
  await work();
  return performance.now() - started;
}
