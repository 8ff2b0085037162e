// SQLite behind a small port: the one that the runtime brings, or the package `better-sqlite3`. Both are loaded when they are needed first.

import { configFailure, errorWords } from '../errors.ts';

export interface Statement {
  /** For statements without rows. */
  run(...values: readonly string[]): void;
  /** Every row, as an object by column. */
  rows(...values: readonly string[]): readonly Readonly<Record<string, unknown>>[];
}

/** A statement with one column, which is text. */
export interface Column {
  texts(...values: readonly string[]): readonly string[];
}

export interface Connection {
  /** Statements without values. Never made from data. */
  execute(sql: string): void;
  prepare(sql: string): Statement;
  /** The same for one column, at a fraction of the price for each row. */
  prepareColumn(sql: string): Column;
  close(): void;
}

export interface Sqlite {
  readonly name: 'node:sqlite' | 'better-sqlite3';
  /** Opens a file. One that is read must be there; one that is written is made. Waits so many milliseconds for others that hold it. */
  open(file: string, how: 'read' | 'write', wait: number): Connection;
}

type Driver = Sqlite['name'];

const LOADERS: Readonly<Record<Driver, () => Promise<Sqlite>>> = {
  'node:sqlite': ofRuntime,
  'better-sqlite3': ofPackage,
};

const loaded = new Map<Driver, Promise<Sqlite>>();

function load(driver: Driver): Promise<Sqlite> {
  const known = loaded.get(driver) ?? LOADERS[driver]();
  loaded.set(driver, known);
  return known;
}

/** The first of the drivers that loads. Rejects with a configuration Failure (exit 3) that says what to install. */
export async function loadSqlite(
  version: string,
  drivers: readonly Driver[] = ['node:sqlite', 'better-sqlite3'],
): Promise<Sqlite> {
  const reasons: string[] = [];
  for (const driver of drivers) {
    try {
      return await load(driver);
    } catch (error) {
      const [line] = errorWords(error).split('\n');
      reasons.push(`${driver}: ${line}`);
    }
  }
  throw configFailure(
    'no-sqlite',
    `knowledge bases are indexed with SQLite, and Node ${version} has none here`,
    {
      detail: reasons,
      next: 'use Node 22.13 or later, or `npm install better-sqlite3` where this program is installed',
    },
  );
}

/** What is used of the runtime's module, whose types come with later versions of it. */
interface RuntimeModule {
  readonly DatabaseSync: new (
    file: string,
    options: { readonly readOnly: boolean },
  ) => {
    exec(sql: string): void;
    prepare(sql: string): {
      run(...values: readonly string[]): unknown;
      all(...values: readonly string[]): readonly Readonly<Record<string, unknown>>[];
    };
    close(): void;
  };
}

async function ofRuntime(): Promise<Sqlite> {
  // Named in a variable: a runtime without it must get as far as asking.
  const name = 'node:sqlite';
  const { DatabaseSync } = (await import(/* @vite-ignore */ name)) as RuntimeModule;
  return {
    name,
    open(file, how, wait) {
      const database = new DatabaseSync(file, { readOnly: how === 'read' });
      return ready(
        {
          execute: (sql) => database.exec(sql),
          prepare(sql) {
            const statement = database.prepare(sql);
            return {
              run: (...values) => void statement.run(...values),
              rows: (...values) => statement.all(...values),
            };
          },
          prepareColumn(sql) {
            const statement = database.prepare(sql);
            return {
              texts: (...values) =>
                statement.all(...values).map((row) => String(Object.values(row)[0])),
            };
          },
          close: () => database.close(),
        },
        wait,
      );
    },
  };
}

async function ofPackage(): Promise<Sqlite> {
  // Named in a variable: who bundles this program need not have the package.
  const name = 'better-sqlite3';
  const { default: BetterSqlite } = (await import(/* @vite-ignore */ name)) as {
    default: typeof import('better-sqlite3');
  };
  // Loads the native part, so that one that does not fit this runtime is found out here.
  new BetterSqlite(':memory:').close();
  return {
    name,
    open(file, how, wait) {
      const isRead = how === 'read';
      const database = new BetterSqlite(file, { readonly: isRead, fileMustExist: isRead });
      return ready(
        {
          execute: (sql) => void database.exec(sql),
          prepare(sql) {
            const statement = database.prepare<string[], Record<string, unknown>>(sql);
            return {
              run: (...values) => void statement.run(...values),
              rows: (...values) => statement.all(...values),
            };
          },
          prepareColumn(sql) {
            const statement = database.prepare<string[], string>(sql).pluck();
            return { texts: (...values) => statement.all(...values) };
          },
          close: () => void database.close(),
        },
        wait,
      );
    },
  };
}

function ready(connection: Connection, wait: number): Connection {
  try {
    connection.execute(`PRAGMA busy_timeout=${Math.round(wait)}`);
    // What a file of unknown origin brings along is data.
    connection.execute('PRAGMA trusted_schema=OFF');
    return connection;
  } catch (error) {
    connection.close();
    throw error;
  }
}

/** What went wrong, told by SQLite's own number or the words of its messages: the two drivers name it differently. */
export type Trouble = 'damaged' | 'busy' | 'full' | 'place' | 'other';

export function troubleOf(error: unknown): Trouble {
  const code = property(error, 'code');
  const number = Number(property(error, 'errcode')) & 0xff;
  const message = error instanceof Error ? error.message : '';
  const is = (name: string, value: number) => code.startsWith(name) || number === value;
  if (is('SQLITE_CORRUPT', 11) || is('SQLITE_NOTADB', 26)) return 'damaged';
  if (/malformed|not a database|no such (?:table|column)/.test(message)) return 'damaged';
  if (is('SQLITE_BUSY', 5) || is('SQLITE_LOCKED', 6)) return 'busy';
  if (is('SQLITE_FULL', 13)) return 'full';
  if (is('SQLITE_CANTOPEN', 14) || is('SQLITE_READONLY', 8) || is('SQLITE_PERM', 3)) return 'place';
  return is('SQLITE_IOERR', 10) ? 'place' : 'other';
}

/** The error of a file that SQLite can read, and that does not hold what it should. */
export const damaged = (message: string): Error =>
  Object.assign(new Error(message), { code: 'SQLITE_CORRUPT' });

function property(error: unknown, name: 'code' | 'errcode'): string {
  if (!(error instanceof Error) || !(name in error)) return '';
  return String((error as Error & Record<string, unknown>)[name]);
}
