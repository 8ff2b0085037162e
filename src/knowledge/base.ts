// A folder of tables as a knowledge base: its databases and what is said about them. Opens no index and reads no rows.

import * as path from 'node:path';
import { configFailure, Failure } from '../errors.ts';
import { didYouMean } from '../nearest.ts';
import type { Warn } from '../types.ts';
import { readHeader } from './header.ts';
import { databaseOf, shownNames } from './layout.ts';
import type { Database, KnowledgeBase, KnowledgeWorld, TableOptions, TablePlace } from './types.ts';

type Reading = Pick<KnowledgeWorld, 'files'>;

/** The base at a place. Its tables are the files `NAME.tsv`, and files without an ending that begin with `#`. */
export async function openBase(
  { name, place }: { readonly name: string; readonly place: string },
  world: Reading,
): Promise<KnowledgeBase> {
  const { files } = world;
  if ((await files.stat(place))?.kind !== 'directory')
    return { name, place, description: '', tables: [{ name, file: place }] };
  const tables = new Map<string, TablePlace>();
  const unread: string[] = [];
  for (const each of await files.list(place)) {
    const file = path.join(place, each);
    if (OTHER_TABLES.test(each)) unread.push(each);
    if (!(await isTable(each, file, world))) continue;
    const own = each.replace(/\.tsv$/, '');
    // `NAME.tsv` says more clearly than `NAME` that it is a table.
    if (!tables.has(own) || each.endsWith('.tsv')) tables.set(own, { name: own, file });
  }
  const { description } = await readme(place, world);
  return { name, place, description, tables: [...tables.values()].sort(byName), unread };
}

/** What people keep tables in, and is none here. */
const OTHER_TABLES = /^[^.].*\.(?:csv|tab|txt|xlsx?|ods|parquet|(?:tsv|csv)\.\w+)$/i;

const byName = (one: TablePlace, other: TablePlace): number => (one.name < other.name ? -1 : 1);

async function isTable(name: string, file: string, { files }: Reading): Promise<boolean> {
  if (name.startsWith('.') || /^README/i.test(name)) return false;
  const isNamed = name.endsWith('.tsv') && name !== '.tsv';
  if (!isNamed && name.includes('.')) return false;
  if ((await files.stat(file))?.kind !== 'file') return false;
  if (isNamed) return true;
  try {
    const [first, second, third, fourth] = await files.readStart(file, 4);
    const isMarked = first === 0xef && second === 0xbb && third === 0xbf;
    return (isMarked ? fourth : first) === 0x23;
  } catch {
    return false;
  }
}

/** The databases of those names, or all. One that is named and is not there, or cannot be used, is a Failure; of all, one that cannot be used is a warning. */
export async function databasesOf(
  base: KnowledgeBase,
  names: readonly string[],
  world: Reading,
  warn: Warn,
): Promise<readonly Database[]> {
  if (names.length > 0)
    return Promise.all(names.map((name) => readDatabase(tableOf(base, name), world)));
  const found: Database[] = [];
  for (const table of base.tables) {
    try {
      found.push(await readDatabase(table, world));
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      const { at } = error;
      warn({
        code: 'table-left-out',
        message: `the table "${table.name}" of the knowledge base "${base.name}" is left out: ${error.message}`,
        origin: typeof at === 'object' ? at : { file: table.file, line: 1 },
      });
    }
  }
  return found;
}

function tableOf({ name, tables, unread = [] }: KnowledgeBase, wanted: string): TablePlace {
  const found = tables.find((table) => table.name === wanted);
  if (found !== undefined) return found;
  const names = tables.map((table) => table.name);
  const other = unread.find((each) => each === wanted || each.startsWith(`${wanted}.`));
  throw configFailure(
    'no-such-database',
    `the knowledge base "${name}" has no database "${wanted}"`,
    {
      ...(other === undefined
        ? {}
        : { detail: [`${other} is not read: tables are NAME.tsv, with tabs between their cells`] }),
      next:
        didYouMean(wanted, names) ??
        (names.length === 0 ? 'it has none' : `its databases: ${shownNames(names)}`),
    },
  );
}

/** The database of one table, from its header. `given` is what is said about it elsewhere. */
export async function readDatabase(
  table: TablePlace,
  world: Reading,
  given: TableOptions = {},
): Promise<Database> {
  const header = await readHeader(table.file, world.files, given.sep);
  const isSaid = given.description !== undefined || header.options.description !== undefined;
  const described = isSaid ? undefined : await describedBeside(table, world);
  return databaseOf(table, header, given, described);
}

const LONGEST = 256 * 1024;

/** `NAME.md` beside the table, or its section of `README.md`. */
async function describedBeside(
  { name, file }: TablePlace,
  world: Reading,
): Promise<string | undefined> {
  const folder = path.dirname(file);
  const own = await text(path.join(folder, `${name}.md`), world);
  if (own !== undefined && own.trim() !== '') return own.trim();
  return (await readme(folder, world)).sections.get(name.toLowerCase());
}

/** A README has a word on the base, then a section `# NAME` for each database. */
async function readme(folder: string, world: Reading) {
  const whole = (await text(path.join(folder, 'README.md'), world)) ?? '';
  const [head = '', ...parts] = whole.split(/^# +(.*)$/m);
  const sections = new Map<string, string>();
  for (let index = 0; index + 1 < parts.length; index += 2) {
    const body = (parts[index + 1] ?? '').trim();
    if (body !== '') sections.set((parts[index] ?? '').trim().toLowerCase(), body);
  }
  return { description: head.trim(), sections };
}

async function text(file: string, { files }: Reading): Promise<string | undefined> {
  try {
    if ((await files.stat(file))?.kind !== 'file') return undefined;
    return new TextDecoder().decode(await files.readStart(file, LONGEST)).replaceAll('\r\n', '\n');
  } catch {
    return undefined;
  }
}
