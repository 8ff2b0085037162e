// What `kb query` writes: the associations of some entities with their fields.

import { usageFailure } from '../errors.ts';
import { harmlessJson } from '../terminal/neutralise.ts';
import type { Warn } from '../types.ts';
import type { World } from '../world/types/world.ts';
import { databasesOf, openBase } from './base.ts';
import { findBase } from './find.ts';
import { LARGE, type OpenIndex, withIndex } from './index-file.ts';
import { type Direction, detailsReader, pairsOf, thoseThere } from './query.ts';
import { tableText } from './table-text.ts';
import type { Association, Database } from './types.ts';

export interface QueryRequest {
  readonly base: string;
  readonly database: string;
  /** `-` stands for the lines of standard input. */
  readonly entities: readonly string[];
  readonly direction: Direction;
  /** All when absent. */
  readonly fields?: readonly string[] | undefined;
  readonly json: boolean;
}

/** Writes what is found; what is not there is noted on standard error and is no failure. */
export async function showQuery(
  request: QueryRequest,
  world: World,
  { warn, note }: { readonly warn: Warn; readonly note: (text: string) => void },
): Promise<void> {
  const base = await openBase(await findBase(request.base, world), world);
  const [database] = await databasesOf(base, [request.database], world, warn);
  if (database === undefined) return;
  const entities = await entitiesOf(request, world);
  const fields = request.fields ?? database.fields;
  const onBuild = (bytes: number) => {
    if (bytes > LARGE) note(`indexing ${database.file} (${Math.round(bytes / 1e6)} MB), once`);
  };
  const onWait = (holder: string) => note(`waiting for ${holder}, which indexes ${database.file}`);
  const found = await withIndex(database, world, { warn, onBuild, onWait }, (index) =>
    answer(index, entities, request.direction, fields),
  );
  await write(found.associations, fields, database, request.json, world, note);
  tellMissing(found, request.direction, note);
}

interface Answer {
  readonly associations: readonly Association[];
  readonly missing: readonly string[];
  /** Those of the missing ones that are at the other end of something. */
  readonly reversed: readonly string[];
}

function answer(
  index: OpenIndex,
  entities: readonly string[],
  direction: Direction,
  fields: readonly string[],
): Answer {
  const pairs = pairsOf(index, entities, direction);
  const read = detailsReader(index, fields);
  const { undirected } = index.database;
  const isForward = undirected || direction === 'children';
  const known = new Set(pairs.map(({ source, target }) => (isForward ? source : target)));
  const missing = [...new Set(entities)].filter((entity) => !known.has(entity));
  const other = direction === 'children' ? 'parents' : 'children';
  const reversed = undirected ? [] : thoseThere(index, missing, other);
  const associations = pairs.map((pair) => read(pair) ?? { ...pair, values: [] });
  return { associations, missing, reversed };
}

async function entitiesOf({ entities }: QueryRequest, world: World): Promise<readonly string[]> {
  const all: string[] = [];
  // White space around a name is no part of it, as in a table.
  for (const entity of entities)
    if (entity !== '-') all.push(entity.trim());
    else {
      const text = new TextDecoder().decode(await world.input.read(world.signal));
      for (const line of text.split('\n')) if (line.trim() !== '') all.push(line.trim());
    }
  if (all.length > 0) return all;
  throw usageFailure('missing-argument', 'no entity is named', {
    next: 'name some after the database, or `-` for the lines of standard input',
  });
}

async function write(
  associations: readonly Association[],
  fields: readonly string[],
  { source, target }: Database,
  json: boolean,
  { output }: World,
  note: (text: string) => void,
): Promise<void> {
  if (json) {
    const all = associations.map((each) => ({
      source: each.source,
      target: each.target,
      fields: Object.fromEntries(fields.map((field, index) => [field, each.values[index] ?? ''])),
    }));
    return output.write(`${harmlessJson(all, 2)}\n`);
  }
  if (associations.length === 0) return;
  const rows = associations.map((each) => [each.source, each.target, ...each.values]);
  const { text, hidden } = tableText([source, target, ...fields], rows, output.stdout);
  await output.write(text);
  if (hidden.length > 0)
    note(`${hidden.length} more columns do not fit: choose some with --fields, or use --json`);
}

function tellMissing(
  { missing, reversed }: Answer,
  direction: Direction,
  note: (text: string) => void,
) {
  if (missing.length === 0) return;
  const shown = missing.slice(0, 10).join(', ');
  const more = missing.length > 10 ? ` and ${missing.length - 10} more` : '';
  const [end, option] =
    direction === 'children' ? ['targets', '--parents'] : ['sources', '--children'];
  const hint =
    reversed.length === 0
      ? ''
      : `; ${reversed.length === 1 ? `${reversed[0]} is` : `${reversed.length} of them are`} among the ${end}: ${option}`;
  note(`nothing found for ${shown}${more}${hint}`);
}
