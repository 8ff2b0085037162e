// Groups the nodes of a directed graph so that each group comes after all that it leads to. Nodes that lead to each other are one group.

/**
 * Strongly connected components in the order in which they are complete: whatever a component leads to stands before it. `next` holds
 * the numbers that each node leads to. Linear, and without recursion: chains may be long.
 */
export function components(next: readonly (readonly number[])[]): number[][] {
  const found: number[][] = [];
  const order = new Int32Array(next.length).fill(UNSEEN);
  const lowest = new Int32Array(next.length);
  const position = new Int32Array(next.length);
  // Nodes met and in no component yet; and the path from where the search started to where it is.
  const waiting: number[] = [];
  const path: number[] = [];
  let count = 0;
  const enter = (node: number): void => {
    order[node] = lowest[node] = count++;
    waiting.push(node);
    path.push(node);
  };
  const lower = (node: number, value: number): void => {
    lowest[node] = Math.min(lowest[node] ?? 0, value);
  };
  for (let start = 0; start < next.length; start++) {
    if (order[start] === UNSEEN) enter(start);
    for (let node = path.at(-1); node !== undefined; node = path.at(-1)) {
      const at = position[node] ?? 0;
      const target = next[node]?.[at];
      if (target !== undefined) {
        position[node] = at + 1;
        const seen = order[target] ?? UNSEEN;
        if (seen === UNSEEN) enter(target);
        else if (seen !== DONE) lower(node, seen);
        continue;
      }
      path.pop();
      const low = lowest[node] ?? 0;
      const before = path.at(-1);
      if (before !== undefined) lower(before, low);
      if (low !== order[node]) continue;
      const component = waiting.splice(waiting.lastIndexOf(node));
      for (const each of component) order[each] = DONE;
      found.push(component);
    }
  }
  return found;
}

const UNSEEN = -1;
const DONE = -2;
