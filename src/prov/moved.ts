// From the path that a job had to where it may be now: a store that was moved, copied or unpacked elsewhere still says where it was.

import * as path from 'node:path';
import type { Places } from './places.ts';

/** A workflow, a task and a name: where a job is in its store, which is the same wherever the store is. */
const PARTS = 3;

/**
 * Paths at which the job of an absolute path may stand instead, best first: in the store that the file which names it lies in, in the
 * `var/jobs` of the folders around that file, nearest first, and below the folders of jobs. The name holds a digest of the work, so
 * that the same name is the same work.
 */
export function movedTo(
  reference: string,
  from: string,
  folders: readonly string[],
  places: Places,
): readonly string[] {
  const parts = reference.split(path.sep).slice(-PARTS);
  const [workflow = '', task = ''] = parts;
  if (parts.length < PARTS || workflow === '' || task === '') return [];
  const stores = around(from).flatMap((each) => [each, path.join(each, 'var', 'jobs')]);
  // Most of them have no such workflow, and that is looked up once for all jobs.
  const has = (store: string) =>
    places.lookAt(path.join(store, workflow)).itself !== undefined &&
    places.lookAt(path.join(store, workflow, task)).itself !== undefined;
  return [...new Set([...stores, ...folders])]
    .filter(has)
    .map((store) => path.join(store, ...parts))
    .filter((place) => place !== reference);
}

/** The folders above a path, nearest first. */
function around(place: string): readonly string[] {
  const found: string[] = [];
  for (let folder = path.dirname(place); found.at(-1) !== folder; folder = path.dirname(folder))
    found.push(folder);
  return found;
}
