// What `etc/mcp.yaml` says about a server: its key, headers, environment. Keys stay in here; nothing that is shown holds one.

import { createHash } from 'node:crypto';
import * as path from 'node:path';
import { checkMode } from '../../config/endpoint-file.ts';
import { folders } from '../../config/folders.ts';
import { resolveKey } from '../../config/key.ts';
import { mappingOf, text, type ValueKind } from '../../config/kinds.ts';
import { isThere, searchPath } from '../../config/search.ts';
import { keptBack, LOOPBACK } from '../../config/trust.ts';
import { parseYaml } from '../../config/yaml-file.ts';
import { configFailure, type Failure } from '../../errors.ts';
import { isObject } from '../../json.ts';
import { didYouMean } from '../../nearest.ts';
import type { Origin, Warn } from '../../types.ts';
import type { World } from '../../world/types/world.ts';
import { isKeyName, secretsIn, serverEnvironment, steersPrograms } from './environment.ts';
import { matchLength } from './matching.ts';
import type { ServerPlace, ServerSettings } from './types.ts';

/** One server, or several with one beginning, as a file has it. */
interface Entry {
  readonly name: string;
  readonly at: Origin;
  /** The file lies in the working directory and nowhere else that counts. */
  readonly foreign: boolean;
  readonly fields: Fields;
}

interface Fields {
  readonly url?: string;
  readonly command?: string;
  readonly key?: string;
  readonly key_env?: string;
  readonly key_cmd?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly env?: Readonly<Record<string, string>>;
}

const FIELDS: Readonly<Record<string, ValueKind>> = {
  url: text,
  command: text,
  key: text,
  key_env: text,
  key_cmd: text,
  headers: mappingOf(text),
  env: mappingOf(text),
};

export type SettingsWorld = Pick<
  World,
  'files' | 'env' | 'cwd' | 'packageFolder' | 'processes' | 'platform' | 'signal'
>;

/** Reads the files once, when a server is looked up first. A file that is wrong is a configuration Failure (exit 3) with its line. */
export function settingsReader(
  world: SettingsWorld,
  warn: Warn,
): (place: ServerPlace) => Promise<ServerSettings> {
  let read: Promise<readonly Entry[][]> | undefined;
  return async (place) => {
    read ??= readFiles(world, warn);
    return settingsOf(place, entryFor(place, await read), world);
  };
}

async function readFiles(world: SettingsWorld, warn: Warn): Promise<Entry[][]> {
  const { config } = await folders(world.env, world.files);
  const own = path.join(world.cwd, 'etc');
  const all: Entry[][] = [];
  for (const folder of await searchPath('etc', world)) {
    const file = path.join(folder, 'mcp.yaml');
    if (!(await isThere(file, world.files))) continue;
    const foreign = folder === own && own !== path.join(config, 'etc');
    const source = new TextDecoder().decode(await world.files.read(file));
    const { values, lineOf } = parseYaml(source, file, 'file of MCP servers');
    const entries = Object.entries(values).map(([name, value]) =>
      readEntry(name, value, { file, line: lineOf(name) }, foreign, warn),
    );
    const open = entries.find(({ fields }) => holdsKey(fields));
    if (open !== undefined) await checkMode(file, open.at, world, warn);
    all.push(entries);
  }
  return all;
}

/** Whether a key itself stands in the entry, and not the name of a variable that has it. */
function holdsKey({ key, headers = {}, env = {} }: Fields): boolean {
  const values = [...Object.entries(headers), ...Object.entries(env)];
  return [['key', key ?? ''] as const, ...values].some(
    ([name, value]) => isKeyName(name) && value !== '' && !value.startsWith('$'),
  );
}

function readEntry(name: string, value: unknown, at: Origin, foreign: boolean, warn: Warn): Entry {
  const wrong = (message: string) =>
    configFailure('bad-mcp-file', message, {
      at,
      next: 'see chat-mcp(5)',
    });
  if (!isObject(value)) throw wrong(`"${name}" takes a mapping`);
  const fields: Record<string, unknown> = {};
  for (const [key, given] of Object.entries(value)) {
    const kind = Object.hasOwn(FIELDS, key) ? FIELDS[key] : undefined;
    if (kind === undefined) {
      const near = didYouMean(key, Object.keys(FIELDS));
      const hint = near === undefined ? '' : `; ${near}`;
      warn({
        code: 'unknown-key',
        message: `unknown key "${key}" of the MCP server "${name}" has no effect${hint}`,
        origin: at,
      });
      continue;
    }
    // The value may be a key: it is never shown.
    fields[key] = kind.read(given) ?? fail(wrong(`"${key}" of "${name}" takes ${kind.expected}`));
  }
  if ((fields.url === undefined) === (fields.command === undefined))
    throw wrong(`"${name}" needs either a url or a command`);
  return { name, at, foreign, fields };
}

function fail(error: Error): never {
  throw error;
}

/** The closest match of the first file that has one. */
function entryFor(place: ServerPlace, files: readonly Entry[][]): Entry | undefined {
  for (const entries of files) {
    const [best] = entries
      .map((entry) => ({ entry, length: matchLength(place, entry.fields) }))
      .filter(({ length }) => length > 0)
      .sort((a, b) => b.length - a.length);
    if (best !== undefined) return best.entry;
  }
  return undefined;
}

function settingsOf(
  place: ServerPlace,
  entry: Entry | undefined,
  world: SettingsWorld,
): ServerSettings {
  const { headers: given = {}, env: more = {}, ...fields } = entry?.fields ?? {};
  const added = Object.fromEntries(
    Object.entries(more).map(([name, value]) => {
      // The program is the one that a chat names: perhaps the user's own, which a folder may not make its own.
      if (entry?.foreign === true && steersPrograms(name))
        throw heldBack(`${name} is not set`, entry);
      return [name, fromEnvironment(value, place, entry, world)];
    }),
  );
  const env = place.kind === 'program' ? serverEnvironment(world.env, added) : {};
  const keys = secretsIn(more, added);
  const headerValues = Object.fromEntries(
    Object.entries(given).map(([name, value]) => [
      name,
      fromEnvironment(value, place, entry, world),
    ]),
  );
  keys.push(...secretsIn(given, headerValues));
  let resolved: Promise<Readonly<Record<string, string>>> | undefined;
  const resolve = async () => {
    if (entry === undefined) return {};
    const { name, at, foreign } = entry;
    const source = at.file ?? 'etc/mcp.yaml';
    const key = await resolveKey(
      {
        ...{ kind: 'MCP server', name, source, fields },
        mayRun: !foreign,
        mayRead: () => mayRead(place, entry),
      },
      world,
    );
    if (key === undefined) return headerValues;
    keys.push(key.reveal());
    return { ...headerValues, authorization: `Bearer ${key.reveal()}` };
  };
  return {
    env,
    ...(entry === undefined
      ? {}
      : { entry: { name: entry.name, file: entry.at.file ?? 'etc/mcp.yaml' } }),
    headers() {
      resolved ??= resolve();
      return resolved;
    },
    // The longest first: one may be a part of another.
    hide: (shown) =>
      keys
        .toSorted((a, b) => b.length - a.length)
        .reduce((left, key) => left.replaceAll(key, '***'), shown),
    digest: digestOf([
      place,
      place.kind === 'program' ? world.cwd : '',
      place.kind === 'program' ? (world.env.PATH ?? '') : '',
      added,
      headerValues,
      fields,
      world.env[fields.key_env ?? fields.key?.replace(/^\$\{?([^}]*)\}?$/, '$1') ?? ''] ?? '',
    ]),
  };
}

/**
 * Whether a variable of the user's may go to the server. A file that the working directory brought along could name any address. To a program, which
 * a chat names, it could give the variable together with another address to send it to.
 */
function mayRead(place: ServerPlace, entry: Entry | undefined): boolean {
  return (
    entry?.foreign !== true ||
    (place.kind === 'address' && LOOPBACK.test(new URL(place.url).hostname))
  );
}

const heldBack = (what: string, { name, at }: Entry): Failure =>
  keptBack(what, { kind: 'MCP server', name, source: at.file ?? 'etc/mcp.yaml' });

function fromEnvironment(
  value: string,
  place: ServerPlace,
  entry: Entry | undefined,
  { env }: SettingsWorld,
): string {
  const variable = /^\$\{?([A-Za-z_]\w*)\}?$/.exec(value)?.[1];
  if (variable === undefined) return value;
  if (entry !== undefined && !mayRead(place, entry))
    throw heldBack(`${variable} is not sent`, entry);
  const found = env[variable];
  if (found !== undefined && found !== '') return found;
  throw configFailure(
    'missing-key',
    `${variable} is not set: MCP server "${entry?.name}" needs it`,
    {
      ...(entry === undefined ? {} : { at: entry.at }),
      next: `export ${variable}=…`,
    },
  );
}

const digestOf = (value: unknown): string =>
  createHash('sha256').update(JSON.stringify(value)).digest('hex').slice(0, 32);
