// A finished walk as JSON and back, in two parts: what it found, and what it saw of the world to find it.

import type { Observations } from './observations.ts';
import {
  type PackedChat,
  type PackedJob,
  packChat,
  packJob,
  unpackChat,
  unpackJob,
} from './packed-facts.ts';
import type { Trouble } from './problems.ts';
import { type PackedPaths, packPaths, unpackPaths } from './shared-paths.ts';
import type { Edge, Graph, ProvenanceNode, ReceiptDetail } from './types/graph.ts';
import type { Relation } from './types/places.ts';
import type { Memory, Remembered, Version } from './types/ports.ts';

/** What was found, and the few observations that only the process itself can make again. */
export interface Snapshot extends Pick<Observations, 'holders' | 'alive'> {
  /** In the order of the graph, in columns. */
  readonly nodes: PackedPaths & {
    /** One letter for each. */
    readonly kinds: string;
    readonly facts: readonly (PackedChat | PackedJob | null)[];
  };
  /** Numbers of nodes. */
  readonly roots: readonly number[];
  /** Four numbers for each: of the node that it comes from, of that to which it leads, of its relation, and flags. */
  readonly edges: readonly number[];
  /** By the edge's number. */
  readonly details: readonly (readonly [edge: number, detail: ReceiptDetail])[];
  readonly troubles: readonly Trouble[];
}

const RELATIONS: readonly Relation[] = ['job', 'agent_job', 'log', 'dependency', 'result'];
const FIRST = 1;
const OWN = 2;
const CHAT = 'c';
const JOB = 'j';

export interface Finished {
  readonly graph: Graph;
  readonly troubles: readonly Trouble[];
}

export function pack(
  { graph, troubles }: Finished,
  { holders, alive }: Pick<Observations, 'holders' | 'alive'>,
): Snapshot {
  const numbers = new Map(graph.nodes.map((node, index) => [node, index]));
  const numberOf = (node: ProvenanceNode): number => numbers.get(node) ?? -1;
  const jobs = new Map<string, number>();
  for (const [index, { kind, path }] of graph.nodes.entries())
    if (kind === 'job') jobs.set(path, index);
  const factsOf = ({ kind, facts }: ProvenanceNode) => {
    if (kind === 'job') return packJob(facts, (path) => jobs.get(path));
    return facts === undefined ? null : packChat(facts);
  };
  return {
    nodes: {
      ...packPaths(graph.nodes.map(({ path }) => path)),
      kinds: graph.nodes.map(({ kind }) => (kind === 'chat' ? CHAT : JOB)).join(''),
      facts: graph.nodes.map(factsOf),
    },
    roots: graph.roots.map(numberOf),
    edges: packEdges(graph.edges, numberOf),
    details: graph.edges.flatMap(({ detail }, edge) =>
      detail === null ? [] : [[edge, detail] as const],
    ),
    troubles: troubles.map(({ cause: _, ...rest }) => rest),
    holders,
    alive,
  };
}

/** One after the other: a store has several for each of its jobs, and a list for each costs more than all else about it. */
function packEdges(
  edges: readonly Edge[],
  numberOf: (node: ProvenanceNode) => number,
): readonly number[] {
  const packed: number[] = [];
  for (const { from, to, relation, first, own } of edges) {
    const flags = (first ? FIRST : 0) | (own ? OWN : 0);
    packed.push(numberOf(from), numberOf(to), RELATIONS.indexOf(relation), flags);
  }
  return packed;
}

export function unpack({ nodes: packed, roots, edges, details, troubles }: Snapshot): Finished {
  const paths = unpackPaths(packed);
  const nodes = paths.map((path, index): ProvenanceNode => {
    const facts = packed.facts[index] ?? null;
    if (packed.kinds[index] === JOB)
      return { kind: 'job', path, facts: unpackJob(facts as PackedJob, paths) };
    return {
      kind: 'chat',
      path,
      facts: facts === null ? undefined : unpackChat(facts as PackedChat),
    };
  });
  const graph = {
    nodes,
    roots: roots.flatMap((number) => nodes[number] ?? []),
    edges: unpackEdges(edges, new Map(details), nodes),
  };
  return { graph, troubles };
}

function unpackEdges(
  numbers: readonly number[],
  details: ReadonlyMap<number, ReceiptDetail>,
  nodes: readonly ProvenanceNode[],
): readonly Edge[] {
  const edges: Edge[] = [];
  for (let at = 0; at < numbers.length; at += 4) {
    const from = nodes[numbers[at] ?? -1];
    const to = nodes[numbers[at + 1] ?? -1];
    const relation = RELATIONS[numbers[at + 2] ?? -1];
    const flags = numbers[at + 3] ?? 0;
    if (from === undefined || to === undefined || relation === undefined) continue;
    const detail = details.size === 0 ? null : (details.get(at / 4) ?? null);
    const first = (flags & FIRST) !== 0;
    edges.push({ from, to, relation, first, own: (flags & OWN) !== 0, detail });
  }
  return edges;
}

/** What is known of single files, for a walk that has to be made again. Jobs that were not done are looked at anew. */
export function memoryOf(
  { nodes }: Graph,
  versions: Iterable<readonly [path: string, version: Version | null]>,
): Memory {
  const known = new Map<string, unknown>();
  for (const { kind, path, facts } of nodes)
    if (facts !== undefined && !('done' in facts && !facts.done))
      known.set(kind === 'chat' ? path : `${path}.info`, facts);
  const rows = new Map<string, Remembered>();
  for (const [path, version] of versions) {
    const facts = known.get(path);
    if (version === null || facts === undefined) continue;
    rows.set(path, { version, facts });
  }
  return { recall: (path) => rows.get(path) };
}
