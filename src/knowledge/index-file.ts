// Opens the index of a table, which is a SQLite file beside it, or in the cache folder where nothing may be written beside it.

import { workFailure } from '../errors.ts';
import { readDatabase } from './base.ts';
import type { TableFacts } from './build.ts';
import { factsIn, lockedIndex, openFresh, placesOf, stampOf, tableStat } from './index-place.ts';
import { isPlaceTrouble, type MakeOptions, makeIndex, readable } from './make-index.ts';
import { type Connection, loadSqlite, type Sqlite, troubleOf } from './sqlite.ts';
import type { Database, KnowledgeWorld } from './types.ts';

export type IndexOptions = Omit<MakeOptions, 'anew'>;

/** A table of this size is worth a word before it is indexed, in bytes. */
export const LARGE = 5_000_000;

export interface OpenIndex {
  readonly connection: Connection;
  /** As the table is now. */
  readonly database: Database;
}

/**
 * Runs `use` with the index of the table as it is now, made before that if need be; one that turns out to be damaged is made again once.
 * `use` must end with what it returns. Rejects with a Failure, or the signal's reason.
 */
export async function withIndex<T>(
  { name, file, given }: Pick<Database, 'name' | 'file' | 'given'>,
  world: KnowledgeWorld,
  options: IndexOptions,
  use: (index: OpenIndex) => T,
): Promise<T> {
  const sqlite = await loadSqlite(world.platform.node);
  for (let attempt = 0; ; attempt++) {
    const { connection, database, place } = await opened({ name, file, given }, sqlite, world, {
      ...options,
      anew: attempt > 0,
    });
    try {
      // One lock for all that is asked, not one for each question.
      connection.execute('BEGIN');
      return use({ connection, database });
    } catch (error) {
      const trouble = troubleOf(error);
      if (trouble === 'busy') throw lockedIndex(place, error);
      if (trouble !== 'damaged') throw error;
      if (attempt > 0)
        throw workFailure('index-damaged', `the index "${place}" is damaged, new as it is`, {
          next: 'look at the disk: what was written just now cannot be read',
          cause: error,
        });
    } finally {
      connection.close();
    }
  }
}

/** What is known of the rows; undefined when there is no index of the table as it is now. Makes none. */
export async function indexedFacts(
  database: Database,
  world: KnowledgeWorld,
): Promise<(TableFacts & { readonly place: string }) | undefined> {
  const sqlite = await loadSqlite(world.platform.node);
  const stamp = stampOf(await tableStat(database.file, world), database);
  for (const place of await placesOf(database, world)) {
    const connection = await openFresh(place, stamp, sqlite, world);
    if (connection === undefined) continue;
    const facts = factsIn(connection);
    connection.close();
    return {
      place,
      associations: Number(facts.associations),
      problem: facts.problem ?? '',
      line: Number(facts.line),
    };
  }
  return undefined;
}

async function opened(
  table: Pick<Database, 'name' | 'file' | 'given'>,
  sqlite: Sqlite,
  world: KnowledgeWorld,
  options: MakeOptions,
): Promise<OpenIndex & { readonly place: string }> {
  const stat = await tableStat(table.file, world);
  const database = await readDatabase(table, world, table.given);
  const places = await placesOf(database, world);
  for (const place of options.anew ? [] : places) {
    const connection = await openFresh(place, stampOf(stat, database), sqlite, world);
    if (connection !== undefined) return { connection, database, place };
  }
  const reasons: string[] = [];
  for (const place of places) {
    if (!(await world.files.isWritable(place))) {
      reasons.push(`cannot write "${place}": permission denied`);
      continue;
    }
    try {
      return { ...(await makeIndex(place, table, sqlite, world, options)), place };
    } catch (error) {
      if (!isPlaceTrouble(error) || world.signal.aborted) throw readable(error, place);
      reasons.push(readable(error, place).message);
    }
  }
  throw workFailure('index-not-written', `the index of "${table.file}" cannot be written`, {
    detail: reasons,
    next: 'make one of these folders writable, or free some space, there or where SQLite sorts: in $SQLITE_TMPDIR, else in /var/tmp',
  });
}
