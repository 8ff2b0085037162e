// The index of a table: made once, made again when the table changed or the index is damaged, in the cache where it cannot be beside the table.

import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { readDatabase } from '../../src/knowledge/base.ts';
import { indexedFacts, withIndex } from '../../src/knowledge/index-file.ts';
import { detailsReader, pairsOf } from '../../src/knowledge/query.ts';
import { loadSqlite } from '../../src/knowledge/sqlite.ts';
import type { TableOptions } from '../../src/knowledge/types.ts';
import { type Tree, temporaryFolder } from '../helpers/folder.ts';
import { createWorld, type RunOptions } from '../helpers/run.ts';
import { openSqlite } from '../helpers/sqlite.ts';

const TABLE = '#A\tB\tC\nx\t1\tp\ny\t2\tq\n';

function base(files: Tree = { 't.tsv': TABLE }, options: RunOptions = {}) {
  const folder = temporaryFolder(files);
  const world = createWorld(folder, options);
  const built: number[] = [];
  const place = { name: 't', file: join(folder, 't.tsv') };
  return {
    folder,
    world,
    built,
    at: (name: string) => join(folder, name),
    index: join(folder, '.t.tsv.sqlite'),
    ask: (entity: string, given: TableOptions = {}) =>
      withIndex(
        { ...place, given },
        world,
        { warn: () => {}, onBuild: (bytes) => built.push(bytes) },
        (index) =>
          pairsOf(index, [entity], 'children').map((pair) =>
            [pair.target, ...(detailsReader(index)(pair)?.values ?? [])].join(' '),
          ),
      ),
    facts: async () => indexedFacts(await readDatabase(place, world), world),
  };
}

/** Names in a folder, hidden ones too, without the table. */
const beside = (folder: string) =>
  readdirSync(folder)
    .filter((name) => name !== 't.tsv')
    .sort();

describe('the index', () => {
  test('is one file beside the table, made by the first query', async () => {
    const { folder, ask, built, facts } = base();
    expect(await facts()).toBeUndefined();
    expect(beside(folder)).toEqual([]);
    expect([await ask('x'), await ask('y')]).toEqual([['1 p'], ['2 q']]);
    expect(beside(folder)).toEqual(['.t.tsv.sqlite']);
    expect(built).toEqual([TABLE.length]);
    expect(await facts()).toMatchObject({ associations: 2, problem: '' });
  });

  test('holds what sqlite3 reads as well', async () => {
    const { ask, index } = base();
    await ask('x');
    const database = await openSqlite(index, 'read');
    expect(
      database
        .prepare('SELECT * FROM association')
        .rows()
        .map((row) => ({ ...row })),
    ).toEqual([
      { source: 'x', target: '1', info: '["p"]' },
      { source: 'y', target: '2', info: '["q"]' },
    ]);
    expect(database.prepareColumn('PRAGMA integrity_check').texts()).toEqual(['ok']);
    database.close();
  });

  for (const count of [1, 19, 20, 21, 59, 400])
    test(`has every row of a table, in its order (${count})`, async () => {
      const rows = Array.from({ length: count }, (_, index) => `a\tb\t${index}\n`);
      const { ask, facts } = base({ 't.tsv': `#A\tB\tC\n${rows.join('')}` });
      const all = Array.from({ length: count }, (_, index) => index).join(';');
      expect(await ask('a')).toEqual([`b ${all}`]);
      expect(await facts()).toMatchObject({ associations: count });
    });

  test('has rows of a million characters beside small ones', async () => {
    const long = 'y'.repeat(1_000_000);
    const { ask } = base({ 't.tsv': `#A\tB\tC\nx\t1\tp\nx\t2\t${long}\nx\t3\tq\n` });
    expect((await ask('x')).map((text) => text.length)).toEqual([3, 1_000_002, 3]);
  });

  test('of a line that makes too many associations is none, and the error names the line', async () => {
    const cell = Array.from({ length: 1500 }, (_, index) => index).join(';');
    const { ask, folder } = base({ 't.tsv': `#A\tB\n1\t2\n${cell}\t${cell}\n` });
    await expect(ask('1')).rejects.toMatchObject({ code: 'bad-table', at: { line: 3 } });
    expect(beside(folder)).toEqual([]);
  });

  const changes: readonly [string, (file: string) => void][] = [
    ['written anew', (file) => writeFileSync(file, TABLE.replace('p', 'r'))],
    [
      'written anew with the same size and the same time',
      (file) => {
        const { atime, mtime } = statSync(file);
        writeFileSync(file, TABLE.replace('p', 'r'));
        utimesSync(file, atime, mtime);
      },
    ],
    [
      'replaced by another file of the same size and time',
      (file) => {
        const { atime, mtime } = statSync(file);
        writeFileSync(`${file}.new`, TABLE.replace('p', 'r'));
        utimesSync(`${file}.new`, atime, mtime);
        renameSync(`${file}.new`, file);
      },
    ],
  ];
  for (const [name, change] of changes)
    test(`is made again when the table is ${name}, at once`, async () => {
      const { at, ask, built } = base();
      for (let turn = 0; turn < 5; turn++) {
        writeFileSync(at('t.tsv'), TABLE);
        expect(await ask('x')).toEqual(['1 p']);
        change(at('t.tsv'));
        expect(await ask('x')).toEqual(['1 r']);
      }
      expect(built).toHaveLength(10);
    });

  test('follows a header that changed', async () => {
    const { at, ask } = base();
    expect(await ask('1')).toEqual([]);
    writeFileSync(at('t.tsv'), `#: undirected=true\n${TABLE}`);
    expect(await ask('1')).toEqual(['x p']);
  });

  test('is another one for ends that are chosen elsewhere; both stay', async () => {
    const { folder, ask, built } = base();
    for (let turn = 0; turn < 2; turn++) {
      expect(await ask('x')).toEqual(['1 p']);
      expect(await ask('p', { source: 'C', target: 'A' })).toEqual(['x 1']);
    }
    expect(built).toHaveLength(2);
    expect(beside(folder)).toHaveLength(2);
  });

  for (const mode of [0o644, 0o640, 0o600])
    test(`may be read by all only when the table may be (${mode.toString(8)})`, async () => {
      const { ask, at, index } = base();
      chmodSync(at('t.tsv'), mode);
      await ask('x');
      expect(statSync(index).mode & 0o777).toBe(mode === 0o644 ? 0o644 : 0o600);
    });

  const damages: readonly [string, (index: string) => void | Promise<void>][] = [
    ['is something else', (index) => writeFileSync(index, 'no database\n'.repeat(1000))],
    ['is empty', (index) => truncateSync(index, 0)],
    ['ends too early', (index) => truncateSync(index, 4096)],
    [
      'has rubbish in its pages',
      (index) => {
        const bytes = readFileSync(index);
        // The first page, with the names of tables and the facts about them, stays whole.
        for (let at = 4096; at < bytes.length; at += 4096) bytes.fill(0xa5, at, at + 200);
        writeFileSync(index, bytes);
      },
    ],
    [
      'has another table',
      async (index) => {
        const database = await openSqlite(index, 'write');
        database.execute('DROP TABLE association; CREATE TABLE association (x)');
        database.close();
      },
    ],
    ...['no JSON', '{}', 'null'].map((info): [string, (index: string) => void | Promise<void>] => [
      `has ${info} where values are`,
      async (index) => {
        const database = await openSqlite(index, 'write');
        database.prepare('UPDATE association SET info = ?').run(info);
        database.close();
      },
    ]),
    [
      'came with the folder and never ends when it is read',
      async (index) => {
        const database = await openSqlite(index, 'write');
        const endless = 'WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c)';
        database.execute(
          `DROP TABLE fact; CREATE VIEW fact AS ${endless} SELECT x AS name, x AS value FROM c`,
        );
        database.close();
      },
    ],
    [
      'is of another version',
      async (index) => {
        const database = await openSqlite(index, 'write');
        database.execute("UPDATE fact SET value = '0' WHERE name = 'version'");
        database.close();
      },
    ],
  ];
  for (const [name, damage] of damages)
    test(`that ${name} is made again`, async () => {
      const { ask, index, built } = base();
      await ask('x');
      await damage(index);
      expect([await ask('x'), await ask('x')]).toEqual([['1 p'], ['1 p']]);
      expect(built).toHaveLength(2);
    });

  test('whose rows alone are damaged is made again in the middle of a query', async () => {
    const rows = Array.from({ length: 5000 }, (_, row) => `x${row}\t${row}\tp\n`).join('');
    const { ask, index, built, facts } = base({ 't.tsv': `#A\tB\tC\n${rows}` });
    await ask('x1');
    const bytes = readFileSync(index);
    const database = await openSqlite(index, 'read');
    const roots = database
      .prepare("SELECT rootpage FROM sqlite_schema WHERE name IN ('by_source', 'by_target')")
      .rows()
      .map(({ rootpage }) => Number(rootpage));
    database.close();
    for (const root of roots) bytes.fill(0xff, (root - 1) * 4096, root * 4096);
    writeFileSync(index, bytes);
    expect(await facts()).toBeDefined();
    expect(await ask('x4999')).toEqual(['4999 p']);
    expect(built).toHaveLength(2);
  });

  test('that another program holds is waited for, then told', async () => {
    const { ask, index } = base();
    await ask('x');
    const other = await openSqlite(index, 'write');
    other.execute('BEGIN EXCLUSIVE');
    const failure = await ask('x').catch((error) => error);
    expect(failure).toMatchObject({ code: 'index-locked', exitCode: 1 });
    expect(failure.next).toContain('remove the file');
    other.execute('COMMIT');
    other.close();
    expect(await ask('x')).toEqual(['1 p']);
  });

  test('goes into the cache folder when a folder is in its place', async () => {
    const { ask, index, folder, built } = base({ 't.tsv': TABLE, 'home/.scout/': '' });
    mkdirSync(index);
    expect([await ask('x'), await ask('x')]).toEqual([['1 p'], ['1 p']]);
    expect(built.length).toBeGreaterThan(0);
    const cache = join(folder, 'home/.scout/var/cache/knowledge');
    expect(readdirSync(cache).filter((name) => name.endsWith('.sqlite'))).toHaveLength(1);
    expect(readdirSync(cache)).toHaveLength(1);
    const before = built.length;
    await ask('x');
    expect(built).toHaveLength(before);
  });

  test('that can be written nowhere is a failure that names the places', async () => {
    const { ask, index, folder } = base({ 't.tsv': TABLE, 'home/.scout/var': 'a file' });
    mkdirSync(index);
    const failure = await ask('x').catch((error) => error);
    expect(failure).toMatchObject({ code: 'index-not-written', exitCode: 1 });
    expect(failure.detail).toHaveLength(2);
    expect(beside(folder).filter((name) => /tmp|lock/.test(name))).toEqual([]);
  });

  test('of a table that is not there is none', async () => {
    const { ask, at } = base();
    rmSync(at('t.tsv'));
    expect(await ask('x').catch((error) => error)).toMatchObject({ code: 'no-such-table' });
  });

  test('is not made when the run is stopped, and nothing is left of it', async () => {
    const stop = new AbortController();
    const { ask, folder } = base({ 't.tsv': TABLE }, { signal: stop.signal });
    stop.abort(new Error('stopped'));
    await expect(ask('x')).rejects.toThrow('stopped');
    expect(beside(folder)).toEqual([]);
  });

  test('removes what a killed process left beside it', async () => {
    const { ask, folder } = base({
      't.tsv': TABLE,
      '.t.tsv.sqlite.0a-1.tmp': 'half',
      '.u.tsv.sqlite.0a-1.tmp': 'of another',
    });
    await ask('x');
    expect(beside(folder)).toEqual(['.t.tsv.sqlite', '.u.tsv.sqlite.0a-1.tmp']);
  });

  test('of a table that is written during the query is of the one or the other, never a mixture', async () => {
    const rows = (mark: string) =>
      `#A\tB\tC\n${Array.from({ length: 3000 }, (_, row) => `x\t${row}\t${mark}\n`).join('')}`;
    const { ask, at } = base({ 't.tsv': rows('a') });
    let mark = 'a';
    let isOn = true;
    const writing = (async () => {
      while (isOn) {
        mark = mark === 'a' ? 'b' : 'a';
        writeFileSync(at('t.tsv.new'), rows(mark));
        renameSync(at('t.tsv.new'), at('t.tsv'));
        await new Promise((resolve) => setTimeout(resolve, 60));
      }
    })();
    for (let turn = 0; turn < 10; turn++) {
      const found = await ask('x').catch((error) => {
        expect(error).toMatchObject({ code: 'table-changing' });
        return [];
      });
      expect(new Set(found.map((line) => line.split(' ')[1])).size).toBeLessThanOrEqual(1);
      expect([0, 3000]).toContain(found.length);
    }
    isOn = false;
    await writing;
    expect((await ask('x'))[0]).toBe(`0 ${mark}`);
  });
});

describe('SQLite', () => {
  test('that is not there is told with what to install', async () => {
    const failure = await loadSqlite('v20.18.0', []).catch((error) => error);
    expect(failure).toMatchObject({ code: 'no-sqlite', exitCode: 3 });
    expect(failure.next).toContain('better-sqlite3');
  });

  for (const driver of ['node:sqlite', 'better-sqlite3'] as const)
    test(`${driver} gives rows, columns and readable trouble`, async (context) => {
      const sqlite = await loadSqlite('this', [driver]).catch(() => context.skip('not there'));
      const file = join(temporaryFolder(), 'x.sqlite');
      expect(() => sqlite.open(file, 'read', 0)).toThrow();
      expect(existsSync(file)).toBe(false);
      const written = sqlite.open(file, 'write', 0);
      written.execute('CREATE TABLE t (a TEXT, b TEXT)');
      const insert = written.prepare('INSERT INTO t VALUES (?, ?)');
      insert.run("it's", '\u0000"é');
      written.close();
      const read = sqlite.open(file, 'read', 0);
      expect(read.prepare('SELECT * FROM t WHERE a = ?').rows("it's")).toEqual([
        { a: "it's", b: '\u0000"é' },
      ]);
      expect(read.prepareColumn('SELECT b FROM t WHERE a = ?').texts("it's")).toEqual(['\u0000"é']);
      expect(() => read.execute('INSERT INTO t VALUES (1, 2)')).toThrow(/readonly/);
      read.close();
    });
});
