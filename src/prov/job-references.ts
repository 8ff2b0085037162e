// From a reference to a job, as it stands in a chat or an `.info`, to where the job really is.

import * as path from 'node:path';
import type { Place, Places } from './places.ts';

export interface JobFinder {
  /** The job of an absolute reference, if it was met before. */
  known(reference: string): Place | undefined;
  /**
   * The job that a reference names: an absolute path, or `Workflow/task/name` below one of the folders of jobs. Null when neither a
   * result nor an `.info` is there. Each reference is looked up once.
   */
  find(reference: string): Promise<Place | null>;
}

export function createJobFinder(folders: readonly string[], places: Places): JobFinder {
  const found = new Map<string, Place | null>();
  return {
    known(reference) {
      const place = places.known(reference);
      return place?.info === 'file' ? place : undefined;
    },
    async find(reference) {
      if (IS_NORMAL.test(reference)) {
        const place = await places.lookAt(reference);
        if (place.info === 'file') return place;
      }
      const known = found.get(reference);
      if (known !== undefined) return known;
      const place = await lookUp(reference, folders, places);
      found.set(reference, place);
      return place;
    },
  };
}

const INFO = '.info';

/** The job at a path; null when no `.info` says that there is one. The `.info` decides, also when it is a link to another job's. */
export async function jobAt(place: string, places: Places): Promise<Place | null> {
  return jobIn(await places.lookAt(place), places);
}

async function jobIn(place: Place, places: Places): Promise<Place | null> {
  if (place.info === 'file') return place;
  if (place.info !== 'link') return null;
  const real = await places.realPath(place.path + INFO);
  return real?.endsWith(INFO) ? places.lookAt(real.slice(0, -INFO.length)) : null;
}

async function lookUp(
  reference: string,
  folders: readonly string[],
  places: Places,
): Promise<Place | null> {
  for (const candidate of candidates(reference, folders)) {
    const place = await places.lookAt(candidate);
    const found = (await jobIn(place, places)) ?? (await resultIn(place, places));
    if (found !== null) return found;
  }
  return null;
}

/** A result whose `.info` is gone. Behind a link there may be a whole job. */
async function resultIn(place: Place, places: Places): Promise<Place | null> {
  if (place.itself !== 'link') return place.itself === undefined ? null : place;
  const real = await places.realPath(place.path);
  if (real === undefined) return null;
  const behind = await places.lookAt(real);
  return (await jobIn(behind, places)) ?? behind;
}

function candidates(reference: string, folders: readonly string[]): readonly string[] {
  const plain = IS_NORMAL.test(reference) ? reference : normalised(reference);
  if (path.isAbsolute(plain)) return [plain];
  // "Below" a folder of jobs means below it.
  if (plain === '.' || plain === '..' || plain.startsWith(`..${path.sep}`)) return [];
  return folders.map((folder) => path.join(folder, plain));
}

/** Nothing that normalising would change, as in nearly every reference. */
const IS_NORMAL = /^\/(?:[^/.][^/]*\/)*[^/.][^/]*$/;

function normalised(reference: string): string {
  const normal = path.normalize(reference);
  return normal.length > 1 && normal.endsWith(path.sep) ? normal.slice(0, -1) : normal;
}
