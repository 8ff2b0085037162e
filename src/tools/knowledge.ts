// From what a chat says about knowledge bases (`kb`, `association`, `clear_associations`) to tools. Reads headers of tables, opens no index.

import { createHash } from 'node:crypto';
import { isRemote, located } from '../chat/find.ts';
import { keysAndWords, splitWords } from '../chat/words.ts';
import { isThere, searchPath } from '../config/search.ts';
import { configFailure, usageFailure } from '../errors.ts';
import { databasesOf, openBase, readDatabase } from '../knowledge/base.ts';
import { findBase, pathsFrom } from '../knowledge/find.ts';
import { tableOptions, unknownOptions } from '../knowledge/options.ts';
import type { Database, KnowledgeWorld } from '../knowledge/types.ts';
import type { Chat, Message, Tool, Warn } from '../types.ts';
import { DETAILS, databaseTools } from './knowledge-tool.ts';

/** Messages that declare, or clear, databases. None of them goes to a model. */
export const KNOWLEDGE_ROLES: ReadonlySet<string> = new Set([
  'kb',
  'association',
  'clear_associations',
]);

export interface KnowledgeOptions {
  readonly warn: Warn;
  /** Folder of a base that is there without being declared: that of an agent. */
  readonly folder?: string | undefined;
  /** Names that other tools have. */
  readonly taken?: readonly string[];
}

interface Declared {
  readonly database: Database;
  readonly message: Message | undefined;
}

/**
 * The tools of every database that the chat declares and does not clear. Of two with one name the later one counts, with a warning. Rejects with a
 * Failure, at its line, for a base, a database or a table that cannot be used.
 */
export async function knowledgeTools(
  chat: Chat,
  world: KnowledgeWorld,
  { warn, folder, taken = [] }: KnowledgeOptions,
): Promise<readonly Tool[]> {
  const own = folder === undefined ? [] : await ofFolder(folder, world, warn);
  const declared: Declared[] = own.map((database) => ({ database, message: undefined }));
  for (const message of declarations(chat)) {
    try {
      const databases =
        message.role === 'kb'
          ? await ofBase(message, world, warn)
          : [await ofTable(message, world, warn)];
      for (const database of databases) declared.push({ database, message });
    } catch (error) {
      throw located(error, message);
    }
  }
  const tools: Tool[] = [];
  for (const { database } of lastOfEach(declared, warn)) {
    // Those of another database are taken, too: one may be called as the tool for details of another.
    const names = toolNames(database.name, [...taken, ...tools.map(({ name }) => name)]);
    tools.push(...databaseTools(database, names, world, { warn }));
  }
  return tools;
}

/** Of two databases with one name the later one, with both of its tools or the only one that it has. */
function lastOfEach(declared: readonly Declared[], warn: Warn): readonly Declared[] {
  const last = new Map<string, Declared>();
  for (const each of declared) {
    const { name, file } = each.database;
    if ((last.get(name)?.database.file ?? file) !== file) tellTwice(each, warn);
    last.set(name, each);
  }
  return [...last.values()];
}

/** The messages that count: `clear_tools` forgets everything before it, `clear_associations` the single tables. */
function declarations(chat: Chat): Chat {
  const last = (role: string) =>
    chat.findLastIndex((each) => each.role === role && each.content.trim() !== 'false');
  const cleared = last('clear_tools');
  const clearedTables = Math.max(cleared, last('clear_associations'));
  return chat.filter(
    ({ role }, index) =>
      (role === 'kb' && index > cleared) || (role === 'association' && index > clearedTables),
  );
}

async function ofFolder(
  place: string,
  world: KnowledgeWorld,
  warn: Warn,
): Promise<readonly Database[]> {
  if (!(await isThere(place, world.files))) return [];
  return databasesOf(await openBase({ name: place, place }, world), [], world, warn);
}

/** `kb: NAME [database…]`. */
async function ofBase(
  { content, origin }: Message,
  world: KnowledgeWorld,
  warn: Warn,
): Promise<readonly Database[]> {
  const [name, ...databases] = splitWords(content);
  if (name === undefined)
    throw usageFailure('bad-knowledge-base', '"kb:" names no knowledge base', {
      next: 'write `kb: NAME`, or `kb: NAME database`',
    });
  if (isRemote(origin?.file) && /[/\\]|^\.+$/.test(name)) throw remote('kb');
  const chat = isRemote(origin?.file) ? undefined : origin?.file;
  const base = await openBase(await findBase(name, world, chat), world);
  if (base.tables.length === 0)
    throw configFailure('empty-knowledge-base', `there are no tables in "${base.place}"`, {
      next: 'put some in it: files NAME.tsv whose first line is `#Source`, a tab, `Target`',
    });
  return databasesOf(base, databases, world, warn);
}

/** `association: NAME PATH [undirected] [key=value…]`. */
async function ofTable(
  { content, origin }: Message,
  world: KnowledgeWorld,
  warn: Warn,
): Promise<Database> {
  const { plain, pairs } = keysAndWords(splitWords(content));
  const [name, place, ...flags] = plain;
  const odd = flags.find((flag) => flag !== 'undirected');
  if (name === undefined || place === undefined || odd !== undefined)
    throw usageFailure(
      'bad-association',
      odd === undefined
        ? '"association:" needs a name and the path of a table'
        : `"association:" has one word too many, "${odd}"`,
      { next: 'write `association: NAME PATH`, then `undirected`, or options as `source=Column`' },
    );
  if (isRemote(origin?.file)) throw remote('association');
  for (const unknown of unknownOptions(pairs))
    warn({
      code: 'unknown-table-option',
      message: `"association: ${name}" has an option "${unknown.name}" that means nothing here${unknown.next === undefined ? '' : `: ${unknown.next}`}`,
      ...(origin === undefined ? {} : { origin }),
    });
  const given = tableOptions([
    ...(flags.length === 0 ? [] : [['undirected', 'true'] as const]),
    ...pairs,
  ]);
  return readDatabase({ name, file: await findTable(place, world, origin?.file) }, world, given);
}

/** From the folder of the chat, from the working directory, then below the `share` folders of the search path. */
async function findTable(
  name: string,
  world: KnowledgeWorld,
  chat: string | undefined,
): Promise<string> {
  const shared = (await searchPath('share', world)).map((folder) => `${folder}/${name}`);
  const places = [...pathsFrom(name, world, chat), ...(name.startsWith('/') ? [] : shared)];
  for (const place of places) if (await isThere(place, world.files)) return place;
  throw usageFailure('no-such-table', `there is no table "${name}"`, {
    detail: [`tried ${places.join(', ')}`],
    next: 'check the name; it is relative to the file that it stands in',
  });
}

const remote = (role: string) =>
  usageFailure('remote-grant', `a remote chat may not open files of this machine (${role})`, {
    next: 'write the line into your own chat, if you want it',
  });

/** Names that every provider takes; one that had to be changed carries a digest of what it was. */
function toolNames(
  name: string,
  taken: readonly string[],
): { readonly find: string; readonly details: string } {
  const isFree = !taken.includes(name) && !taken.includes(`${name}${DETAILS}`);
  const safe = isFree && /^[A-Za-z0-9_-]+$/.test(name) && name.length + DETAILS.length <= LONGEST;
  const digest = createHash('sha256').update(name).digest('hex').slice(0, 8);
  const room = LONGEST - DETAILS.length - digest.length - 1;
  const find = safe ? name : `${name.replaceAll(/[^A-Za-z0-9_-]/g, '_').slice(0, room)}_${digest}`;
  return { find, details: `${find}${DETAILS}` };
}

const LONGEST = 64;

function tellTwice({ message, database }: Declared, warn: Warn): void {
  warn({
    code: 'tool-declared-twice',
    message: `the database ${database.name} is declared twice; that of "${database.file}" counts`,
    ...(message?.origin === undefined ? {} : { origin: message.origin }),
  });
}
