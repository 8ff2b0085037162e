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
import type { Version } from './seen.ts';
import { joining, type SharedPath, sharing } from './shared-paths.ts';
import type {
  Edge,
  Graph,
  Memory,
  NodeKind,
  ProvenanceNode,
  ReceiptDetail,
  Relation,
  Remembered,
} from './types.ts';

/** What was found, and the few observations that only the process itself can make again. */
export interface Snapshot extends Pick<Observations, 'holders' | 'alive'> {
  /** In the order of the graph. */
  readonly nodes: readonly (readonly [
    kind: NodeKind,
    ...path: SharedPath,
    facts: PackedChat | PackedJob | null,
  ])[];
  /** Numbers of nodes. */
  readonly roots: readonly number[];
  readonly edges: readonly (readonly [
    from: number,
    to: number,
    relation: number,
    flags: number,
    detail?: ReceiptDetail,
  ])[];
  readonly troubles: readonly Trouble[];
}

const RELATIONS: readonly Relation[] = ['job', 'agent_job', 'log', 'dependency', 'result'];
const FIRST = 1;
const OWN = 2;

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
  const share = sharing();
  return {
    nodes: graph.nodes.map((node) => [node.kind, ...share(node.path), factsOf(node)]),
    roots: graph.roots.map(numberOf),
    edges: graph.edges.map(({ from, to, relation, first, own, detail }) => {
      const flags = (first ? FIRST : 0) | (own ? OWN : 0);
      const plain = [numberOf(from), numberOf(to), RELATIONS.indexOf(relation), flags] as const;
      return detail === null ? plain : ([...plain, detail] as const);
    }),
    troubles: troubles.map(({ cause: _, ...rest }) => rest),
    holders,
    alive,
  };
}

export function unpack({ nodes: packed, roots, edges, troubles }: Snapshot): Finished {
  const whole = joining();
  const paths = packed.map(([, shared, rest]) => whole(shared, rest));
  const nodes = packed.map(([kind, , , facts], index): ProvenanceNode => {
    const path = paths[index] ?? '';
    if (kind === 'job') return { kind, path, facts: unpackJob(facts as PackedJob, paths) };
    return { kind, path, facts: facts === null ? undefined : unpackChat(facts as PackedChat) };
  });
  const graph = { nodes, roots: roots.flatMap(nodeAt), edges: edges.flatMap(edgeOf) };
  return { graph, troubles };

  function nodeAt(number: number): ProvenanceNode[] {
    const node = nodes[number];
    return node === undefined ? [] : [node];
  }

  function edgeOf([start, end, code, flags, receipt]: Snapshot['edges'][number]): Edge[] {
    const detail = receipt ?? null;
    const from = nodes[start];
    const to = nodes[end];
    const relation = RELATIONS[code];
    if (from === undefined || to === undefined || relation === undefined) return [];
    return [{ from, to, relation, first: (flags & FIRST) !== 0, own: (flags & OWN) !== 0, detail }];
  }
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
    const [size, modified, inode] = version;
    rows.set(path, { size, modified, inode, facts });
  }
  return { recall: (path) => rows.get(path) };
}
