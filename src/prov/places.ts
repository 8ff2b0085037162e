// Looks at paths for the walk: what stands at a path and beside it. Many looks into one folder become one listing of it.

import * as path from 'node:path';
import type { EntryKind, FilesNow, FolderEntry } from '../world/types/files.ts';
import { quietly } from './quietly.ts';
import type { JobRead, Place } from './walk-types.ts';

export interface Places {
  /** What may not be looked at counts as not there. The same object for each look at a path. */
  lookAt(place: string): Place;
  /** What a look at this path, absolute and normal, gave before, or would give without looking. */
  known(place: string): Place | undefined;
  /** Whether something is there, behind a link too. */
  isThere(place: Place): boolean;
  /** The path without any link; undefined when it leads nowhere. */
  realPath(place: string): string | undefined;
}

type PlaceFiles = Pick<FilesNow, 'stat' | 'entries' | 'kindAt' | 'realPath'>;

type Draft = { -readonly [Field in keyof Place]: Place[Field] };

/** As many names are looked at one by one before the folder is listed: a small walk must not pay for a huge folder. */
const LOOKS = 24;

const INFO = '.info';
const FILES = '.files';

export function createPlaces(files: PlaceFiles): Places {
  const folders = new Map<string, Folder>();
  // By path, and by any other path at which somebody looked.
  const places = new Map<string, Place>();
  const realPath = (place: string) => quietly(() => files.realPath(place));
  const kindAt = (place: string) => quietly(() => files.kindAt(place));

  function folderAt(name: string): Folder {
    const known = folders.get(name);
    if (known !== undefined) return known;
    const found = realPath(name);
    const real = found ?? name;
    const folder = folders.get(real) ?? folderOf(real);
    // In a folder that cannot be reached there is nothing to be looked at.
    if (found === undefined) folder.isListed = true;
    folders.set(real, folder);
    folders.set(name, folder);
    return folder;
  }

  function lookIn(folder: Folder, name: string): Place {
    if (!folder.isListed && folder.looks >= LOOKS) {
      const entries = quietly(() => files.entries(folder.path));
      folder.isListed = entries !== undefined;
      if (entries !== undefined) addListed(places, folder.inside, entries);
    }
    const place = folder.inside + name;
    const known = places.get(place);
    if (known !== undefined) return known;
    folder.looks++;
    const made = folder.isListed
      ? placeAt(place, kindBeside(place, places))
      : placeAt(place, kindAt(place), kindAt(place + INFO), kindAt(place + FILES));
    places.set(place, made);
    return made;
  }

  return {
    known: (place) => places.get(place),
    lookAt(place) {
      const known = places.get(place);
      if (known !== undefined) return known;
      const found = lookIn(folderAt(path.dirname(place)), path.basename(place));
      if (found.path !== place) places.set(place, found);
      return found;
    },
    isThere({ path: place, itself }) {
      if (itself !== 'link') return itself !== undefined;
      return quietly(() => files.stat(place)) !== undefined;
    },
    realPath,
  };
}

/** A path and what stands at it and beside it. */
export function placeAt(
  place: string,
  itself?: EntryKind,
  info?: EntryKind,
  files?: EntryKind,
): Draft {
  return { path: place, itself, info, files, job: undefined as JobRead | undefined };
}

interface Folder {
  readonly path: string;
  /** The path as it stands before the names in it. */
  readonly inside: string;
  looks: number;
  isListed: boolean;
}

function folderOf(real: string): Folder {
  const inside = real.endsWith(path.sep) ? real : real + path.sep;
  return { path: real, inside, looks: 0, isListed: false };
}

/** What a listing tells of each name and of what stands beside it. Entries are sorted, so that a name comes before those that begin with it. */
function addListed(
  places: Map<string, Place>,
  inside: string,
  entries: readonly FolderEntry[],
): void {
  let last = '';
  let lastPlace: Draft | undefined;
  const at = (name: string): Draft => {
    if (name === last && lastPlace !== undefined) return lastPlace;
    const place = inside + name;
    const known = places.get(place);
    if (known !== undefined) return known;
    const made = placeAt(place, kindBeside(place, places));
    places.set(place, made);
    return made;
  };
  // What stands beside another is found there: a third of the names of a store is enough.
  for (const { name, kind } of entries)
    if (name.endsWith(INFO)) at(name.slice(0, -INFO.length)).info = kind;
    else if (name.endsWith(FILES)) at(name.slice(0, -FILES.length)).files = kind;
    else {
      lastPlace = at(name);
      lastPlace.itself = kind;
      last = name;
    }
}

/** What a listing told of a name that stands beside another. */
function kindBeside(place: string, places: ReadonlyMap<string, Place>): EntryKind | undefined {
  if (place.endsWith(INFO)) return places.get(place.slice(0, -INFO.length))?.info;
  return place.endsWith(FILES) ? places.get(place.slice(0, -FILES.length))?.files : undefined;
}
