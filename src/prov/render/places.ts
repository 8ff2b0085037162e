// Addresses as people read them: the shortest end of the path that names one file, then the place in it.

import * as path from 'node:path';
import type { Address } from '../types/places.ts';
import { groupBy } from './grouping.ts';

/** Names each path by as many of its last parts as tell it from the others; with `long`, whole. */
export function placeNames(paths: Iterable<string>, long: boolean): (place: string) => string {
  if (long) return (place) => place;
  const names = new Map<string, string>();
  let open: readonly string[] = [...new Set(paths)];
  for (let parts = 1; open.length > 0; parts++) {
    const groups = groupBy(open, (place) => endOf(place, parts));
    for (const [name, group] of groups) if (group.length === 1) names.set(group[0], name);
    open = [...groups.values()].filter((group) => group.length > 1).flat();
  }
  return (place) => names.get(place) ?? place;
}

function endOf(place: string, parts: number): string {
  const all = place.split(path.sep);
  return parts >= all.length ? place : all.slice(-parts).join(path.sep);
}

/** `base:index[key,entry]`. */
export function addressName(
  [place, index, key, entry]: Address,
  nameOf: (place: string) => string,
): string {
  if (index === undefined) return nameOf(place);
  return `${nameOf(place)}:${index}${key === undefined ? '' : `[${key},${entry}]`}`;
}
