// What views show of a graph: hidden chats become part of their job, edges that led to or from them lead to or from it.

import type { Edge, Provenance, ProvenanceNode } from '../types/graph.ts';
import type { Relation } from '../types/places.ts';
import type { NodeTotals, TokenEvent } from '../types/tokens.ts';
import { groupBy } from './grouping.ts';

export interface ShownNode {
  readonly node: ProvenanceNode;
  /** Its number in `Provenance.nodes`. */
  readonly index: number;
  readonly totals: NodeTotals;
  /** Where the walk came from first; undefined for a root. */
  readonly parent: ShownEdge | undefined;
  readonly out: readonly ShownEdge[];
  /** The chat itself, or what is hidden behind a job: its log and its result. */
  readonly chats: readonly ProvenanceNode[];
}

/** One for each (from, to, relation), however many receipts tell of it. Runs from the one that mentions to the one mentioned. */
export interface ShownEdge {
  readonly from: ShownNode;
  readonly to: ShownNode;
  readonly relation: Relation;
  /** So many edges are one here; what the copies of a conversation tell alike counts once. */
  readonly count: number;
}

export interface Shown {
  readonly roots: readonly ShownNode[];
  /** In the order of the walk. */
  readonly nodes: readonly ShownNode[];
  readonly edges: readonly ShownEdge[];
  readonly eventsOf: (node: ShownNode) => NodeEvents;
}

/** Events that a node records itself, and those that receipts in it tell of; each once, in their order. */
export interface NodeEvents {
  readonly own: readonly TokenEvent[];
  readonly told: readonly TokenEvent[];
}

export function visible(provenance: Provenance): Shown {
  const { nodes, roots, nodeTotals, hidden } = provenance;
  const owners = ownersOf(provenance);
  const shown = new Map<ProvenanceNode, Making>();
  for (const [index, node] of nodes.entries()) {
    const totals = nodeTotals[index];
    if (hidden.has(node) || totals === undefined) continue;
    const chats = node.kind === 'chat' ? [node] : [];
    shown.set(node, { node, index, totals, parent: undefined, out: [], chats });
  }
  for (const node of hidden)
    for (const owner of owners.get(node) ?? []) shown.get(owner)?.chats.push(node);
  const edges: ShownEdge[] = [];
  const rootSet = new Set(roots);
  const known = new Map<string, Counting>();
  for (const edge of provenance.edges)
    for (const [from, to] of endsOf(edge, owners)) {
      const start = shown.get(from);
      const end = shown.get(to);
      if (start === undefined || end === undefined || from === to) continue;
      const key = `${start.index} ${end.index} ${edge.relation}`;
      const before = known.get(key);
      if (before !== undefined) {
        countOnce(edge.from, before);
        continue;
      }
      const made: MakingEdge = { from: start, to: end, relation: edge.relation, count: 1 };
      known.set(key, { made, told: new Map([[edge.from, 1]]) });
      edges.push(made);
      start.out.push(made);
      if (end.parent === undefined && !rootSet.has(to)) end.parent = made;
    }
  return {
    roots: roots.flatMap((root) => shown.get(root) ?? []),
    nodes: [...shown.values()],
    edges,
    eventsOf: eventFinder(provenance),
  };
}

type Making = {
  -readonly [K in keyof ShownNode]: K extends 'out'
    ? MakingEdge[]
    : K extends 'chats'
      ? ProvenanceNode[]
      : ShownNode[K];
};
type MakingEdge = { -readonly [K in keyof ShownEdge]: ShownEdge[K] };

/** An edge, and how often each node that it stands for tells of it. */
interface Counting {
  readonly made: MakingEdge;
  readonly told: Map<ProvenanceNode, number>;
}

function countOnce(from: ProvenanceNode, { made, told }: Counting): void {
  const count = (told.get(from) ?? 0) + 1;
  told.set(from, count);
  made.count = Math.max(made.count, count);
}

type Owners = ReadonlyMap<ProvenanceNode, readonly ProvenanceNode[]>;

/** The jobs that stand for each hidden chat. */
function ownersOf({ edges, hidden }: Provenance): Owners {
  const owning = edges.filter(({ to, own }) => own && hidden.has(to));
  return new Map(
    [...groupBy(owning, ({ to }) => to)].map(([chat, found]) => [
      chat,
      [...new Set(found.map(({ from }) => from))],
    ]),
  );
}

function* endsOf(
  { from, to }: Edge,
  owners: Owners,
): Generator<readonly [ProvenanceNode, ProvenanceNode]> {
  for (const start of owners.get(from) ?? [from])
    for (const end of owners.get(to) ?? [to]) yield [start, end];
}

/** Looks up the events of nodes; the table is made when the first is asked for. */
function eventFinder({ events }: Provenance): Shown['eventsOf'] {
  let table: ReadonlyMap<string, EventNumbers> | undefined;
  return ({ chats }) => {
    table ??= eventNumbers(events);
    const known = table;
    const found = chats.flatMap(({ path }) => known.get(path) ?? []);
    const all = (lists: readonly (readonly number[])[]): TokenEvent[] =>
      [...new Set(lists.flat())]
        .sort((one, other) => one - other)
        .flatMap((each) => events[each] ?? []);
    return { own: all(found.map(({ own }) => own)), told: all(found.map(({ told }) => told)) };
  };
}

interface EventNumbers {
  readonly own: number[];
  readonly told: number[];
}

/** By the path of the chat that records or tells of them. */
function eventNumbers(events: readonly TokenEvent[]): ReadonlyMap<string, EventNumbers> {
  const byChat = new Map<string, EventNumbers>();
  for (const [number, { evidence }] of events.entries())
    for (const { source, origin } of evidence) {
      const found = byChat.get(source) ?? { own: [], told: [] };
      byChat.set(source, found);
      const list = origin === 'chat_meta' ? found.own : found.told;
      if (list.at(-1) !== number) list.push(number);
    }
  return byChat;
}
