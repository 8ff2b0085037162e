// Makes the index of a table: one process at a time, in a file of its own that is renamed when it is complete.

import * as path from 'node:path';
import { Failure, workFailure } from '../errors.ts';
import type { Warn } from '../types.ts';
import type { FileStat } from '../world/types/files.ts';
import { readDatabase } from './base.ts';
import { fill, type TableFacts } from './build.ts';
import { lockedIndex, openFresh, type Stamp, stampOf, tableStat, WAIT } from './index-place.ts';
import { type Connection, type Sqlite, troubleOf } from './sqlite.ts';
import type { Database, KnowledgeWorld } from './types.ts';

export interface MakeOptions {
  readonly warn: Warn;
  /** Told before a table of so many bytes is indexed. */
  readonly onBuild?: (bytes: number) => void;
  /** Told when another process indexes it. */
  readonly onWait?: (holder: string) => void;
  /** What is there is damaged. */
  readonly anew: boolean;
}

/** How often a table is read again that changes while it is read. */
const PATIENCE = 3;

/** Makes the index while no other process does, unless one has just made it. */
export async function makeIndex(
  place: string,
  table: Pick<Database, 'name' | 'file' | 'given'>,
  sqlite: Sqlite,
  world: KnowledgeWorld,
  { warn, onBuild, onWait, anew }: MakeOptions,
): Promise<{ readonly connection: Connection; readonly database: Database }> {
  const { files, locks, signal } = world;
  await files.makeFolder(path.dirname(place));
  let waited = false;
  const lock = await locks.hold(place, {
    signal,
    steady: true,
    onWait(holder) {
      waited = true;
      onWait?.(holder);
    },
  });
  try {
    for (let attempt = 0; attempt < PATIENCE; attempt++) {
      const stat = await settled(table.file, world);
      const database = await readDatabase(table, world, table.given);
      const stamp = stampOf(stat, database);
      const known = anew && !waited ? undefined : await openFresh(place, stamp, sqlite, world);
      if (known !== undefined) return { connection: known, database };
      await sweep(place, world);
      if (attempt === 0) onBuild?.(stat.size);
      const facts = await write(place, database, { stamp, stat }, sqlite, world);
      if (facts === undefined) continue;
      tell(facts, database, warn);
      const connection = await openFresh(place, stamp, sqlite, world);
      if (connection !== undefined) return { connection, database };
    }
  } finally {
    await lock.release();
  }
  throw workFailure('table-changing', `"${table.file}" changes all the time while it is indexed`, {
    next: 'ask again when what writes it has ended',
  });
}

/**
 * The facts of the table when they can tell its next change: time stamps move in steps (of 10 ms at most; of 1 or 2 s in some
 * file systems), and what is written twice within one step looks as if it had been written once.
 */
async function settled(file: string, world: KnowledgeWorld): Promise<FileStat> {
  const { clock, signal } = world;
  const stat = await tableStat(file, world);
  const last = Math.max(stat.modified, stat.changed);
  const step = stat.changed % 1000 === 0 ? 2000 : 20;
  const age = clock.now().getTime() - last;
  if (age < 0 || age >= step) return stat;
  await clock.sleep(step - age, signal);
  return tableStat(file, world);
}

/** What processes left that were killed while they made this index. Only the holder of the lock may do that. */
async function sweep(place: string, { files }: KnowledgeWorld): Promise<void> {
  const folder = path.dirname(place);
  const start = `${path.basename(place)}.`;
  for (const name of await files.list(folder))
    if (name.startsWith(start) && /\.tmp(?:-journal)?$/.test(name))
      await files.remove(path.join(folder, name));
}

/** Makes the file beside its place and puts it there; undefined, and nothing, when the table changed meanwhile. */
async function write(
  place: string,
  database: Database,
  { stamp, stat }: { readonly stamp: Stamp; readonly stat: FileStat },
  sqlite: Sqlite,
  world: KnowledgeWorld,
): Promise<TableFacts | undefined> {
  const { files, clock } = world;
  const beside = `${place}.${clock.id()}.tmp`;
  try {
    // What only some may read in the table, nobody else may read in its index.
    const mode = (stat.mode & 0o004) === 0 ? 0o600 : 0o644;
    await files.write(beside, '', { mode, flush: false });
    const connection = sqlite.open(beside, 'write', WAIT);
    let facts: TableFacts;
    try {
      facts = await fill(connection, database, stamp, world);
    } finally {
      connection.close();
    }
    const now = await files.stat(database.file);
    if (now === undefined || stampOf(now, database).table !== stampOf(stat, database).table)
      return undefined;
    await files.rename(beside, place);
    return facts;
  } finally {
    await files.remove(beside);
  }
}

function tell({ problem, line }: TableFacts, { name, file, renamed }: Database, warn: Warn): void {
  if (problem !== '')
    warn({
      code: 'ragged-table',
      message: `not all lines of the table "${name}" fit: ${problem}`,
      origin: { file, line },
    });
  if (renamed.length > 0)
    warn({
      code: 'same-column',
      message: `columns of the table "${name}" have the same name; they count as ${renamed.map((each) => `"${each}"`).join(', ')}`,
      origin: { file, line: 1 },
    });
}

/** Another place may do where this one does not. */
export function isPlaceTrouble(error: unknown): boolean {
  const trouble = troubleOf(error);
  if (trouble === 'place' || trouble === 'full') return true;
  return error instanceof Failure && PLACES.has(error.code);
}

const PLACES: ReadonlySet<string> = new Set(
  'no-permission read-only disk-full file-trouble missing-file is-folder'.split(' '),
);

/** What SQLite said as a Failure. */
export function readable(error: unknown, place: string): Error {
  switch (troubleOf(error)) {
    case 'busy':
      return lockedIndex(place, error);
    case 'full':
      return workFailure('disk-full', `cannot write "${place}": the disk is full`, {
        cause: error,
      });
    case 'place':
      return workFailure('index-not-written', `cannot write "${place}"`, { cause: error });
    default:
      return error instanceof Error ? error : new Error(String(error));
  }
}
