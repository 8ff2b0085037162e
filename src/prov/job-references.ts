// From a reference to a job, as it stands in a chat or an `.info`, to where the job really is.

import * as path from 'node:path';
import { RESULT_ENDINGS } from '../store/names.ts';
import { createMoved } from './moved.ts';
import type { Places } from './places.ts';
import type { Place } from './walk-types.ts';

export interface JobFinder {
  /**
   * The job that a reference names: an absolute path, or `Workflow/task/name` below one of the folders of jobs. Null when neither a
   * result nor an `.info` is there. Each reference is looked up once. A job that is gone from an absolute path is looked for near `from`,
   * the chat or job that names it, since both may have been moved.
   */
  find(reference: string, from?: string): Place | null;
}

/** A store that is no longer where it was, as told by the first reference into it. */
export interface MovedStore {
  readonly old: string;
  /** Where its jobs were found instead. */
  readonly now: string;
  readonly reference: string;
  /** The chat or job that has the reference. */
  readonly from: string;
}

/** `onMoved` is told once for each store whose jobs were found in another. */
export function createJobFinder(
  folders: readonly string[],
  places: Places,
  onMoved: (store: MovedStore) => void = () => {},
): JobFinder {
  const found = new Map<string, Place | null>();
  const nearby = createMoved(folders, places);
  const moved = new Set<string>();
  const once = (key: string, look: () => Place | null): Place | null => {
    const known = found.get(key);
    if (known !== undefined) return known;
    const place = look();
    found.set(key, place);
    return place;
  };
  return {
    find(reference, from) {
      const met = places.known(reference) ?? lookedAt(reference, places);
      if (met?.info === 'file') return met;
      const place = once(reference, () => firstAt(candidates(reference, folders), places));
      if (place !== null || from === undefined || !path.isAbsolute(reference)) return place;
      return once(`${path.dirname(from)}\0${reference}`, () => findMoved(reference, from));
    },
  };

  function findMoved(reference: string, from: string): Place | null {
    const place = firstAt(nearby(normalised(reference), from), places);
    if (place === null) return null;
    const [old, now] = [storeOf(reference), storeOf(place.path)];
    if (!moved.has(`${old}\0${now}`)) onMoved({ old, now, reference, from });
    moved.add(`${old}\0${now}`);
    return place;
  }
}

/** The folder of the workflow, task and name of a job. */
const storeOf = (job: string): string => path.resolve(job, '../../..');

const lookedAt = (reference: string, places: Places): Place | undefined =>
  IS_NORMAL.test(reference) ? places.lookAt(reference) : undefined;

const INFO = '.info';

/** The job at a path; null when no `.info` says that there is one. The `.info` decides, also when it is a link to another job's. */
export function jobAt(place: string, places: Places): Place | null {
  return jobIn(places.lookAt(place), places);
}

function jobIn(place: Place, places: Places): Place | null {
  if (place.info === 'file') return place;
  if (place.info !== 'link') return null;
  const real = places.realPath(place.path + INFO);
  return real?.endsWith(INFO) ? places.lookAt(real.slice(0, -INFO.length)) : null;
}

function firstAt(plain: readonly string[], places: Places): Place | null {
  for (const candidate of [...plain, ...withEndings(plain)]) {
    const place = places.lookAt(candidate);
    const found = jobIn(place, places) ?? resultIn(place, places);
    if (found !== null) return found;
  }
  return null;
}

/** A result whose `.info` is gone. Behind a link there may be a whole job. */
function resultIn(place: Place, places: Places): Place | null {
  if (place.itself !== 'link') return place.itself === undefined ? null : place;
  const real = places.realPath(place.path);
  if (real === undefined) return null;
  const behind = places.lookAt(real);
  return jobIn(behind, places) ?? behind;
}

function candidates(reference: string, folders: readonly string[]): readonly string[] {
  const plain = IS_NORMAL.test(reference) ? reference : normalised(reference);
  if (path.isAbsolute(plain)) return [plain];
  // "Below" a folder of jobs means below it.
  if (plain === '.' || plain === '..' || plain.startsWith(`..${path.sep}`)) return [];
  return folders.map((folder) => path.join(folder, plain));
}

/** The ending that tells the type of a result may be left out, as everywhere where a job is named. */
function withEndings(places: readonly string[]): readonly string[] {
  const [name = ''] = places;
  if (path.extname(name) !== '') return [];
  return RESULT_ENDINGS.flatMap((ending) => places.map((place) => place + ending));
}

/** Nothing that normalising would change, as in nearly every reference. */
const IS_NORMAL = /^\/(?:[^/.][^/]*\/)*[^/.][^/]*$/;

function normalised(reference: string): string {
  const normal = path.normalize(reference);
  return normal.length > 1 && normal.endsWith(path.sep) ? normal.slice(0, -1) : normal;
}
