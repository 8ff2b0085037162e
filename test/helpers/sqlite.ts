// A database file, opened with the SQLite that the program would take here.

import { type Connection, loadSqlite } from '../../src/knowledge/sqlite.ts';

export async function openSqlite(file: string, how: 'read' | 'write'): Promise<Connection> {
  return (await loadSqlite(process.version)).open(file, how, 0);
}
