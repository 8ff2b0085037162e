// What of an input is part of a job's identity: its value; of a `file` the content; of a `path` the place, seen from the store.

import * as path from 'node:path';
import type { BaseInputType, Inputs, TaskInput } from '../workflows/types.ts';
import type { Files } from '../world/types/files.ts';

/** What identifying needs of the world. */
export interface IdentityWorld {
  readonly files: Pick<Files, 'digest'>;
  readonly cwd: string;
  /** The folder that the store of new jobs belongs to; paths below it are taken from there. */
  readonly base: string | undefined;
}

export interface Identity {
  readonly values: Readonly<Record<string, unknown>>;
  /** A path was taken from the store's folder: the same identity in another store is other work. */
  readonly local: boolean;
}

/**
 * The values that a digest is made from. A path below the folder that holds `var/jobs` counts from there, so a project that
 * is moved, or lies elsewhere on another machine, finds its jobs again; any other path counts as it is, absolute.
 * Rejects with a usage Failure when the content of a `file` cannot be read.
 */
export async function identify(
  specs: readonly TaskInput[],
  inputs: Inputs,
  world: IdentityWorld,
): Promise<Identity> {
  const values: Record<string, unknown> = {};
  let local = false;
  for (const { name, type } of specs) {
    const base = type.replace(/_array$/, '') as BaseInputType;
    const given = inputs[name];
    if (given === undefined) continue;
    const each = Array.isArray(given) ? given : [given];
    if (base === 'path') local ||= each.some((one) => fromBase(one, world) !== undefined);
    const convert = converters[base];
    values[name] = convert === undefined ? given : await mapOneOrMany(given, convert, world);
  }
  return { values, local };
}

type Convert = (value: unknown, world: IdentityWorld) => unknown;

const converters: Partial<Record<BaseInputType, Convert>> = {
  path: (value, world) => fromBase(value, world) ?? absolute(value, world.cwd),
  file: async (value, world) =>
    typeof value === 'string'
      ? { content: await world.files.digest(path.resolve(world.cwd, value)) }
      : value,
};

async function mapOneOrMany(value: unknown, convert: Convert, world: IdentityWorld) {
  if (!Array.isArray(value)) return convert(value, world);
  const converted: unknown[] = [];
  for (const each of value) converted.push(await convert(each, world));
  return converted;
}

const ADDRESS = /^[a-z][a-z0-9+.-]+:\/\//i;

function absolute(value: unknown, cwd: string): unknown {
  return typeof value !== 'string' || ADDRESS.test(value) ? value : path.resolve(cwd, value);
}

function fromBase(value: unknown, { cwd, base }: IdentityWorld): string | undefined {
  const place = absolute(value, cwd);
  if (base === undefined || typeof place !== 'string' || ADDRESS.test(place)) return undefined;
  const relative = path.relative(base, place);
  const below =
    relative !== '..' && !relative.startsWith(`..${path.sep}`) && !path.isAbsolute(relative);
  return below ? `./${relative.replaceAll('\\', '/')}` : undefined;
}
