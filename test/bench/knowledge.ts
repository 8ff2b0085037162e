// A knowledge base of 1,000,000 associations: what its index costs, a query of 100 entities against the same SQL in `sqlite3` by hand,
// and declaring it, which opens nothing.

import { spawnSync } from 'node:child_process';
import {
  closeSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import * as path from 'node:path';
import { bundled } from '../helpers/bundled.js';
import { cleanEnvironment, median } from './measure.ts';
import type { Bench, Row } from './types.ts';

const ASSOCIATIONS = 1_000_000;
const ENTITIES = Array.from({ length: 100 }, (_, index) => `Factor${index * 197}`);

export const knowledgeBench: Bench = {
  name: 'knowledge',
  async run(root) {
    const folder = mkdtempSync(path.join(tmpdir(), 'scout-bench-'));
    const program = await bundled(root, 'test/bench/knowledge-child.ts');
    try {
      return rows(folder, program.file);
    } finally {
      program.remove();
      rmSync(folder, { recursive: true, force: true });
    }
  },
};

interface Figures {
  /** Milliseconds of each query; the first of a new table makes the index. */
  readonly times: readonly number[];
  readonly found: number;
  /** Bytes, at the most. */
  readonly memory: number;
  /** Parts of SQLite that are in the process. */
  readonly loaded: number;
}

function rows(folder: string, program: string): readonly Row[] {
  const table = writeTable(path.join(folder, 'knowledge_base/net'));
  const index = path.join(path.dirname(table), '.net.tsv.sqlite');
  const child = (...args: readonly string[]): Figures => {
    const options = { cwd: folder, encoding: 'utf8', env: cleanEnvironment() } as const;
    const { stdout, stderr, status } = spawnSync(process.execPath, [program, ...args], options);
    if (status !== 0) throw new Error(stderr);
    return JSON.parse(stdout);
  };
  const declared = child('declare');
  if (declared.loaded > 0 || existsSync(index)) throw new Error('declaring a database opens it');
  const built = child('query', '1', ENTITIES[0] ?? '');
  const declaredAgain = child('declare');
  if (declaredAgain.loaded > 0) throw new Error('declaring a database opens its index');
  const read = readingTime(table);
  const [first = Number.NaN] = built.times;
  return [
    {
      name: 'knowledge',
      measured: `index of 1,000,000 associations: ${(first / 1000).toFixed(1)} s, ${megabytes(statSync(index).size)} for a table of ${megabytes(statSync(table).size)}`,
      against: `sqlite3 with .import and the same indexes: ${(read / 1000).toFixed(1)} s`,
      ratio: first / read,
      bound: 2,
    },
    {
      name: 'knowledge',
      measured: `memory of making it: ${megabytes(built.memory)}`,
      against: '300 MB',
      ratio: built.memory / 300e6,
      bound: 1,
    },
    queryRow(child, index),
    {
      name: 'knowledge',
      measured: `declaring its tools: ${median(declaredAgain.times).toFixed(2)} ms, nothing opened`,
      against: '20 ms',
      ratio: median(declaredAgain.times) / 20,
      bound: 1,
    },
  ];
}

const megabytes = (bytes: number): string => `${(bytes / 1e6).toFixed(0)} MB`;

/** The same rows by hand, into a database of the same form. */
function readingTime(table: string): number {
  const file = `${table}.by-hand`;
  const script = `PRAGMA journal_mode=OFF; PRAGMA synchronous=OFF;
CREATE TABLE association (source TEXT NOT NULL, target TEXT NOT NULL, score TEXT, effect TEXT);
.mode tabs
.import --skip 2 ${table} association
CREATE INDEX by_source ON association (source, target);
CREATE INDEX by_target ON association (target, source);
`;
  const started = performance.now();
  const { status, stderr } = spawnSync('sqlite3', [file], { input: script, encoding: 'utf8' });
  if (status !== 0) throw new Error(`sqlite3: ${stderr}`);
  const time = performance.now() - started;
  rmSync(file);
  return time;
}

/**
 * Ours: the whole of a query inside a running process (facts of the table, its header, opening the index, 100 entities, closing). By hand: a process of
 * `sqlite3` from its start to its end with the same question on the same file. They take turns.
 */
function queryRow(child: (...args: readonly string[]) => Figures, index: string): Row {
  const names = ENTITIES.map((entity) => `'${entity}'`).join(',');
  const sql = `SELECT DISTINCT source || '~' || target FROM association WHERE source IN (${names}) ORDER BY source, target`;
  const pairs = Array.from({ length: 5 }, () => {
    const { times, found } = child('query', '9', ...ENTITIES);
    const hands = Array.from({ length: 9 }, () => byHand(index, sql, found));
    // The first one loads the library, once in the life of a process.
    return {
      ours: median(times.slice(1)),
      hand: median(hands),
      first: times[0] ?? Number.NaN,
      found,
    };
  });
  const [ours, hand, first] = [
    median(pairs.map((pair) => pair.ours)),
    median(pairs.map((pair) => pair.hand)),
    median(pairs.map((pair) => pair.first)),
  ];
  return {
    name: 'knowledge',
    measured: `query of 100 entities, ${pairs[0]?.found} associations: ${ours.toFixed(1)} ms (the first in a process, with loading SQLite: ${first.toFixed(1)} ms)`,
    against: `the same SQL in sqlite3, start to end: ${hand.toFixed(1)} ms`,
    ratio: median(pairs.map((pair) => pair.ours / pair.hand)),
    bound: 2,
  };
}

function byHand(index: string, sql: string, expected: number): number {
  const started = performance.now();
  const { stdout, status } = spawnSync('sqlite3', [index, sql], { encoding: 'utf8' });
  const time = performance.now() - started;
  if (status !== 0 || stdout.trimEnd().split('\n').length !== expected)
    throw new Error('sqlite3 finds something else');
  return time;
}

/** 20,000 factors, 50,000 genes, and about 50 associations a factor; the same in every run. */
function writeTable(folder: string): string {
  mkdirSync(folder, { recursive: true });
  const file = path.join(folder, 'net.tsv');
  const descriptor = openSync(file, 'w');
  let text = '#: description=Made-up factors and genes\n#Factor\tGene\tScore\tEffect\n';
  let state = 1;
  for (let row = 0; row < ASSOCIATIONS; row++) {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    const [factor, gene] = [(state >>> 4) % 20_000, (state >>> 9) % 50_000];
    text += `Factor${factor}\tGene${gene}\t${(state >>> 12) % 1000}\t${row % 2 === 0 ? 'activates' : 'represses'}\n`;
    if (text.length < 1 << 20) continue;
    writeSync(descriptor, text);
    text = '';
  }
  writeSync(descriptor, text);
  closeSync(descriptor);
  return file;
}
