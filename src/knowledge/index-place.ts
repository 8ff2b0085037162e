// Where the index of a table is, and whether it is that of the table as it is now. Makes none.

import { createHash } from 'node:crypto';
import * as path from 'node:path';
import { folders } from '../config/folders.ts';
import { type Failure, usageFailure, workFailure } from '../errors.ts';
import type { FileStat } from '../world/types/files.ts';
import { type Connection, type Sqlite, troubleOf } from './sqlite.ts';
import type { Database, KnowledgeWorld } from './types.ts';

/** Counted up when an index is made in another way. */
const VERSION = '1';
/** How long another program may hold an index, in milliseconds. */
export const WAIT = 2000;

export type Stamp = Readonly<Record<string, string>>;

/** Rejects with a usage Failure when the table is not there. */
export async function tableStat(file: string, { files }: KnowledgeWorld): Promise<FileStat> {
  const stat = await files.stat(file);
  if (stat !== undefined) return stat;
  throw usageFailure('no-such-table', `no such table "${file}"`, { next: 'check the name' });
}

/** A table that changed has another one: its content cannot be set back unseen, since nobody can set `changed`. */
export function stampOf(stat: FileStat, { layout }: Database): Stamp {
  const { size, modified, changed } = stat;
  return {
    version: VERSION,
    table: `${size} ${modified} ${changed}`,
    layout: JSON.stringify(layout),
  };
}

/** Beside the table, then in the cache folder. What is said about a table elsewhere makes an index of its own. */
export async function placesOf(
  { file, given, layout }: Database,
  { env, files }: KnowledgeWorld,
): Promise<readonly string[]> {
  const { description: _, undirected: __, fields: ___, ...shaping } = given;
  const isOwn = Object.keys(shaping).length > 0;
  const ending = isOwn ? `.${digest(JSON.stringify(layout)).slice(0, 8)}.sqlite` : '.sqlite';
  const { cache } = await folders(env, files);
  return [
    path.join(path.dirname(file), `.${path.basename(file)}${ending}`),
    path.join(cache, 'knowledge', `${digest(file).slice(0, 32)}${ending}`),
  ];
}

const digest = (text: string): string => createHash('sha256').update(text).digest('hex');

/** The index when it is there, whole, and of the table with this stamp. */
export async function openFresh(
  place: string,
  stamp: Stamp,
  sqlite: Sqlite,
  { files }: KnowledgeWorld,
): Promise<Connection | undefined> {
  if ((await files.stat(place))?.kind !== 'file') return undefined;
  let connection: Connection | undefined;
  try {
    connection = sqlite.open(place, 'read', WAIT);
    const facts = factsIn(connection);
    if (Object.entries(stamp).every(([name, value]) => facts[name] === value)) return connection;
  } catch (error) {
    connection?.close();
    if (troubleOf(error) === 'busy') throw lockedIndex(place, error);
    return undefined;
  }
  connection.close();
  return undefined;
}

/** How the facts about a table are kept; a database keeps this text with them. */
export const FACT_TABLE =
  'CREATE TABLE fact (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID';
/** More than there are. */
const MOST_FACTS = 100;

/**
 * What was written about the table when it was indexed; nothing where something else has that name. The file may have come with the
 * folder, and what is computed when it is read (a view) may never end.
 */
export function factsIn(connection: Connection): Readonly<Record<string, string>> {
  const made = connection.prepare("SELECT sql FROM sqlite_master WHERE name = 'fact'").rows();
  if (made.length !== 1 || made[0]?.sql !== FACT_TABLE) return {};
  const rows = connection.prepare(`SELECT name, value FROM fact LIMIT ${MOST_FACTS}`).rows();
  return Object.fromEntries(rows.map(({ name, value }) => [String(name), String(value)]));
}

export const lockedIndex = (place: string, cause: unknown): Failure =>
  workFailure('index-locked', `another program holds the index "${place}"`, {
    next: 'end what has it open, or remove the file: it is made again',
    cause,
  });
