// Puts things together by what they have in common, in the order in which they came.

/** Things by key. */
export function groupBy<Thing, Key>(
  things: Iterable<Thing>,
  keyOf: (thing: Thing) => Key,
): Map<Key, [Thing, ...Thing[]]> {
  const groups = new Map<Key, [Thing, ...Thing[]]>();
  for (const thing of things) {
    const key = keyOf(thing);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [thing]);
    else group.push(thing);
  }
  return groups;
}

/** Numbers keys from 0 on: equal ones alike. */
export function numbering(): {
  readonly of: (key: string) => number;
  readonly count: () => number;
} {
  const numbers = new Map<string, number>();
  return {
    of(key) {
      const known = numbers.get(key);
      if (known !== undefined) return known;
      numbers.set(key, numbers.size);
      return numbers.size - 1;
    },
    count: () => numbers.size,
  };
}
