// Paths as what they share with the path before: stores have long paths that begin alike. In columns, since many small lists cost more to
// read than a few long ones.

export interface PackedPaths {
  /** For each path how many characters of the one before it begins with. */
  readonly shared: readonly number[];
  /** What stands behind them. */
  readonly rest: readonly string[];
}

export function packPaths(paths: readonly string[]): PackedPaths {
  const shared: number[] = [];
  const rest: string[] = [];
  let before = '';
  for (const path of paths) {
    let same = 0;
    while (same < path.length && path[same] === before[same]) same++;
    shared.push(same);
    rest.push(path.slice(same));
    before = path;
  }
  return { shared, rest };
}

export function unpackPaths({ shared, rest }: PackedPaths): readonly string[] {
  let before = '';
  return rest.map((text, index) => {
    before = before.slice(0, shared[index]) + text;
    return before;
  });
}
