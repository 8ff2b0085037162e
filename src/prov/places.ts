// Looks at paths for the walk: what stands at a path and beside it. Many looks into one folder become one listing of it.

import * as path from 'node:path';
import type { EntryKind, Files, FolderEntry } from '../world/types.ts';

/** A path with the links of its folder resolved, and what stands there; links at the path itself are told, not followed. */
export interface Place {
  readonly path: string;
  readonly itself: EntryKind | undefined;
  /** At `<path>.info` and `<path>.files`. */
  readonly info: EntryKind | undefined;
  readonly files: EntryKind | undefined;
}

export interface Places {
  /** What may not be looked at counts as not there. The same object for each look at a path. */
  lookAt(place: string): Promise<Place>;
  /** What a look at this path, absolute and normal, gave before. */
  known(place: string): Place | undefined;
  /** Whether something is there, behind a link too. */
  isThere(place: Place): Promise<boolean>;
  /** The path without any link; undefined when it leads nowhere. */
  realPath(place: string): Promise<string | undefined>;
}

type PlaceFiles = Pick<Files, 'stat' | 'entries' | 'kindAt' | 'realPath'>;

export function createPlaces(files: PlaceFiles): Places {
  const folders = new Map<string, Folder>();
  const realPath = (place: string) => quietly(() => files.realPath(place));
  const folderAt = async (name: string): Promise<Folder> => {
    const known = folders.get(name);
    if (known !== undefined) return known;
    const real = (await realPath(name)) ?? name;
    const folder = folders.get(real) ?? createFolder(real, files);
    folders.set(real, folder);
    folders.set(name, folder);
    return folder;
  };
  return {
    known(place) {
      const slash = place.lastIndexOf(path.sep);
      return folders.get(place.slice(0, slash))?.known(place.slice(slash + 1));
    },
    async lookAt(place) {
      const folder = await folderAt(path.dirname(place));
      const name = path.basename(place);
      return folder.known(name) ?? folder.lookAt(name);
    },
    async isThere({ path: place, itself }) {
      if (itself !== 'link') return itself !== undefined;
      return (await quietly(() => files.stat(place))) !== undefined;
    },
    realPath,
  };
}

interface Folder {
  known(name: string): Place | undefined;
  lookAt(name: string): Promise<Place>;
}

/** As many names are looked at one by one before the folder is listed: a small walk must not pay for a huge folder. */
const LOOKS = 60;

function createFolder(folder: string, files: PlaceFiles): Folder {
  const inside = folder.endsWith(path.sep) ? folder : folder + path.sep;
  const places = new Map<string, Draft>();
  let isListed = false;
  const kindAt = (place: string) => quietly(() => files.kindAt(place));
  const add = (name: string, place: Draft): Place => {
    places.set(name, place);
    return place;
  };
  return {
    known: (name) => places.get(name),
    async lookAt(name) {
      if (!isListed && places.size >= LOOKS) {
        const entries = await quietly(() => files.entries(folder));
        isListed = entries !== undefined;
        if (entries !== undefined) addListed(places, inside, entries);
      }
      const known = places.get(name);
      if (known !== undefined) return known;
      const place = inside + name;
      if (isListed) return add(name, unseen(place, kindBeside(name, places)));
      const itself = await kindAt(place);
      const info = await kindAt(place + INFO);
      return add(name, { path: place, itself, info, files: await kindAt(place + FILES) });
    },
  };
}

const INFO = '.info';
const FILES = '.files';

type Draft = { -readonly [Field in keyof Place]: Place[Field] };

const unseen = (place: string, itself?: EntryKind): Draft => ({
  path: place,
  itself,
  info: undefined,
  files: undefined,
});

/** What a listing tells of each name and of what stands beside it. Entries are sorted, so that a name comes before those that begin with it. */
function addListed(
  places: Map<string, Draft>,
  inside: string,
  entries: readonly FolderEntry[],
): void {
  const at = (name: string): Draft => {
    const known = places.get(name);
    if (known !== undefined) return known;
    const made = unseen(inside + name, kindBeside(name, places));
    places.set(name, made);
    return made;
  };
  // What stands beside another is found there: a third of the names of a store is enough.
  for (const { name, kind } of entries)
    if (name.endsWith(INFO)) at(name.slice(0, -INFO.length)).info = kind;
    else if (name.endsWith(FILES)) at(name.slice(0, -FILES.length)).files = kind;
    else at(name).itself = kind;
}

/** What a listing told of a name that stands beside another. */
function kindBeside(name: string, places: ReadonlyMap<string, Place>): EntryKind | undefined {
  if (name.endsWith(INFO)) return places.get(name.slice(0, -INFO.length))?.info;
  return name.endsWith(FILES) ? places.get(name.slice(0, -FILES.length))?.files : undefined;
}

/** Undefined in place of a failure: what may not be looked at is as good as not there, until it has to be read. */
async function quietly<T>(look: () => Promise<T>): Promise<T | undefined> {
  try {
    return await look();
  } catch {
    return undefined;
  }
}
