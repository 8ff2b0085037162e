// Asks the index of a table. All values are bound: no text of a model, a table or a person becomes SQL.

import { usageFailure } from '../errors.ts';
import { didYouMean } from '../nearest.ts';
import type { OpenIndex } from './index-file.ts';
import { shownNames } from './layout.ts';
import { type Column, damaged } from './sqlite.ts';
import type { Association, Database } from './types.ts';

export type Direction = 'children' | 'parents';

/** The ends of an association. Of an undirected one the first is what was asked for. */
export interface Pair {
  readonly source: string;
  readonly target: string;
}

const CHILDREN =
  'SELECT DISTINCT target AS other FROM association WHERE source = ? ORDER BY target';
const PARENTS = 'SELECT DISTINCT source AS other FROM association WHERE target = ? ORDER BY source';
const PARTNERS = `SELECT target AS other FROM association WHERE source = ?
UNION SELECT source FROM association WHERE target = ? ORDER BY other`;
const INFO = 'SELECT info FROM association WHERE source = ? AND target = ? ORDER BY rowid';
const INFO_EITHER = `SELECT info FROM (SELECT rowid AS place, info FROM association WHERE source = ? AND target = ?
UNION SELECT rowid, info FROM association WHERE source = ? AND target = ?) ORDER BY place`;

/** The associations of these entities: in their order, each entity once, and within one by the name of the other end. An entity that is not there adds nothing. */
export function pairsOf(
  { connection, database }: OpenIndex,
  entities: readonly string[],
  direction: Direction,
): readonly Pair[] {
  const { undirected } = database;
  const isForward = undirected || direction === 'children';
  const statement = connection.prepareColumn(
    undirected ? PARTNERS : isForward ? CHILDREN : PARENTS,
  );
  const found: Pair[] = [];
  for (const entity of new Set(entities)) {
    const names = undirected ? statement.texts(entity, entity) : statement.texts(entity);
    for (const name of names)
      found.push(isForward ? { source: entity, target: name } : { source: name, target: entity });
  }
  return found;
}

const IS_SOURCE = 'SELECT 1 AS found FROM association WHERE source = ? LIMIT 1';
const IS_TARGET = 'SELECT 1 AS found FROM association WHERE target = ? LIMIT 1';

/** Those of the entities that are a source of something (`children`), or a target (`parents`). */
export function thoseThere(
  { connection }: OpenIndex,
  entities: readonly string[],
  direction: Direction,
): readonly string[] {
  const statement = connection.prepare(direction === 'children' ? IS_SOURCE : IS_TARGET);
  return entities.filter((entity) => statement.rows(entity).length > 0);
}

/** Makes the function that adds the values of the fields to a pair; undefined when there is no such association. */
export function detailsReader(
  { connection, database }: OpenIndex,
  fields: readonly string[] = database.fields,
): (pair: Pair) => Association | undefined {
  const places = fields.map((field) => placeOf(field, database));
  const statement = connection.prepareColumn(database.undirected ? INFO_EITHER : INFO);
  return ({ source, target }) => {
    const rows = infoRows(statement, { source, target }, database);
    if (rows.length === 0) return undefined;
    const values = places.map((place) => rows.map((row) => row[place] ?? ''));
    return { source, target, values: values.map(joined) };
  };
}

function infoRows(
  statement: Column,
  { source, target }: Pair,
  { undirected }: Database,
): readonly (readonly string[])[] {
  const rows = undirected
    ? statement.texts(source, target, target, source)
    : statement.texts(source, target);
  return [...new Set(rows)].map(valuesIn);
}

/** What is no list was not written by this program: the index counts as damaged and is made again. */
function valuesIn(info: string): readonly string[] {
  let values: unknown;
  try {
    values = JSON.parse(info);
  } catch {}
  if (Array.isArray(values)) return values.map(String);
  throw damaged('what the index holds of an association is no list');
}

/** Rows that say the same association in different words keep their values apart, each field in the order of the rows. */
const joined = (values: readonly string[]): string =>
  values.every((value) => value === '') ? '' : values.join(';');

/** A text with more `~` is no association but a slip of its writer, which must not become thousands of queries. */
const MOST_READINGS = 100;

/** The associations that a text `source~target` can mean, where a name may have a `~` itself. White space around a name is no part of it. */
export function pairsIn(text: string): readonly Pair[] {
  const found: Pair[] = [];
  for (let at = text.indexOf('~'); at !== -1; at = text.indexOf('~', at + 1)) {
    if (found.length === MOST_READINGS) return found;
    found.push({ source: text.slice(0, at).trim(), target: text.slice(at + 1).trim() });
  }
  return found;
}

function placeOf(field: string, { name, fields, places }: Database): number {
  const place = places[fields.indexOf(field)];
  if (place !== undefined) return place;
  throw usageFailure('unknown-field', `the database "${name}" has no field "${field}"`, {
    next:
      didYouMean(field, fields) ??
      (fields.length === 0 ? 'it has none' : `its fields: ${shownNames(fields)}`),
  });
}
