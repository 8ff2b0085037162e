// From the path that a job had to where it may be now: a store that was moved, copied or unpacked elsewhere still says where it was.

import * as path from 'node:path';
import type { Places } from './places.ts';

/** A workflow, a task and a name: where a job is in its store, which is the same wherever the store is. */
const PARTS = 3;

/**
 * Tells at which paths the job of an absolute path may stand instead, best first: in the store that the file which names it lies in, in
 * the `var/jobs` of the folders around that file, nearest first, and below the folders of jobs. The name holds a digest of the work, so
 * that the same name is the same work.
 */
export function createMoved(
  folders: readonly string[],
  places: Places,
): (reference: string, from: string) => readonly string[] {
  // Most stores have no such task, and that is found out once for all its jobs.
  const known = new Map<string, readonly string[]>();
  const storesWith = (task: string, folder: string): readonly string[] => {
    const near = around(folder).flatMap((each) => [each, path.join(each, 'var', 'jobs')]);
    return [...new Set([...near, ...folders])]
      .map((store) => path.join(store, task))
      .filter((place) => places.lookAt(place).itself !== undefined);
  };
  return (reference, from) => {
    const parts = reference.split(path.sep).slice(-PARTS);
    const [workflow = '', task = '', name = ''] = parts;
    if (parts.length < PARTS || workflow === '' || task === '') return [];
    const folder = path.dirname(from);
    const key = `${folder}\0${workflow}/${task}`;
    const stores = known.get(key) ?? storesWith(path.join(workflow, task), folder);
    known.set(key, stores);
    return stores.map((store) => path.join(store, name)).filter((place) => place !== reference);
  };
}

/** A folder and those above it, nearest first. */
function around(start: string): readonly string[] {
  const found: string[] = [];
  for (let folder = start; found.at(-1) !== folder; folder = path.dirname(folder))
    found.push(folder);
  return found;
}
