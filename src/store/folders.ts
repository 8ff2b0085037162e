// Where jobs are kept: every `var/jobs` of the search path, and the one that takes new jobs.

import * as path from 'node:path';
import { folders } from '../config/folders.ts';
import { isThere, type SearchWorld, searchPath } from '../config/search.ts';
import { Failure, usageFailure } from '../errors.ts';
import { RESULT_ENDINGS } from './names.ts';

export interface JobFolders {
  /** Absolute; those that are there, and the one for new jobs, which may have to be made. */
  readonly all: readonly string[];
  readonly fresh: string;
  /** The folder that `var/jobs` of new jobs lies in; undefined when new jobs go to a folder of another name. */
  readonly base: string | undefined;
}

/** `jobs` is a folder that was asked for: it takes new jobs and is looked into first. */
export async function jobFolders(world: SearchWorld, jobs?: string): Promise<JobFolders> {
  const asked = jobs === undefined ? undefined : path.resolve(world.cwd, jobs);
  const places = (await searchPath('var', world)).map((folder) => path.join(folder, 'jobs'));
  const existing: string[] = [];
  for (const place of places) if (await isThere(place, world.files)) existing.push(place);
  const fresh = asked ?? (await freshFolder(existing, world));
  const base = fresh.endsWith(`${path.sep}var${path.sep}jobs`)
    ? path.dirname(path.dirname(fresh))
    : undefined;
  const all = [...new Set([...(asked === undefined ? [] : [asked]), ...existing, fresh])];
  return { all, fresh, base };
}

/** Nothing is written into a project or into the package without being asked for: the user's own folder is where new ones go. */
async function freshFolder(existing: readonly string[], world: SearchWorld): Promise<string> {
  const ofPackage = path.join(world.packageFolder, 'var', 'jobs');
  const first = existing.find(
    (place) => place !== ofPackage || place === path.join(world.cwd, 'var', 'jobs'),
  );
  if (first !== undefined) return first;
  const { config, data, state } = await folders(world.env, world.files);
  return path.join(config === data ? config : state, 'var', 'jobs');
}

/** Whether the path may be a job: something of one is there. */
async function isJob(place: string, files: SearchWorld['files']): Promise<boolean> {
  for (const ending of ['.info', '.lock']) if (await isThere(place + ending, files)) return true;
  return false;
}

/**
 * The absolute path of the job that a reference names: a path (from the working directory, also of its `.info` or `.files`), or
 * `Workflow/task/name` below any folder of jobs. The ending that tells the type of a result (`.json`) may be left out. Rejects with a
 * usage Failure that lists the places tried.
 */
export async function resolveJob(
  reference: string,
  world: SearchWorld,
  all: readonly string[],
): Promise<string> {
  const plain = reference.replace(/\/+$/, '');
  const names = new Set([plain, plain.replace(/\.(?:info|files|lock)$/, '')]);
  const roots = path.isAbsolute(plain) ? ['/'] : [world.cwd, ...all];
  const tried = [...names].flatMap((name) => roots.map((root) => path.resolve(root, name)));
  const places = [...tried, ...withEndings(tried)];
  for (const place of places) if (await isJob(place, world.files)) return place;
  for (const place of places)
    if (isInside(place, all) && (await isThere(place, world.files))) return place;
  await refuseHidden(tried, world.files);
  throw usageFailure('no-such-job', `"${reference}" is no job: there is no .info beside it`, {
    detail: [`tried ${[...new Set(tried)].join(', ')}`],
    next: 'name the path of a result, or Workflow/task/name',
  });
}

/** A place that may not be looked at is not the same as nothing. */
async function refuseHidden(tried: readonly string[], files: SearchWorld['files']): Promise<void> {
  for (const place of tried)
    try {
      await files.stat(place);
    } catch (error) {
      if (error instanceof Failure && error.code === 'no-permission') throw error;
    }
}

const withEndings = (places: readonly string[]): readonly string[] =>
  RESULT_ENDINGS.flatMap((ending) => places.map((place) => place + ending));

/** Below one of the folders at the place of a result: a result whose `.info` was lost is still a job. */
function isInside(place: string, all: readonly string[]): boolean {
  return all.some((folder) => {
    const parts = path.relative(folder, place).split(path.sep);
    return (
      parts.length === 3 && parts[0] !== '..' && !/^\.|\.(?:info|files|lock)$/.test(parts[2] ?? '.')
    );
  });
}

/**
 * Where a path of a dependency leads today: as it is; else the same `Workflow/task/name` in the store of the job at `dependent`, which
 * was moved with it, or below a folder of jobs; else as it is.
 */
export async function relocate(
  reference: string,
  dependent: string,
  all: readonly string[],
  files: SearchWorld['files'],
): Promise<string> {
  const absolute = path.isAbsolute(reference);
  if (absolute && ((await isJob(reference, files)) || (await isThere(reference, files))))
    return reference;
  const tail = reference.split('/').slice(-3).join('/');
  const own = path.resolve(dependent, '../../..');
  for (const folder of [own, ...all]) {
    const place = path.join(folder, tail);
    if ((await isJob(place, files)) || (await isThere(place, files))) return place;
  }
  return absolute ? reference : path.resolve(all[0] ?? '/', reference);
}
