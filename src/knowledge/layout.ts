// From a header and what is said about a table to its database: which columns are the ends of associations, which are fields. Pure.

import { type Failure, usageFailure } from '../errors.ts';
import { didYouMean } from '../nearest.ts';
import type { Database, Layout, TableHeader, TableOptions, TablePlace } from './types.ts';

/**
 * The database of a table. `given` wins over what the table says. A usage Failure, at the line of the header, when a column that is named is not
 * there, or when there is only one.
 */
export function databaseOf(
  { name, file }: TablePlace,
  header: TableHeader,
  given: TableOptions,
  described: string | undefined,
): Database {
  const options = { ...header.options, ...given };
  const wrong = (code: string, message: string, next?: string): Failure =>
    usageFailure(code, message, {
      at: { file, line: header.line },
      ...(next === undefined ? {} : { next }),
    });
  const { columns, renamed } = uniqueNames(header.columns);
  const key = columns[0] ?? '';
  const pair = /^([^~]*)~([^~]+)(?:~(undirected))?$/.exec(key) ?? undefined;
  if (pair === undefined && columns.length < 2)
    throw wrong(
      'bad-table',
      `the table has one column only, "${key}"`,
      'an association has a source and a target: two columns with a tab between them, or one that is called `Source~Target`',
    );
  const position = (column: string): number => {
    const found = columns.indexOf(column);
    if (found !== -1) return found;
    throw wrong(
      'unknown-column',
      `the table has no column "${column}"`,
      didYouMean(column, columns) ?? `its columns: ${shownNames(columns)}`,
    );
  };
  const read = (text: string | undefined) => specification(text, wrong);
  const ends = endsOf(read(options.source), read(options.target), pair !== undefined, position);
  const layout = layoutOf(options, ends, columns.length, pair !== undefined);
  const fields =
    options.fields === undefined ? layout.info : options.fields.map((each) => position(each));
  const kept = new Map(layout.info.map((column, place) => [column, place]));
  const shown = fields.filter((column) => kept.has(column));
  const [one, other] = [header.columns[ends.source], header.columns[ends.target]];
  const sameNames = one === other && one !== '';
  return {
    name,
    file,
    description: given.description ?? header.options.description ?? described ?? header.comment,
    source: ends.sourceName ?? pair?.[1] ?? columns[ends.source] ?? '',
    target: ends.targetName ?? pair?.[2] ?? header.columns[ends.target] ?? '',
    undirected: options.undirected ?? (pair === undefined ? sameNames : isUndirected(pair)),
    fields: shown.map((column) => columns[column] ?? ''),
    places: shown.map((column) => kept.get(column) ?? 0),
    layout,
    given,
    renamed,
    line: header.line,
  };
}

const isUndirected = ([, source, target, flag]: readonly (string | undefined)[]): boolean =>
  flag !== undefined || source === target;

interface Ends {
  readonly source: number;
  readonly target: number;
  readonly sourceName: string | undefined;
  readonly targetName: string | undefined;
}

interface Specification {
  readonly column: string | undefined;
  readonly name: string | undefined;
}

/** `Column`, `Column=~Name`, `=~Name`. */
function specification(
  text: string | undefined,
  wrong: (code: string, message: string, next?: string) => Failure,
): Specification {
  if (text?.includes('=>') === true)
    throw wrong(
      'bad-table-option',
      `"${text}" asks for other identifiers, which are not translated`,
      'use a table that has the identifiers you need; `Column=~Name` gives a column another name',
    );
  const [column = '', name] = (text ?? '').split('=~');
  const trimmed = name?.trim();
  return {
    column: column.trim() === '' ? undefined : column.trim(),
    name: trimmed === '' ? undefined : trimmed,
  };
}

/** The first column is the source and the second the target, unless something else is said; one that is named leaves the other place to the first that is free. */
function endsOf(
  source: Specification,
  target: Specification,
  isPair: boolean,
  position: (column: string) => number,
): Ends {
  const names = { sourceName: source.name, targetName: target.name };
  if (isPair) return { source: 0, target: 0, ...names };
  const from = source.column === undefined ? undefined : position(source.column);
  const to = target.column === undefined ? undefined : position(target.column);
  const left = from ?? (to === 0 ? 1 : 0);
  return { source: left, target: to ?? (left === 0 ? 1 : 0), ...names };
}

function layoutOf(
  { type = 'double', sep = '\t', sep2 }: TableOptions,
  { source, target }: Ends,
  width: number,
  pair: boolean,
): Layout {
  const columns = Array.from({ length: width }, (_, column) => column);
  const isEnd = (column: number) =>
    column === source || (type === 'flat' && !pair) || (!pair && column === target);
  return {
    type,
    sep,
    sep2,
    width,
    pair,
    source,
    target,
    info: columns.filter((column) => !isEnd(column)),
  };
}

/** Names that no two columns share; one without a name has its number. */
function uniqueNames(written: readonly string[]) {
  const used = new Set<string>();
  const renamed: string[] = [];
  const columns = written.map((name, index) => {
    const first = name === '' ? `column ${index + 1}` : name;
    let own = first;
    for (let copy = 2; used.has(own); copy++) own = `${first} (${copy})`;
    used.add(own);
    // A second column of the same name beside the first is how an undirected table is written.
    if (own !== first && index > 1) renamed.push(own);
    return own;
  });
  return { columns, renamed };
}

/** Names for a message, not too many. */
export function shownNames(names: readonly string[], most = 20): string {
  const shown = names.slice(0, most).join(', ');
  return names.length > most ? `${shown} and ${names.length - most} more` : shown;
}
