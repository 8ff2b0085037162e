// From the name of an endpoint to what is known about it: its file on the search path, over or instead of a built-in one.

import * as path from 'node:path';
import { configFailure } from '../errors.ts';
import { didYouMean } from '../nearest.ts';
import type { Origin, Warn } from '../types.ts';
import type { World } from '../world/types/world.ts';
import {
  ADDRESSES,
  ANTHROPIC,
  BUILT_IN,
  type EndpointFields,
  OPENAI,
  OPENROUTER,
  PRESETS,
} from './builtin.ts';
import { readEndpointFile } from './endpoint-file.ts';
import { folders } from './folders.ts';
import { find, namesIn, searchPath } from './search.ts';
import type { Origins, Settings } from './types.ts';

export type DefinitionWorld = Pick<World, 'files' | 'env' | 'cwd' | 'packageFolder' | 'platform'>;

/** An endpoint before options, environment and key. */
export interface Definition {
  readonly name: string;
  readonly fields: EndpointFields;
  readonly settings: Settings;
  /** Where each key of the file stands. */
  readonly origins?: Origins;
  /** The file, or `built-in`. */
  readonly source: string;
  /** The file lies in the working directory: a folder may have brought it along. */
  readonly foreign: boolean;
  /** It is foreign, and stands in the place of a built-in endpoint or of one of the user's own: its name was not chosen for it. */
  readonly shadows?: boolean;
}

/** Where the name was asked for, for the message when there is no such endpoint. */
export type AskedAt = Origin | string | undefined;

/** The endpoint of that name. None: a configuration Failure (exit 3) with every place tried and the nearest names. */
export async function definition(
  name: string,
  world: DefinitionWorld,
  warn: Warn,
  at?: AskedAt,
): Promise<Definition> {
  const found = await fileOf(name, world);
  if ('path' in found) return fromFile(name, found.path, world, warn);
  const fields = builtIn(name);
  if (fields !== undefined)
    return { name, fields: completed(fields), settings: {}, source: 'built-in', foreign: false };
  const near = didYouMean(name, await endpointNames(world));
  throw configFailure('unknown-endpoint', `no endpoint "${name}"`, {
    ...(at === undefined ? {} : { at }),
    detail: [`tried ${[...found.tried, 'the built-in ones'].join(', ')}`],
    next: near ?? 'run `chat endpoint list` to see them, or write such a file',
  });
}

/** What a backend needs that is named without an endpoint. */
export function bareDefinition(backend: string): Definition {
  return {
    name: backend,
    fields: completed({ backend }),
    settings: {},
    source: 'built-in',
    foreign: false,
  };
}

export const builtIn = (name: string): EndpointFields | undefined =>
  Object.hasOwn(BUILT_IN, name) ? BUILT_IN[name] : undefined;

/** The file of an endpoint, or the places where it could be. */
export async function fileOf(
  name: string,
  world: DefinitionWorld,
): Promise<{ readonly path: string } | { readonly tried: readonly string[] }> {
  // A name is a name: one from a chat cannot lead out of the folder.
  if (!/^[A-Za-z0-9_][A-Za-z0-9_.-]*$/.test(name))
    return { tried: [`${name} (no name of an endpoint)`] };
  const found = await find('etc', path.join('AI', `${name}.yaml`), world);
  if ('path' in found) return found;
  const other = await find('etc', path.join('AI', `${name}.yml`), world);
  return 'path' in other ? other : found;
}

/** Every endpoint's name, built-in ones included, sorted. */
export async function endpointNames(world: DefinitionWorld): Promise<readonly string[]> {
  const folders = (await searchPath('etc', world)).map((folder) => path.join(folder, 'AI'));
  const names = (await Promise.all(folders.map((folder) => namesIn(folder, world.files)))).flat();
  const own = names.flatMap((name) => /^([A-Za-z0-9_].*)\.ya?ml$/.exec(name)?.[1] ?? []);
  return [...new Set([...own, ...Object.keys(BUILT_IN)])].sort();
}

async function fromFile(
  name: string,
  file: string,
  world: DefinitionWorld,
  warn: Warn,
): Promise<Definition> {
  const { fields, settings, origins } = await readEndpointFile(file, world, warn);
  const foreign = await isForeign(file, world);
  return {
    name,
    fields: completed(overBuiltIn(name, fields)),
    settings,
    origins,
    source: file,
    foreign,
    shadows: foreign && (await isKnown(name, world)),
  };
}

/** A file that only adds to a built-in endpoint keeps the rest of it; one with another address or backend stands alone, so that no key goes elsewhere. */
function overBuiltIn(name: string, fields: EndpointFields): EndpointFields {
  const base = builtIn(name);
  if (base === undefined || fields.url !== undefined) return fields;
  if (fields.backend !== undefined && fields.backend !== base.backend) return fields;
  return { ...(hasKey(fields) ? withoutKey(base) : base), ...fields };
}

const hasKey = ({ key, key_env, key_cmd }: EndpointFields): boolean =>
  (key ?? key_env ?? key_cmd) !== undefined;

function withoutKey({
  key: _key,
  key_env: _env,
  key_cmd: _cmd,
  ...rest
}: EndpointFields): EndpointFields {
  return rest;
}

/** Presets become the backend that they stand for; an address alone means the wire form that nearly every server has. */
function completed(fields: EndpointFields): EndpointFields {
  const backend = fields.backend ?? (fields.url === undefined ? undefined : 'openai');
  if (backend === undefined) return fields;
  const preset = presetOf(backend);
  const url = rooted(backend, fields.url) ?? preset?.url ?? addressOf(backend);
  if (url === undefined) return { ...fields, backend };
  const service = serviceOf({ backend, url });
  const key = service !== undefined && !hasKey(fields) ? { key_env: service.key_env } : {};
  return { ...fields, ...key, backend: preset?.backend ?? backend, url };
}

/** The well-known service that is asked at its own address. */
export function serviceOf({ backend = '', url }: EndpointFields) {
  if (url === undefined) return undefined;
  const { origin } = new URL(url);
  return KEYS.find(
    ({ backends, service }) => backends.includes(backend) && origin === new URL(service.url).origin,
  )?.service;
}

/** Services whose key is looked for in a variable of its own, when they are asked at their own address. */
const KEYS = [
  { backends: ['openai', 'responses'], service: OPENAI },
  { backends: ['anthropic'], service: ANTHROPIC },
  { backends: ['openrouter', 'openai'], service: OPENROUTER },
];

/** The backend that serves another one's name, and its usual address. */
export const presetOf = (backend: string) =>
  Object.hasOwn(PRESETS, backend) ? PRESETS[backend] : undefined;

/** The usual address of a backend. */
export const addressOf = (backend: string): string | undefined =>
  Object.hasOwn(ADDRESSES, backend) ? ADDRESSES[backend] : undefined;

/** People give the root of these servers; the interface that is spoken here stands below it. */
const ROOTS: Readonly<Record<string, string>> = { vllm: '/v1', openwebui: '/api' };

/** Where a server of that backend lists its models. */
export function modelsAddress(backend: string, url: string): string {
  if (backend === 'ollama') return `${url.replace(/\/v1$/, '')}/api/tags`;
  return backend === 'anthropic' ? `${url}/v1/models` : `${url}/models`;
}

/** Addresses that were meant for another interface of the same server, or that lack the path of this one, are made right. */
function rooted(backend: string, url: string | undefined): string | undefined {
  if (backend === 'ollama') return url?.replace(/\/v1$/, '');
  const root = Object.hasOwn(ROOTS, backend) ? ROOTS[backend] : undefined;
  if (url === undefined || root === undefined || new URL(url).pathname !== '/') return url;
  return `${url}${root}`;
}

/** Whether an endpoint file lies elsewhere than in the folders of the user and of this package. */
export async function isForeign(file: string, world: DefinitionWorld): Promise<boolean> {
  return !(await ownFolders(world)).includes(path.dirname(file));
}

/** Whether there is an endpoint of that name wherever one works: built in, or in the folders of the user and of this package. */
export async function isKnown(name: string, world: DefinitionWorld): Promise<boolean> {
  if (builtIn(name) !== undefined) return true;
  const own = await Promise.all(
    (await ownFolders(world)).map((folder) => namesIn(folder, world.files)),
  );
  return own.flat().some((each) => each === `${name}.yaml` || each === `${name}.yml`);
}

async function ownFolders(world: DefinitionWorld): Promise<readonly string[]> {
  const { config, data } = await folders(world.env, world.files);
  return [config, data, world.packageFolder].map((base) => path.join(base, 'etc', 'AI'));
}
