// Paths as what they share with the path before: stores have long paths that begin alike.

/** A number of characters of the path before, and the rest. */
export type SharedPath = readonly [shared: number, rest: string];

/** Shortens paths, one after the other. */
export function sharing(): (path: string) => SharedPath {
  let before = '';
  return (path) => {
    let shared = 0;
    while (shared < path.length && path[shared] === before[shared]) shared++;
    before = path;
    return [shared, path.slice(shared)];
  };
}

/** Makes them whole again, in the same order. */
export function joining(): (shared: number, rest: string) => string {
  let before = '';
  return (shared, rest) => {
    before = before.slice(0, shared) + rest;
    return before;
  };
}
