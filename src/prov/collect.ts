// Everything about some roots, read once: the graph, its events, totals and warnings. What every view and `prov/1` is made of.

import { type EventOptions, tokenEvents } from './events.ts';
import { isUnread, nodeTotals } from './node-totals.ts';
import type { Trouble } from './problems.ts';
import { findRoots } from './roots.ts';
import { type TimeRange, within } from './time.ts';
import { totals } from './totals.ts';
import type { Edge, Graph, Provenance, ProvenanceNode } from './types/graph.ts';
import type { NodeReference } from './types/places.ts';
import type { ProvPorts } from './types/ports.ts';
import type { ScopeTotals } from './types/tokens.ts';
import type { ProvenanceWarning } from './types/warnings.ts';
import { createWalk, type StepOptions, teller, type WalkOptions } from './walk.ts';
import { type IndexPorts, indexed } from './walk-index.ts';

export interface CollectOptions extends Pick<WalkOptions, 'follow'> {
  /** Count only events of these times. The graph stays whole. */
  readonly times?: TimeRange;
  /** Told each warning as it comes up; they are also in the result. */
  readonly warn?: (warning: ProvenanceWarning) => void;
  /** Throw a Failure at the first problem or conflict. */
  readonly strict?: boolean;
  /** Where walks are kept. */
  readonly index?: IndexPorts;
}

/** The provenance of paths as people give them: chats, jobs, folders. Each event counts once, from however many of them it is reached. */
export async function provenance(
  paths: readonly string[],
  ports: ProvPorts,
  options: CollectOptions = {},
): Promise<Provenance> {
  const warnings: ProvenanceWarning[] = [];
  const warn = (warning: ProvenanceWarning): void => {
    warnings.push(warning);
    options.warn?.(warning);
  };
  const tell =
    options.strict === true
      ? {}
      : { onError: ({ warning }: { warning: ProvenanceWarning }) => warn(warning) };
  const roots = await findRoots(paths, ports, tell.onError);
  const graph = await collect(roots, ports, { ...tell, ...options });
  const all = tokenEvents(graph.nodes, eventOptions(options, warn));
  const { events, ...leftOut } = within(all, options.times);
  return {
    ...graph,
    events,
    totals: graph.nodes.some(isUnread) ? lowerBounds(totals(events)) : totals(events),
    nodeTotals: nodeTotals(graph, events),
    hidden: hiddenNodes(graph),
    warnings,
    leftOut,
  };
}

/** Each says how much there is at least. */
const lowerBounds = (all: ScopeTotals): ScopeTotals => ({
  deduplicated_total: { ...all.deduplicated_total, unread: true },
  chat_evidence: { ...all.chat_evidence, unread: true },
  receipt_evidence: { ...all.receipt_evidence, unread: true },
  receipt_only: { ...all.receipt_only, unread: true },
});

const eventOptions = ({ strict }: CollectOptions, warn: EventOptions['warn']): EventOptions => ({
  ...(warn === undefined ? {} : { warn }),
  ...(strict === undefined ? {} : { strict }),
});

/** The whole walk as one value. With an index it is looked up there first, and kept there afterwards. */
export async function collect(
  roots: NodeReference | readonly NodeReference[],
  ports: ProvPorts,
  { follow, onError, index }: WalkOptions & { readonly index?: IndexPorts } = {},
): Promise<Graph> {
  const all = 'kind' in roots ? [roots] : roots;
  const tell = teller(onError);
  if (index === undefined) return gather(all, ports, { follow, tell });
  const { jobFolders, cwd } = ports;
  const { graph, troubles } = await indexed(
    { roots: all, follow, jobFolders, cwd },
    ports,
    index,
    async (recorded, saw) => {
      const troubles: Trouble[] = [];
      const keep = (trouble: Trouble) => void troubles.push(trouble);
      return { graph: await gather(all, recorded, { follow, tell: keep, saw }), troubles };
    },
  );
  for (const trouble of troubles) tell(trouble);
  return graph;
}

async function gather(
  from: readonly NodeReference[],
  ports: ProvPorts,
  options: Omit<StepOptions, 'visit'>,
): Promise<Graph> {
  const roots: ProvenanceNode[] = [];
  const nodes: ProvenanceNode[] = [];
  const edges: Edge[] = [];
  const visit = (node: ProvenanceNode, edge: Edge | null, first: boolean): void => {
    if (first) nodes.push(node);
    if (edge === null) roots.push(node);
    else edges.push(edge);
  };
  const walk = createWalk(from, ports, { ...options, visit });
  try {
    for (;;) {
      const step = walk.next();
      if (!(step === true || (await step))) return { roots, nodes, edges };
    }
  } finally {
    walk.end();
  }
}

/** Every edge that can be reached, in the order of discovery. */
export async function edges(
  roots: NodeReference | readonly NodeReference[],
  ports: ProvPorts,
  options: WalkOptions = {},
): Promise<readonly Edge[]> {
  return (await collect(roots, ports, options)).edges;
}

/**
 * Nodes whose cost is that of the job they belong to, and that views leave out for that reason: the chat that a job has as its result, and the log of
 * its own conversation. One that something else leads to as well, or that was asked for, is shown.
 */
export function hiddenNodes({ roots, edges }: Graph): ReadonlySet<ProvenanceNode> {
  const hidden = new Set<ProvenanceNode>();
  for (const { to, own } of edges) if (own) hidden.add(to);
  for (const { to, own } of edges) if (!own) hidden.delete(to);
  for (const root of roots) hidden.delete(root);
  return hidden;
}
