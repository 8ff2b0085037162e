// Looks at paths for the walk: what stands at a path and beside it. Many looks into one folder become one listing of it.

import * as path from 'node:path';
import type { EntryKind, Files } from '../world/types.ts';

/** A path with the links of its folder resolved, and what stands there; links at the path itself are told, not followed. */
export interface Place {
  readonly path: string;
  readonly itself: EntryKind | undefined;
  /** At `<path>.info` and `<path>.files`. */
  readonly info: EntryKind | undefined;
  readonly files: EntryKind | undefined;
}

export interface Places {
  /** What may not be looked at counts as not there. */
  lookAt(place: string): Promise<Place>;
  /** Whether something is there, behind a link too. */
  isThere(place: Place): Promise<boolean>;
  /** The path without any link; undefined when it leads nowhere. */
  realPath(place: string): Promise<string | undefined>;
}

type PlaceFiles = Pick<Files, 'stat' | 'entries' | 'kindAt' | 'realPath'>;

export function createPlaces(files: PlaceFiles): Places {
  const folders = new Map<string, Folder>();
  const realPath = (place: string) => quietly(() => files.realPath(place));
  return {
    async lookAt(place) {
      const name = path.dirname(place);
      let folder = folders.get(name);
      if (folder === undefined) {
        folder = createFolder((await realPath(name)) ?? name, files);
        folders.set(name, folder);
      }
      return folder(path.basename(place));
    },
    async isThere({ path: place, itself }) {
      if (itself !== 'link') return itself !== undefined;
      return (await quietly(() => files.stat(place))) !== undefined;
    },
    realPath,
  };
}

/** Looks at one name in a folder. */
type Folder = (name: string) => Promise<Place>;

/** As many names are looked at one by one before the folder is listed: a small walk must not pay for a huge folder. */
const LOOKS = 60;

function createFolder(folder: string, files: PlaceFiles): Folder {
  const inside = folder.endsWith(path.sep) ? folder : folder + path.sep;
  let looks = 0;
  let listed: Listing | undefined;
  const kindAt = (place: string) => quietly(() => files.kindAt(place));
  return async (name) => {
    const place = inside + name;
    if (listed === undefined && ++looks > LOOKS) {
      const entries = await quietly(() => files.entries(folder));
      listed = entries && listingOf(entries);
    }
    if (listed !== undefined) return placeIn(listed, place, name);
    const itself = await kindAt(place);
    return {
      path: place,
      itself,
      info: await kindAt(place + INFO),
      files: await kindAt(place + FILES),
    };
  };
}

const INFO = '.info';
const FILES = '.files';

interface Kinds {
  itself: EntryKind | undefined;
  info: EntryKind | undefined;
  files: EntryKind | undefined;
}

/** By the name of what they belong to: one look tells all three. Every name is also one by itself. */
type Listing = ReadonlyMap<string, Kinds>;

function listingOf(
  entries: readonly { readonly name: string; readonly kind: EntryKind }[],
): Listing {
  const listing = new Map<string, Kinds>();
  const at = (name: string): Kinds => {
    const known = listing.get(name);
    if (known !== undefined) return known;
    const made = { itself: undefined, info: undefined, files: undefined };
    listing.set(name, made);
    return made;
  };
  for (const { name, kind } of entries) {
    at(name).itself = kind;
    if (name.endsWith(INFO)) at(name.slice(0, -INFO.length)).info = kind;
    else if (name.endsWith(FILES)) at(name.slice(0, -FILES.length)).files = kind;
  }
  return listing;
}

function placeIn(listing: Listing, place: string, name: string): Place {
  const kinds = listing.get(name);
  return { path: place, itself: kinds?.itself, info: kinds?.info, files: kinds?.files };
}

/** Undefined in place of a failure: what may not be looked at is as good as not there, until it has to be read. */
async function quietly<T>(look: () => Promise<T>): Promise<T | undefined> {
  try {
    return await look();
  } catch {
    return undefined;
  }
}
