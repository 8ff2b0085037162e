// Finds the file of a custom strategy: by path or by name, where whoever named it may take code from.

import * as path from 'node:path';
import { OWN_STRATEGIES } from '../chat/strategies/index.ts';
import { folders } from '../config/folders.ts';
import { namesIn, searchPath } from '../config/search.ts';
import { configFailure, type Failure, usageFailure } from '../errors.ts';
import { didYouMean } from '../nearest.ts';
import type { Origin } from '../types.ts';
import type { World } from '../world/types/world.ts';

/** Who named a custom strategy. */
export interface Namer {
  /** Where a path begins. */
  readonly folder: string;
  /** Something that somebody else may have made, in words: it gets only names, and only from the user's own folders. */
  readonly foreign?: string;
  readonly at: Origin | string;
}

const ENDINGS = ['.ts', '.mts', '.js', '.mjs'];

const isPath = (name: string): boolean =>
  /[/\\]/.test(name) || ENDINGS.includes(path.extname(name));

/** Absolute. Rejects with a configuration Failure when there is none, and with a usage Failure when there may be one that is not to be run. */
export async function strategyFile(name: string, namer: Namer, world: World): Promise<string> {
  if (namer.foreign !== undefined) return fromOwnFolders(name, namer, namer.foreign, world);
  if (!isPath(name)) {
    const roots = await searchPath('strategies', world);
    return (await fileIn(roots, name, world)) ?? (await missing(name, namer, roots, world));
  }
  const file = path.resolve(world.cwd, namer.folder, name);
  const isFile = (await world.files.stat(file))?.kind === 'file';
  if (isFile && ENDINGS.includes(path.extname(file))) return file;
  throw configFailure('no-such-strategy', `there is no strategy at "${name}"`, {
    at: namer.at,
    detail: [`tried ${file}`],
    next: `name a file that ends in ${ENDINGS.join(', ')}`,
  });
}

/** The search path without the working directory: a chat and what lies beside it may come from anybody. */
async function fromOwnFolders(
  name: string,
  namer: Namer,
  who: string,
  world: World,
): Promise<string> {
  const { config, data } = await folders(world.env, world.files);
  const bases = [...new Set([config, data, world.packageFolder])];
  const roots = bases.map((base) => path.join(base, 'strategies'));
  const found = isPath(name) ? undefined : await fileIn(roots, name, world);
  if (found !== undefined) return found;
  const all = await searchPath('strategies', world);
  if (!isPath(name) && (await fileIn(all, name, world)) === undefined)
    return missing(name, namer, roots, world);
  throw usageFailure(
    'strategy-not-allowed',
    `the strategy "${name}" is code, and ${who} may not name code that lies elsewhere than in your own folders`,
    {
      at: namer.at,
      next: `give it with \`-o prompt_strategies=…\`, or put it into ${roots[0]} and name it without a path`,
    },
  );
}

async function fileIn(
  roots: readonly string[],
  name: string,
  { files }: World,
): Promise<string | undefined> {
  for (const file of roots.flatMap((root) => ENDINGS.map((end) => path.join(root, name + end))))
    if ((await files.stat(file).catch(() => undefined))?.kind === 'file') return file;
  return undefined;
}

async function missing(
  name: string,
  { at }: Namer,
  roots: readonly string[],
  world: World,
): Promise<never> {
  const there = (await Promise.all(roots.map((root) => namesIn(root, world.files)))).flat();
  const names = [...OWN_STRATEGIES, ...there.map((each) => each.replace(/\.\w+$/, ''))];
  const failure: Failure = configFailure('no-such-strategy', `there is no strategy "${name}"`, {
    at,
    detail: [
      `tried ${roots.map((root) => `${path.join(root, name)}{${ENDINGS.join(',')}}`).join(', ')}`,
    ],
    next: didYouMean(name, names) ?? `there are: ${[...new Set(names)].join(', ')}`,
  });
  throw failure;
}
