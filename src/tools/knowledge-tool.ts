// A database of a knowledge base as tools: one that finds associations, and one for their details where it has fields. What a tool gives is opened when it is called, never before.

import { Failure, usageFailure } from '../errors.ts';
import { type IndexOptions, LARGE, type OpenIndex, withIndex } from '../knowledge/index-file.ts';
import { shownNames } from '../knowledge/layout.ts';
import { detailsReader, type Pair, pairsIn, pairsOf } from '../knowledge/query.ts';
import type { Association, Database, KnowledgeWorld } from '../knowledge/types.ts';
import type { Tool, ToolContext } from '../types.ts';

export const DETAILS = '_association_details';

/** The tools of a database under these names. */
export function databaseTools(
  database: Database,
  names: { readonly find: string; readonly details: string },
  world: KnowledgeWorld,
  options: IndexOptions,
): readonly Tool[] {
  const query = <T>({ signal, tell }: ToolContext, use: (index: OpenIndex) => T): Promise<T> => {
    const onBuild = (bytes: number) => {
      if (bytes > LARGE) tell?.(`indexes ${database.name} (${Math.round(bytes / 1e6)} MB), once`);
    };
    const onWait = (holder: string) =>
      tell?.(`waits for ${holder}, which indexes ${database.name}`);
    return withIndex(database, { ...world, signal }, { onBuild, onWait, ...options }, use);
  };
  const find: Tool = {
    ...findSpec(database),
    name: names.find,
    async call(given, context) {
      // As names in a table are read.
      const entities = textsOf(given, 'entities').map((entity) => entity.trim());
      const direction = !database.undirected && isTrue(given.reverse) ? 'parents' : 'children';
      const pairs = await query(context, (index) => pairsOf(index, entities, direction));
      return { content: pairs.map(({ source, target }) => `${source}~${target}`) };
    },
  };
  if (database.fields.length === 0) return [find];
  const details: Tool = {
    ...detailsSpec(database),
    name: names.details,
    async call(given, context) {
      const associations = textsOf(given, 'associations');
      const fields = isAbsent(given.fields) ? undefined : textsOf(given, 'fields');
      try {
        return { content: await query(context, (index) => detailsOf(index, associations, fields)) };
      } catch (error) {
        throw withNames(error);
      }
    },
  };
  return [find, details];
}

/** A model is told no more than the message: the names of the fields belong into it. */
function withNames(error: unknown): unknown {
  if (!(error instanceof Failure) || error.code !== 'unknown-field') return error;
  return usageFailure(error.code, `${error.message}; ${error.next}`);
}

/** By association, as it was written, the values by field. One that is not there is left out. */
function detailsOf(
  index: OpenIndex,
  associations: readonly string[],
  given: readonly string[] | undefined,
): Readonly<Record<string, Readonly<Record<string, string>>>> {
  const fields = given === undefined || given.length === 0 ? index.database.fields : given;
  const read = detailsReader(index, fields);
  const found = associations.flatMap((text) => {
    const details = firstOf(pairsIn(text), read);
    return details === undefined ? [] : [[text, byField(fields, details)] as const];
  });
  return Object.fromEntries(found);
}

function firstOf(
  pairs: readonly Pair[],
  read: (pair: Pair) => Association | undefined,
): Association | undefined {
  for (const pair of pairs) {
    const found = read(pair);
    if (found !== undefined) return found;
  }
  return undefined;
}

const byField = (fields: readonly string[], { values }: Association) =>
  Object.fromEntries(fields.map((field, index) => [field, values[index] ?? '']));

const TEXTS = { type: 'array', items: { type: 'string' } } as const;
/** The longest description that goes to a model, in characters. */
const LONGEST = 2000;

function findSpec({ name, description, undirected, source, target }: Database) {
  const about = description.slice(0, LONGEST).trim();
  const head = `Finds associations of entities in the database ${name}${about === '' ? '.' : `: ${about}`}`;
  const result = undirected
    ? `Returns a list in the form entity~partner (${source}).`
    : `Returns a list in the form source~target: each source is "${source}", each target "${target}".`;
  const entities = undirected
    ? `The entities to look for (${source})`
    : `The sources (${source}) to look for, or the targets (${target}) with "reverse"`;
  const reverse = {
    type: 'boolean',
    description: 'Look for the sources of these targets; default false',
  };
  return {
    description: `${head}\n${result} An entity that is not there adds nothing.`,
    parameters: {
      type: 'object',
      properties: {
        entities: { ...TEXTS, description: entities },
        ...(undirected ? {} : { reverse }),
      },
      required: ['entities'],
    },
  };
}

function detailsSpec({ name, undirected, fields }: Database) {
  const form = undirected ? 'source~target or target~source' : 'source~target';
  const [only] = fields;
  const what =
    fields.length === 1
      ? `Returns "${only}" of associations of the database ${name}`
      : `Returns the fields of associations of the database ${name}. They are: ${shownNames(fields, 100)}`;
  return {
    description: `${what}. The result is an object by association, each with its fields; several values have ";" between them.`,
    parameters: {
      type: 'object',
      properties: {
        associations: { ...TEXTS, description: `Associations in the form ${form}` },
        ...(fields.length === 1
          ? {}
          : { fields: { ...TEXTS, description: 'Only these fields; all by default' } }),
      },
      required: ['associations'],
    },
  };
}

const isAbsent = (value: unknown): boolean => value === undefined || value === null;
const isTrue = (value: unknown): boolean => /^(?:true|yes|1)$/i.test(String(value));

/** A list of texts; one text alone is a list of one. Numbers are names, too. */
function textsOf(given: Readonly<Record<string, unknown>>, name: string): readonly string[] {
  const value = given[name];
  const list = Array.isArray(value) ? value : isAbsent(value) ? undefined : [value];
  const texts = list?.map((each) => (typeof each === 'number' ? String(each) : each));
  if (texts?.every((each): each is string => typeof each === 'string')) return texts;
  throw usageFailure('bad-query', `"${name}" must be a list of texts`);
}
