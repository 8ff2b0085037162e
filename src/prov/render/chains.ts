// Finds long chains in a drawing: nodes of which each has one arrow to it and one from it. One behind the other they would make a picture
// that is endless and says the same all along, so their middles are drawn as one node each.

import type { ProvenanceNode } from '../types/graph.ts';
import { callsOf, callsText } from './calls.ts';
import { bordersOf, familyOf } from './families.ts';
import { groupBy } from './grouping.ts';
import type { Selection } from './selection.ts';
import { statusOf } from './status.ts';
import type { ShownNode } from './visible.ts';

/** Shorter chains are drawn as they are. */
const LEAST = 24;
/** So many nodes at each end stay, so that it can be seen how a chain begins and ends. */
const ENDS = 2;

/** Equal keys for nodes that are to be one; undefined when there is no long chain. Nodes in `apart` are in no chain. */
export function chainKeys(
  selection: Selection,
  apart: ReadonlySet<ShownNode>,
): ReadonlyMap<ShownNode, string> | undefined {
  const folded = chainsOf(selection, apart).flatMap(longParts);
  if (folded.length === 0) return undefined;
  const keys = new Map(selection.nodes.map((node) => [node, String(node.index)]));
  for (const [number, part] of folded.entries())
    for (const node of part.slice(ENDS, -ENDS)) keys.set(node, `chain ${number}`);
  return keys;
}

type Chain = readonly ShownNode[];

/** Every chain whole, in the order of its arrows. A ring has no beginning and is none. */
function chainsOf({ nodes, arrows }: Selection, apart: ReadonlySet<ShownNode>): readonly Chain[] {
  const into = groupBy(arrows, ({ to }) => to);
  const outOf = groupBy(arrows, ({ from }) => from);
  const links = new Set(
    nodes.filter(
      (node) =>
        into.get(node)?.length === 1 &&
        outOf.get(node)?.length === 1 &&
        !apart.has(node) &&
        isOrdinary(node),
    ),
  );
  /** The link behind or before a link, if that is of the same kind. */
  const beside = (node: ShownNode, found: ShownNode | undefined): ShownNode | undefined =>
    found !== undefined && links.has(found) && found.node.kind === node.node.kind
      ? found
      : undefined;
  const before = (node: ShownNode) => beside(node, into.get(node)?.[0].from);
  const behind = (node: ShownNode) => beside(node, outOf.get(node)?.[0].to);
  return [...links]
    .filter((node) => before(node) === undefined)
    .map((start) => {
      const chain: ShownNode[] = [];
      for (let node: ShownNode | undefined = start; node !== undefined; node = behind(node))
        chain.push(node);
      return chain;
    });
}

/** What failed or is not done stays in sight. */
const isOrdinary = ({ node, chats }: ShownNode): boolean =>
  statusOf(node) === undefined && callsText(callsOf(chats)) === undefined;

/** What the nodes of a part have in common: as much as makes a part long. */
const COMMON: readonly ((node: ProvenanceNode) => string)[] = [
  familyOf,
  (node) => bordersOf(node).at(-1)?.key ?? '',
  () => '',
];

/** The long parts of a chain: by task or agent, else by workflow or society, else the chain itself. */
function longParts(chain: Chain): readonly Chain[] {
  if (chain.length < LEAST) return [];
  for (const commonOf of COMMON) {
    const parts: ShownNode[][] = [];
    for (const [index, node] of chain.entries()) {
      const last = chain[index - 1];
      const goesOn = last !== undefined && commonOf(last.node) === commonOf(node.node);
      if (goesOn) parts.at(-1)?.push(node);
      else parts.push([node]);
    }
    const long = parts.filter(({ length }) => length >= LEAST);
    if (long.length > 0) return long;
  }
  return [];
}
