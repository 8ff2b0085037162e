// Loads a workflow file in TypeScript or JavaScript: bundled once for each content of its sources, then only imported.

import * as path from 'node:path';
import { pathToFileURL } from 'node:url';
import manifest from '../../package.json' with { type: 'json' };
import { folders } from '../config/folders.ts';
import { configFailure, Failure } from '../errors.ts';
import type { Origin } from '../types.ts';
import { type Bundle, bundle, digestOf, type RunningPackage } from './bundle.ts';
import { DEFINED_AT } from './define.ts';
import { checkOwnDependencies } from './dependencies.ts';
import { workflowOf } from './from-definition.ts';
import { guarded, relocated } from './guarded.ts';
import { located } from './problem.ts';
import { type Places, sourcePlaces } from './source-places.ts';
import type { Workflow } from './types.ts';
import type { WorkflowWorld } from './world.ts';

type LoadWorld = Pick<WorkflowWorld, 'files' | 'env' | 'packageFolder' | 'foreign'>;

/**
 * The workflow that the file exports, under the given name; `others` are tasks that it has besides. Rejects with a configuration Failure (exit 3) that names file and line
 * when it cannot be read, fails while it is loaded, or is no workflow.
 */
export async function loadModule(
  file: string,
  name: string,
  world: LoadWorld,
  others: readonly string[] = [],
): Promise<Workflow> {
  const module = await compiled(file, world);
  const places = sourcePlaces(module.url, module.code, path.dirname(file), file);
  const definition = await importDefault(module.url, places, file, world);
  try {
    const workflow = workflowOf(definition, name, file, (run) =>
      guarded(run, places, world.foreign),
    );
    checkOwnDependencies(workflow.tasks, others);
    return workflow;
  } catch (error) {
    throw await located(error, (keys) => places.find(start(definition, places), keys));
  }
}

/** What a file exports as default, and what is known about its code. */
export interface LoadedModule {
  readonly definition: unknown;
  /** Of everything that it was made from. */
  readonly digest: string;
  /** An error of its code, with the places of its source. */
  relocated(error: unknown): unknown;
  /** The place in its source that an error came from. */
  placeOf(error: unknown): Origin | undefined;
}

/** What the file exports as default, whatever that is. Rejects with a configuration Failure (exit 3) that names file and line. */
export async function loadDefault(file: string, world: LoadWorld): Promise<LoadedModule> {
  const { url, code } = await compiled(file, world);
  const places = sourcePlaces(url, code, path.dirname(file), file);
  return {
    definition: await importDefault(url, places, file, world),
    digest: digestOf(Buffer.from(code)),
    relocated: (error) => relocated(error, places),
    placeOf: (error) => (error instanceof Error ? places.first(error.stack ?? '') : undefined),
  };
}

interface Compiled {
  readonly url: string;
  readonly code: string;
}

/** Written into the last line of a bundle: what it was made from. */
interface Header extends Pick<Bundle, 'sources' | 'packages'> {
  readonly made: string;
}

const MARK = '// bundled workflow ';

async function compiled(file: string, world: LoadWorld): Promise<Compiled> {
  const own = runningPackage(world.packageFolder);
  // Other versions, and other places of the running package, read the same source differently.
  const made = JSON.stringify([manifest.version, manifest.name, own, file]);
  const folder = path.join((await folders(world.env, world.files)).cache, 'workflows');
  const stem = path.basename(file).replace(/\.\w+$/, '');
  const place = path.join(folder, `${stem}-${digestOf(Buffer.from(made)).slice(0, 16)}.mjs`);
  const kept = await readKept(place, made, world.files);
  if (kept !== undefined) return { url: addressOf(place, kept), code: kept };
  const { code, ...rest } = await bundle(file, own, world.files);
  const header: Header = { made, ...rest };
  const text = `${code}\n${MARK}${JSON.stringify(header).replaceAll(/[\u2028\u2029]/g, escapeUnicode)}\n`;
  try {
    await world.files.write(place, text);
    return { url: addressOf(place, text), code: text };
  } catch {
    // A cache that cannot be written only costs time.
    return {
      url: `data:text/javascript;base64,${Buffer.from(text).toString('base64')}`,
      code: text,
    };
  }
}

const escapeUnicode = (character: string): string => `\\u${character.charCodeAt(0).toString(16)}`;

/** One address for each content: a program that runs on sees a changed file. */
const addressOf = (place: string, code: string): string =>
  `${pathToFileURL(place).href}?${digestOf(Buffer.from(code)).slice(0, 16)}`;

/** The bundle, when every source still has the content that it was made from. */
async function readKept(
  place: string,
  made: string,
  files: LoadWorld['files'],
): Promise<string | undefined> {
  if ((await files.stat(place).catch(() => undefined))?.kind !== 'file') return undefined;
  try {
    const code = Buffer.from(await files.read(place)).toString();
    const mark = code.lastIndexOf(MARK);
    if (mark < 0 || !code.endsWith('\n')) return undefined;
    const header = JSON.parse(code.slice(mark + MARK.length)) as Header;
    if (header.made !== made) return undefined;
    for (const [source, digest] of Object.entries(header.sources))
      if (digestOf(await files.read(source)) !== digest) return undefined;
    for (const each of header.packages)
      if ((await files.stat(each)) === undefined) return undefined;
    return code;
  } catch {
    // Something is gone or broken: it is bundled again, which says what.
    return undefined;
  }
}

/** This program may run from its bundle or from its sources; a workflow file gets the same copy. */
function runningPackage(packageFolder: string): RunningPackage {
  const { name } = manifest;
  const here = import.meta.url.replace(/[?#].*$/, '');
  if (here.endsWith('.ts'))
    return {
      name,
      workflow: new URL('public.ts', here).href,
      library: new URL('../index.ts', here).href,
    };
  const built = (entry: string) => pathToFileURL(path.join(packageFolder, 'dist', entry)).href;
  return { name, workflow: built('workflow.js'), library: built('index.js') };
}

async function importDefault(
  url: string,
  places: Places,
  file: string,
  { foreign }: Pick<LoadWorld, 'foreign'>,
): Promise<unknown> {
  // A promise that is exported is waited for as all that the file waits for.
  const load = async (): Promise<unknown> => {
    const module: { readonly default?: unknown } = await import(url);
    return module.default;
  };
  try {
    return await (foreign === undefined ? load() : (await foreign()).load(load));
  } catch (error) {
    if (error instanceof Failure) throw error;
    const stack = error instanceof Error ? (error.stack ?? '') : '';
    const message =
      error instanceof Error ? `${error.name}: ${error.message}` : `threw ${String(error)}`;
    throw configFailure(
      'bad-workflow',
      `the workflow fails while it is loaded: ${message.split('\n', 1)[0]}`,
      {
        at: places.first(stack) ?? { file, line: 1 },
        cause: relocated(error, places),
      },
    );
  }
}

/** Where a definition was made, and what its keys lead to below that. */
function start(definition: unknown, places: Places): Origin | undefined {
  const made: unknown =
    typeof definition === 'object' && definition !== null
      ? Reflect.get(definition, DEFINED_AT)
      : '';
  return typeof made === 'string' ? places.first(made) : undefined;
}
