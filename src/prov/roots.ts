// From paths as people give them to the chats and jobs that are meant. A folder stands for everything in it.

import * as path from 'node:path';
import { homeFolder } from '../config/folders.ts';
import { type SearchWorld, searchPath } from '../config/search.ts';
import { errorWords } from '../errors.ts';
import type { FileStat, FolderEntry } from '../world/types/files.ts';
import { createJobFinder, jobAt } from './job-references.ts';
import { createPlaces, type Places } from './places.ts';
import { problem, type Trouble } from './problems.ts';
import { quietly } from './quietly.ts';
import type { NodeReference } from './types/places.ts';
import type { ProvPorts } from './types/ports.ts';
import type { OnProblem } from './types/warnings.ts';
import type { Place } from './walk-types.ts';

export type RootPorts = Pick<ProvPorts, 'files' | 'jobFolders' | 'cwd'>;

/**
 * What is at each path, each chat and job once, with its real path. A path is a job when its `.info` is there; that may be named itself, and so may
 * the job's `.files`. Another file is a chat; `Workflow/task/name` is looked for below the folders of jobs; a folder stands for the jobs and
 * the `*.chat` files in it, folders below it too, but for what was kept beside them, linked folders and names that start with a dot.
 * What is none of these is told to `onError`; without it the first is thrown.
 */
export async function findRoots(
  paths: readonly string[],
  ports: RootPorts,
  onError?: OnProblem,
): Promise<readonly NodeReference[]> {
  const places = createPlaces(ports.files.now);
  const found = new Map<string, NodeReference>();
  const tell = (trouble: Trouble): void => {
    const told = problem(trouble);
    if (onError === undefined) throw told.error;
    onError(told);
  };
  for (const given of paths)
    for (const root of rootsAt(given, { ...ports, places, tell }))
      found.set(`${root.kind} ${root.path}`, root);
  return [...found.values()];
}

/** Folders below which jobs are looked for by `Workflow/task/name`: every `var/jobs` of the search path, and those of scout-ai and rbbt. */
export async function jobReferenceFolders(world: SearchWorld): Promise<readonly string[]> {
  const home = homeFolder(world.env);
  const shared = ['.scout', '.rbbt'].map((name) => path.join(home, name, 'var'));
  const all = [...(await searchPath('var', world)), ...shared];
  return [...new Set(all.map((folder) => path.join(folder, 'jobs')))];
}

interface Context extends RootPorts {
  readonly places: Places;
  readonly tell: (trouble: Trouble) => void;
}

function* rootsAt(given: string, context: Context): Generator<NodeReference> {
  // It would be the working directory: an unset variable of a script must not become a report on everything there.
  if (given === '') return context.tell(nothingAt(given, given, 'it is empty'));
  const place = path.resolve(context.cwd, given);
  const known = ownerAt(place, context.places) ?? chatAt(place, context);
  if (known !== undefined) return yield known;
  if (isFolder(place, context)) {
    let isEmpty = true;
    for (const root of rootsBelow(realFolder(place, context), context)) {
      isEmpty = false;
      yield root;
    }
    if (isEmpty)
      context.tell(nothingAt(given, place, 'no chat (*.chat) and no job is in this folder'));
    return;
  }
  const finder = createJobFinder(context.jobFolders, context.places);
  const job = path.isAbsolute(given) ? null : finder.find(given);
  if (job !== null) return yield jobRoot(job);
  const isThere = context.places.isThere(context.places.lookAt(place));
  const why = isThere ? 'it is neither a chat nor a job' : 'nothing is there';
  context.tell(nothingAt(given, place, hidden(given, context) ?? why));
}

/** Why it is not known what is at a place where something may be. */
function hidden(given: string, { cwd, jobFolders, files }: Context): string | undefined {
  for (const folder of [cwd, ...jobFolders])
    try {
      files.now.stat(path.resolve(folder, given));
    } catch (error) {
      return errorWords(error);
    }
  return undefined;
}

const nothingAt = (given: string, place: string, why: string): Trouble => ({
  reason: 'unreadable',
  message: `cannot use "${given}": ${why}`,
  object: place,
  reference: given,
});

const BESIDE = /(?<=.)\.(?:info|files)$/;

const jobRoot = ({ path }: Place): NodeReference => ({ kind: 'job', path });

/** A job, or the chat or job that the named `.info` or `.files` belongs to. */
function ownerAt(place: string, places: Places): NodeReference | undefined {
  const job = jobAt(place, places);
  if (job !== null) return jobRoot(job);
  if (!BESIDE.test(place)) return undefined;
  const owner = places.lookAt(place.replace(BESIDE, ''));
  const ownerJob = jobAt(owner.path, places);
  if (ownerJob !== null) return jobRoot(ownerJob);
  const isChat = place.endsWith('.files') && owner.itself === 'file';
  return isChat ? { kind: 'chat', path: owner.path } : undefined;
}

function chatAt(place: string, context: Context): NodeReference | undefined {
  if (kindOf(place, context) !== 'file') return undefined;
  return { kind: 'chat', path: context.places.realPath(place) ?? place };
}

const isFolder = (place: string, context: Context): boolean =>
  kindOf(place, context) === 'directory';

/** Behind links. */
const kindOf = (place: string, { files }: Context): FileStat['kind'] | undefined =>
  quietly(() => files.now.stat(place))?.kind;

const realFolder = (place: string, { places }: Context): string => places.realPath(place) ?? place;

function* rootsBelow(folder: string, context: Context): Generator<NodeReference> {
  const entries = entriesOf(folder, context);
  const names = new Set(entries.map(({ name }) => name));
  for (const { name, kind } of entries) {
    const place = path.join(folder, name);
    if (name.startsWith('.')) continue;
    if (kind === 'directory') {
      // What was kept beside a chat or a job is reached from there.
      if (!name.endsWith('.files')) yield* rootsBelow(place, context);
    } else if (name.endsWith('.info')) {
      const job = jobAt(place.replace(BESIDE, ''), context.places);
      if (job !== null) yield jobRoot(job);
    } else if (name.endsWith('.chat') && !names.has(`${name}.info`)) {
      const chat = chatAt(place, context);
      if (chat !== undefined) yield chat;
    }
  }
}

function entriesOf(folder: string, { files, tell }: Context): readonly FolderEntry[] {
  try {
    return files.now.entries(folder);
  } catch (cause) {
    tell({ reason: 'unreadable', message: errorWords(cause), object: folder, cause });
    return [];
  }
}
