// What `kb list` and `kb show` write: bases, their databases, and one database. Makes no index.

import { Failure } from '../errors.ts';
import { harmlessJson, neutralise } from '../terminal/neutralise.ts';
import type { Warn } from '../types.ts';
import type { World } from '../world/types/world.ts';
import { databasesOf, openBase } from './base.ts';
import { findBase, listBases } from './find.ts';
import { indexedFacts } from './index-file.ts';
import { tableText } from './table-text.ts';
import type { Database, KnowledgeBase } from './types.ts';

/** Writes the bases of the search path, or the databases of one. */
export async function showList(
  name: string | undefined,
  json: boolean,
  world: World,
  warn: Warn,
): Promise<void> {
  if (name === undefined) return showBases(json, world, warn);
  const base = await openBase(await findBase(name, world), world);
  const databases = await databasesOf(base, [], world, warn);
  if (json) return writeJson(databases.map(databaseJson), world);
  const rows = databases.map(rowOf);
  await writeTable(['database', 'source', 'target', 'fields', 'description'], rows, world);
  tellEmpty(base, world);
}

async function showBases(json: boolean, world: World, warn: Warn): Promise<void> {
  const places = await listBases(world);
  const opened = await Promise.all(places.map((each) => openedOrTold(each, world, warn)));
  const bases = opened.filter((base) => base !== undefined);
  if (json)
    return writeJson(
      bases.map(({ name, place, description, tables }) => ({
        name,
        place,
        description,
        databases: tables.map((table) => table.name),
      })),
      world,
    );
  const rows = bases.map(({ name, place, tables }) => [name, `${tables.length}`, place]);
  await writeTable(['name', 'databases', 'place'], rows, world);
  if (places.length === 0)
    world.output.note(
      'there are no knowledge bases: put tables at knowledge_base/NAME/DATABASE.tsv',
    );
}

/** A base that cannot be looked into hides no other. */
async function openedOrTold(
  base: { readonly name: string; readonly place: string },
  world: World,
  warn: Warn,
): Promise<KnowledgeBase | undefined> {
  try {
    return await openBase(base, world);
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    const message = `the knowledge base "${base.name}" is left out: ${error.message}`;
    warn({ code: 'base-left-out', message });
    return undefined;
  }
}

/** Writes what a base is, or one of its databases. */
export async function showBase(
  name: string,
  database: string | undefined,
  json: boolean,
  world: World,
  warn: Warn,
): Promise<void> {
  const base = await openBase(await findBase(name, world), world);
  const databases = await databasesOf(base, database === undefined ? [] : [database], world, warn);
  const facts = await Promise.all(databases.map((each) => factsOf(each, world)));
  const all = databases.map((each, index) => ({ ...databaseJson(each), ...facts[index] }));
  if (json) return writeJson(database === undefined ? baseJson(base, all) : all[0], world);
  const parts = databases.map((each, index) => databaseText(each, facts[index]));
  const head = database === undefined ? [baseText(base)] : [];
  await world.output.write([...head, ...parts].join('\n'));
  if (database === undefined) tellEmpty(base, world);
}

interface Facts {
  readonly associations: number | null;
  readonly index: string | null;
  readonly problem: string | null;
}

/** What the index says, when there is one. Looking needs SQLite, showing does not. */
async function factsOf(database: Database, world: World): Promise<Facts> {
  try {
    const facts = await indexedFacts(database, world);
    if (facts !== undefined) {
      const { associations, place, problem } = facts;
      return { associations, index: place, problem: problem === '' ? null : problem };
    }
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
  }
  return { associations: null, index: null, problem: null };
}

const lines = (text: string): string =>
  text
    .split('\n')
    .map((line) => `${neutralise(line)}\n`)
    .join('');

function baseText({ name, place, description }: KnowledgeBase): string {
  return lines([name, ...(description === '' ? [] : ['', description, '']), place].join('\n'));
}

function databaseText(database: Database, facts: Facts | undefined): string {
  const { name, file, description, source, target, undirected, fields } = database;
  const rows: readonly (readonly [string, string])[] = [
    ['table', file],
    [undirected ? 'between' : 'from', source],
    [undirected ? 'and' : 'to', target],
    ['fields', fields.length === 0 ? 'none' : fields.join(', ')],
    [
      'holds',
      facts?.associations == null
        ? 'not indexed yet: the first query does that'
        : `${facts.associations} association${facts.associations === 1 ? '' : 's'}`,
    ],
    ...(facts?.index == null ? [] : [['index', facts.index] as const]),
    ...(facts?.problem == null ? [] : [['problem', facts.problem] as const]),
  ];
  const about = description === '' ? [] : [description, ''];
  const shown = rows.map(([label, value]) => `  ${label.padEnd(8)} ${value.replaceAll('\n', ' ')}`);
  return lines(
    [name, ...about.flatMap((text) => text.split('\n').map(indented)), ...shown].join('\n'),
  );
}

const indented = (line: string): string => (line === '' ? '' : `  ${line}`);

function rowOf({ name, source, target, undirected, fields, description }: Database) {
  const [first = ''] = description.trim().split(/\n\s*\n/);
  return [
    name,
    source,
    undirected ? `${target} (undirected)` : target,
    `${fields.length}`,
    first.replaceAll(/\s+/g, ' '),
  ];
}

function databaseJson({ name, file, description, source, target, undirected, fields }: Database) {
  return { name, file, description, source, target, undirected, fields };
}

function baseJson({ name, place, description }: KnowledgeBase, databases: readonly unknown[]) {
  return { name, place, description, databases };
}

function tellEmpty({ tables, place }: KnowledgeBase, world: World): void {
  if (tables.length === 0)
    world.output.note(`there are no tables in ${place}: put some in it as DATABASE.tsv`);
}

async function writeTable(
  header: readonly string[],
  rows: readonly (readonly string[])[],
  world: World,
): Promise<void> {
  if (rows.length > 0) await world.output.write(tableText(header, rows, world.output.stdout).text);
}

const writeJson = (value: unknown, world: World): Promise<void> =>
  world.output.write(`${harmlessJson(value, 2)}\n`);
