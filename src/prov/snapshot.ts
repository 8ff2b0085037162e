// A finished walk as JSON and back: what it found, and what it saw of the world to find it.

import type { Observations, Version } from './observations.ts';
import type { Trouble } from './problems.ts';
import type {
  ChatFacts,
  Edge,
  Graph,
  JobFacts,
  Memory,
  NodeKind,
  ProvenanceNode,
  ReceiptDetail,
  Relation,
  Remembered,
} from './types.ts';

/** Paths are written as what they share with the path before: a number of characters, and the rest. */
type SharedPath = readonly [shared: number, rest: string];

export interface Snapshot {
  /** In the order of the graph. The version is that of the file that the facts come from. */
  readonly nodes: readonly (readonly [
    kind: NodeKind,
    ...path: SharedPath,
    version: Version | null,
    facts: ChatFacts | JobFacts | null,
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
  /** Files without a node, and the rest; undefined when something changed so lately that it could change again without showing. */
  readonly seen?: Omit<Observations, 'folders'> & {
    readonly folders: readonly (readonly [...path: SharedPath, version: Version | null])[];
  };
}

const RELATIONS: readonly Relation[] = ['job', 'agent_job', 'log', 'dependency', 'result'];
const FIRST = 1;
const OWN = 2;

export interface Finished {
  readonly graph: Graph;
  readonly troubles: readonly Trouble[];
  readonly observations: Observations;
}

/** `isOld` tells whether a file that changed at this time (ms) cannot have changed again without showing. */
export function pack(finished: Finished, isOld: (modified: number) => boolean): Snapshot {
  const { graph, troubles, observations } = finished;
  const versions = new Map(observations.files);
  const numbers = new Map(graph.nodes.map((node, index) => [node, index]));
  const numberOf = (node: ProvenanceNode): number => numbers.get(node) ?? -1;
  const share = sharing();
  const nodes = graph.nodes.map((node): Snapshot['nodes'][number] => {
    const file = fileOf(node);
    const version = versions.get(file) ?? null;
    versions.delete(file);
    const isKnown = version !== null && isOld(version[1]);
    return [node.kind, ...share(node.path), isKnown ? version : null, node.facts ?? null];
  });
  const snapshot = {
    nodes,
    roots: graph.roots.map(numberOf),
    edges: graph.edges.map(({ from, to, relation, first, own, detail }) => {
      const flags = (first ? FIRST : 0) | (own ? OWN : 0);
      const plain = [numberOf(from), numberOf(to), RELATIONS.indexOf(relation), flags] as const;
      return detail === null ? plain : ([...plain, detail] as const);
    }),
    troubles: troubles.map(({ cause: _, ...rest }) => rest),
  };
  const all = [...observations.files, ...observations.folders];
  if (!all.every(([, version]) => version === null || isOld(version[1]))) return snapshot;
  const shareFolder = sharing();
  return {
    ...snapshot,
    seen: {
      ...observations,
      files: [...versions],
      folders: observations.folders.map(([path, version]) => [...shareFolder(path), version]),
    },
  };
}

export function unpack({ nodes: packed, roots, edges, troubles, seen }: Snapshot): {
  readonly graph: Graph;
  readonly troubles: readonly Trouble[];
  /** Undefined when this walk cannot stand for another. */
  readonly observations: Observations | undefined;
} {
  const whole = joining();
  const files: (readonly [string, Version | null])[] = [];
  const nodes = packed.map(([kind, shared, rest, version, facts]): ProvenanceNode => {
    const path = whole(shared, rest);
    const node = { kind, path, facts: facts ?? undefined } as ProvenanceNode;
    // Facts without a file are of a job whose `.info` is gone: its folder tells.
    if (version !== null) files.push([fileOf(node), version]);
    return node;
  });
  const graph = { nodes, roots: roots.flatMap(nodeAt), edges: edges.flatMap(edgeOf) };
  const wholeFolder = joining();
  const observations = seen && {
    ...seen,
    files: [...files, ...seen.files],
    folders: seen.folders.map(
      ([shared, rest, version]) => [wholeFolder(shared, rest), version] as const,
    ),
  };
  return { graph, troubles, observations };

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
export function memoryOf({ nodes }: Snapshot): Memory {
  const rows = new Map<string, Remembered>();
  const whole = joining();
  for (const [kind, shared, rest, version, facts] of nodes) {
    const path = whole(shared, rest);
    if (version === null || facts === null || ('done' in facts && !facts.done)) continue;
    const [size, modified, inode] = version;
    rows.set(kind === 'chat' ? path : `${path}.info`, { size, modified, inode, facts });
  }
  return { recall: (path) => rows.get(path) };
}

const fileOf = ({ kind, path }: Pick<ProvenanceNode, 'kind' | 'path'>): string =>
  kind === 'chat' ? path : `${path}.info`;

function sharing(): (path: string) => SharedPath {
  let before = '';
  return (path) => {
    let shared = 0;
    while (shared < path.length && path[shared] === before[shared]) shared++;
    before = path;
    return [shared, path.slice(shared)];
  };
}

function joining(): (shared: number, rest: string) => string {
  let before = '';
  return (shared, rest) => {
    before = before.slice(0, shared) + rest;
    return before;
  };
}
