// Reads an endpoint file (`etc/AI/NAME.yaml`) and checks it strictly: wrong types are failures, unknown keys are warnings, both with file and line.

import { configFailure, Failure } from '../errors.ts';
import { isObject } from '../json.ts';
import { nearestNames } from '../nearest.ts';
import type { Origin, Price, Warn } from '../types.ts';
import type { Files } from '../world/types/files.ts';
import type { World } from '../world/types/world.ts';
import type { EndpointFields } from './builtin.ts';
import { readFlatYaml } from './flat-yaml.ts';
import { address, mappingOf, number, text, type ValueKind } from './kinds.ts';
import { kindOf, SETTINGS } from './settings.ts';
import type { Settings } from './types.ts';

export interface EndpointFile {
  readonly path: string;
  readonly fields: EndpointFields;
  readonly settings: Settings;
  /** Where each key stands. */
  readonly origins: Readonly<Record<string, Origin>>;
}

/** The keys of an endpoint file that are no settings. */
export const FIELDS: Readonly<Record<string, ValueKind>> = {
  backend: text,
  url: address,
  model: text,
  key: text,
  key_env: text,
  key_cmd: text,
  headers: mappingOf(text),
  price: mappingOf(number(0), ['input', 'output', 'cache_read', 'cache_write']),
  description: text,
};

/**
 * What the file says. Unreadable, no YAML, no mapping, or a value of the wrong type: a configuration Failure (exit 3). A
 * file that others may read and that holds a key is warned about.
 */
export async function readEndpointFile(
  path: string,
  world: Pick<World, 'files' | 'platform'>,
  warn: Warn,
): Promise<EndpointFile> {
  const source = await readText(path, world.files);
  const { values, lineOf } =
    readFlatYaml(source) ?? (await import('./yaml-file.ts')).parseYaml(source, path);
  const read: Record<string, unknown> = {};
  const settings: Record<string, unknown> = {};
  const origins: Record<string, Origin> = {};
  for (const [key, value] of Object.entries(values)) {
    const origin = { file: path, line: lineOf(key) };
    const field = Object.hasOwn(FIELDS, key) ? FIELDS[key] : undefined;
    const kind = field ?? kindOf(key);
    if (kind === undefined) warn(unknownKey(key, origin));
    // A key without a value is one that is not there.
    if (kind === undefined || value === null) continue;
    origins[key] = origin;
    (field === undefined ? settings : read)[key] = readValue(key, value, kind, origin);
  }
  const fields = fieldsOf(read);
  if (fields.key !== undefined && !fields.key.startsWith('$'))
    await checkMode(path, origins.key, world, warn);
  return { path, fields, settings, origins };
}

async function readText(path: string, files: Pick<Files, 'read'>): Promise<string> {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(await files.read(path));
  } catch (error) {
    if (error instanceof Failure)
      throw configFailure('unreadable-endpoint', error.message, { at: path, cause: error });
    throw configFailure('bad-yaml', `the endpoint file "${path}" is not UTF-8 text`, {
      at: path,
      cause: error,
    });
  }
}

function readValue(key: string, value: unknown, kind: ValueKind, origin: Origin): unknown {
  const read = kind.read(value);
  if (read !== undefined) return read;
  // The value of a key may be a secret: it is never shown.
  const shown = key.startsWith('key') || key === 'headers' ? 'something else' : describe(value);
  throw configFailure('bad-endpoint', `"${key}" takes ${kind.expected}, not ${shown}`, {
    at: origin,
  });
}

function describe(value: unknown): string {
  if (Array.isArray(value)) return 'a list';
  if (isObject(value)) return `a mapping (${JSON.stringify(value).slice(0, 60)})`;
  return JSON.stringify(value).slice(0, 80);
}

function unknownKey(key: string, origin: Origin) {
  const known = [...Object.keys(FIELDS), ...Object.keys(SETTINGS)];
  const [near] = nearestNames(key, known);
  return {
    code: 'unknown-key',
    message: `unknown key "${key}" has no effect${near === undefined ? '' : `; did you mean "${near}"?`}`,
    origin,
  };
}

function fieldsOf(read: Readonly<Record<string, unknown>>): EndpointFields {
  // Each value was made by the kind of its field.
  return read as EndpointFields & { readonly price?: Price };
}

const OTHERS = 0o077;

/** Warns about a file with a key that others may read. */
export async function checkMode(
  path: string,
  origin: Origin | undefined,
  {
    files,
    platform,
  }: { readonly files: Pick<Files, 'stat'>; readonly platform: World['platform'] },
  warn: Warn,
): Promise<void> {
  const mode = (await files.stat(path))?.mode ?? 0;
  // Windows has no such permissions and reports everything as open.
  if ((mode & OTHERS) === 0 || platform.os === 'win32') return;
  warn({
    code: 'key-readable',
    message: `others can read the key in this file: \`chmod 600 ${path}\``,
    ...(origin === undefined ? {} : { origin }),
  });
}
