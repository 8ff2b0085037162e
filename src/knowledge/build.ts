// Reads a table once, line by line, and writes its associations into a new SQLite file. Memory does not grow with the table.

import { usageFailure } from '../errors.ts';
import type { Files } from '../world/types/files.ts';
import { FACT_TABLE } from './index-place.ts';
import { type Fit, rowReader } from './rows.ts';
import type { Connection } from './sqlite.ts';
import type { Database } from './types.ts';

/** What is known of a table after it was read. */
export interface TableFacts {
  readonly associations: number;
  /** What does not fit, in one sentence; '' when everything does. */
  readonly problem: string;
  /** Line of the first thing that does not fit. */
  readonly line: number;
}

/** The longest line, in characters. */
const LONGEST_LINE = 64 * 1024 * 1024;

/** More associations of one line are a slip of its writer (many sources times many targets), and could not be stopped. */
const MOST_OF_A_LINE = 2_000_000;

/**
 * Nothing of it is anybody's but ours until it is complete: a journal in memory alone (a cautious SQLite does not take OFF), and no flush
 * before the end. The cache is small since SQLite sorts as much at a time as it holds, and is twice as fast at what fits into the
 * cache of the processor.
 */
const SETUP = `PRAGMA journal_mode=MEMORY; PRAGMA synchronous=OFF; PRAGMA locking_mode=EXCLUSIVE; PRAGMA cache_size=-2000;
CREATE TABLE association (source TEXT NOT NULL, target TEXT NOT NULL, info TEXT NOT NULL);
${FACT_TABLE};
BEGIN`;

/** Sorting everything at the end costs a fraction of keeping it sorted. */
const BY_SOURCE = 'CREATE INDEX by_source ON association (source, target)';
const BY_TARGET = 'CREATE INDEX by_target ON association (target, source)';

/** Fills the file. `stamp` names what it was made from. Rejects with a Failure for a table that cannot be read, and with the signal's reason. */
export async function fill(
  connection: Connection,
  database: Database,
  stamp: Readonly<Record<string, string>>,
  { files, signal }: { readonly files: Pick<Files, 'pieces'>; readonly signal: AbortSignal },
): Promise<TableFacts> {
  connection.execute(SETUP);
  const rows = inserting(connection);
  let associations = 0;
  let [line, before] = [0, 0];
  const read = rowReader(database.layout, (source, target, values) => {
    rows.add(source, target, JSON.stringify(values));
    associations++;
    if (associations - before > MOST_OF_A_LINE) throw tooMany(database, line);
  });
  const problems = problemsOf(database);
  for await (const texts of linesOf(database.file, files)) {
    for (const text of texts) {
      line++;
      before = associations;
      if (line > database.line) problems.note(read(text), text, line);
    }
    // The pieces of a file come without a pause in which a signal could be heard.
    await pause(signal);
  }
  rows.flush();
  for (const statement of ['COMMIT', BY_SOURCE, BY_TARGET]) {
    connection.execute(statement);
    await pause(signal);
  }
  const facts = { associations, ...problems.told() };
  // With this one the whole file is on the disk before it gets its name.
  connection.execute('PRAGMA synchronous=FULL; BEGIN');
  const fact = connection.prepare('INSERT INTO fact VALUES (?, ?)');
  const all = {
    ...stamp,
    associations: `${associations}`,
    problem: facts.problem,
    line: `${facts.line}`,
  };
  for (const [name, value] of Object.entries(all)) fact.run(name, value);
  connection.execute('COMMIT');
  return facts;
}

const tooMany = ({ file }: Database, line: number) =>
  usageFailure('bad-table', 'a line of the table makes more than 2 million associations', {
    at: { file, line },
    next: 'write fewer sources, or fewer targets, in one line',
  });

/** Rows of one statement, and the characters from which on fewer go together. */
const TOGETHER = 20;
const ENOUGH = 256 * 1024;

/** Many rows with one statement cost half of what each costs alone. */
function inserting(connection: Connection) {
  const row = '(?, ?, ?)';
  const prepare = (count: number) =>
    connection.prepare(`INSERT INTO association VALUES ${Array(count).fill(row).join(', ')}`);
  const [one, many] = [prepare(1), prepare(TOGETHER)];
  let waiting: string[] = [];
  let length = 0;
  const flush = () => {
    if (waiting.length === TOGETHER * 3) many.run(...waiting);
    else for (let at = 0; at < waiting.length; at += 3) one.run(...waiting.slice(at, at + 3));
    waiting = [];
    length = 0;
  };
  return {
    add(source: string, target: string, info: string) {
      waiting.push(source, target, info);
      length += info.length;
      if (waiting.length === TOGETHER * 3 || length > ENOUGH) flush();
    },
    flush,
  };
}

async function pause(signal: AbortSignal): Promise<void> {
  await new Promise((resolve) => setImmediate(resolve));
  signal.throwIfAborted();
}

/** The lines of a file, many at a time, without their ends. */
async function* linesOf(
  file: string,
  files: Pick<Files, 'pieces'>,
): AsyncGenerator<readonly string[]> {
  const decoder = new TextDecoder();
  let rest = '';
  let before = 0;
  for await (const piece of files.pieces(file)) {
    const text = decoder.decode(piece, { stream: true });
    if (rest.length > LONGEST_LINE)
      throw usageFailure('bad-table', 'a line of the table has more than 64 million characters', {
        at: { file, line: before + 1 },
      });
    const end = text.lastIndexOf('\n');
    if (end === -1) {
      rest += text;
      continue;
    }
    const texts = (rest + text.slice(0, end)).split('\n').map(withoutReturn);
    rest = text.slice(end + 1);
    yield texts;
    before += texts.length;
  }
  rest += decoder.decode();
  if (rest !== '') yield [withoutReturn(rest)];
}

const withoutReturn = (text: string): string => (text.endsWith('\r') ? text.slice(0, -1) : text);

const WORDS = {
  short: (count: number) => `${lines(count)} fewer cells than columns (the rest counts as empty)`,
  long: (count: number) => `${lines(count)} more cells than columns (those are left out)`,
  'no-ends': (count: number) => `${lines(count)} no source or no target (left out)`,
  encoding: (count: number) => `${lines(count)} characters that are not UTF-8 (read as U+FFFD)`,
} as const;

const lines = (count: number): string => (count === 1 ? '1 line has' : `${count} lines have`);

type Kind = keyof typeof WORDS;

/** Counts what does not fit; remembers where it began. */
function problemsOf({ file }: Database) {
  const counts = new Map<Kind, { count: number; readonly first: number }>();
  const add = (kind: Kind, line: number) => {
    const known = counts.get(kind);
    if (known === undefined) counts.set(kind, { count: 1, first: line });
    else known.count++;
  };
  return {
    note(fit: Fit, text: string, line: number) {
      if (fit !== 'fits' && fit !== 'blank') add(fit, line);
      if (text.includes('\ufffd')) add('encoding', line);
    },
    told() {
      const parts = [...counts].map(
        ([kind, { count, first }]) => `${WORDS[kind](count)}, the first at ${file}:${first}`,
      );
      const firsts = [...counts.values()].map(({ first }) => first);
      return { problem: parts.join('; '), line: Math.min(...firsts, Number.MAX_SAFE_INTEGER) };
    },
  };
}
