// What each node cost: by itself, and with everything that can be reached from it, each event once.

import { components } from './components.ts';
import { type EventSet, eventSet, sumOf, union } from './event-sets.ts';
import { addEvent, emptySum, NO_TOKENS, totalOf, unread } from './sums.ts';
import type { Graph, ProvenanceNode } from './types/graph.ts';
import type { NodeTotals, TokenEvent, TokenTotal } from './types/tokens.ts';

/**
 * Totals of every node, in the order of `graph.nodes`. Direct tokens of a chat are those that it records itself, receipts left out; of a job
 * those of its own log and its result. The aggregate of a node counts every event that it or anything reachable records, receipts too.
 */
export function nodeTotals(graph: Graph, events: readonly TokenEvent[]): NodeTotals[] {
  const numbers = new Map(graph.nodes.map((node, index) => [node, index]));
  const recorded = recordsOf(graph.nodes, events);
  const next = graph.nodes.map((): number[] => []);
  const direct = recorded.map(({ own }) => own);
  const lacking = graph.nodes.map(isUnread);
  const lackingItself = [...lacking];
  for (const { from, to, own } of graph.edges) {
    const start = numbers.get(from);
    const end = numbers.get(to);
    if (start === undefined || end === undefined) continue;
    next[start]?.push(end);
    if (own && lacking[end] === true) lackingItself[start] = true;
    const log = own ? recorded[end]?.own : undefined;
    if (log !== undefined && log.length > 0)
      direct[start] = [...new Set([...(direct[start] ?? []), ...log])];
  }
  const aggregates = aggregate(next, recorded, events, lacking);
  return graph.nodes.map((_, index) => {
    const own = totalOfSome(direct[index] ?? [], events);
    return {
      direct: lackingItself[index] === true ? unread(own) : own,
      aggregate: aggregates[index] ?? NO_TOKENS,
    };
  });
}

/** Whether it is a chat that could not be read, so that what it cost is not known. */
export const isUnread = ({ kind, facts }: ProvenanceNode): boolean =>
  kind === 'chat' && facts === undefined;

function totalOfSome(numbers: readonly number[], events: readonly TokenEvent[]): TokenTotal {
  const sum = emptySum();
  for (const number of numbers) {
    const event = events[number];
    if (event !== undefined) addEvent(sum, event);
  }
  return totalOf(sum);
}

interface Recorded {
  /** Numbers of events that a chat records itself. */
  readonly own: readonly number[];
  /** Those and the ones that its receipts tell of. */
  readonly all: readonly number[];
}

function recordsOf(
  nodes: readonly ProvenanceNode[],
  events: readonly TokenEvent[],
): readonly Recorded[] {
  const byPath = new Map<string, { own: number[]; all: number[] }>();
  const found = nodes.map(({ kind, path }) => {
    const recorded = { own: [], all: [] };
    if (kind === 'chat') byPath.set(path, recorded);
    return recorded;
  });
  for (const [number, { evidence }] of events.entries())
    for (const { source, origin } of evidence) {
      const recorded = byPath.get(source);
      if (recorded === undefined) continue;
      if (recorded.all.at(-1) !== number) recorded.all.push(number);
      if (origin === 'chat_meta' && recorded.own.at(-1) !== number) recorded.own.push(number);
    }
  return found;
}

/** The total of what each node can reach. Nodes come after what they lead to, so that each set is made of finished ones. */
function aggregate(
  next: readonly (readonly number[])[],
  recorded: readonly Recorded[],
  events: readonly TokenEvent[],
  lacking: readonly boolean[],
): readonly (TokenTotal | undefined)[] {
  const groups = components(next);
  const groupOf = new Int32Array(next.length);
  for (const [group, nodes] of groups.entries()) for (const node of nodes) groupOf[node] = group;
  const uses = usesOf(next, groupOf);
  const ranking = rank(groups, recorded, events);
  const sets: EventSet[] = [];
  const totals: TokenTotal[] = [];
  const lacks: boolean[] = [];
  for (const [group, nodes] of groups.entries()) {
    let set: EventSet;
    let isLacking = nodes.some((node) => lacking[node]);
    for (const node of nodes) set = eventSet(recorded[node]?.all ?? NONE, ranking.of, set);
    for (const node of nodes)
      for (const target of next[node] ?? []) {
        const other = groupOf[target] ?? 0;
        if (other === group) continue;
        set = union(set, sets[other]);
        isLacking ||= lacks[other] === true;
        uses[other] = (uses[other] ?? 0) - 1;
        if (uses[other] === 0) sets[other] = undefined;
      }
    sets.push(uses[group] === 0 ? undefined : set);
    lacks.push(isLacking);
    const sum = totalOf(sumOf(set, ranking.events));
    totals.push(isLacking ? unread(sum) : sum);
  }
  return next.map((_, node) => totals[groupOf[node] ?? 0]);
}

const NONE: readonly number[] = [];

/** How often the set of each group is asked for. After the last time it need not be kept. */
function usesOf(next: readonly (readonly number[])[], groupOf: Int32Array): Int32Array {
  const uses = new Int32Array(next.length);
  for (const [node, targets] of next.entries())
    for (const target of targets) {
      const group = groupOf[target] ?? 0;
      if (group !== groupOf[node]) uses[group] = (uses[group] ?? 0) + 1;
    }
  return uses;
}

/** Numbers events so that those of nodes near each other are near each other: then sets share the most. */
function rank(
  groups: readonly (readonly number[])[],
  recorded: readonly Recorded[],
  events: readonly TokenEvent[],
): { readonly events: readonly TokenEvent[]; readonly of: (event: number) => number } {
  const ranks = new Int32Array(events.length).fill(-1);
  const ordered: TokenEvent[] = [];
  for (const nodes of groups)
    for (const node of nodes)
      for (const number of recorded[node]?.all ?? []) {
        const event = events[number];
        if (event === undefined || ranks[number] !== -1) continue;
        ranks[number] = ordered.length;
        ordered.push(event);
      }
  return { events: ordered, of: (event) => ranks[event] ?? 0 };
}
