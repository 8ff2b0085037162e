// Which nodes of a view are drawn: those near enough to the roots, and of the kinds that were asked for. The others are counted.

import { type ArrowName, arrowOf } from './arrows.ts';
import { groupBy } from './grouping.ts';
import { taskName } from './labels.ts';
import { statusOf } from './status.ts';
import type { Shown, ShownNode } from './visible.ts';

export interface SelectionOptions {
  /** Steps from the roots; default: all. */
  readonly depth?: number;
  /** `job`, `chat`, `failed`, a workflow, or `Workflow/task`; a node is drawn when one of them fits, and roots always. */
  readonly only?: readonly string[];
}

export interface SelectedArrow {
  readonly from: ShownNode;
  readonly to: ShownNode;
  /** Undefined: through nodes that are not drawn. */
  readonly name: ArrowName | undefined;
  readonly count: number;
}

export interface Selection {
  readonly nodes: readonly ShownNode[];
  readonly arrows: readonly SelectedArrow[];
  /** Nodes left out because they are too far, and because they were not asked for. */
  readonly tooDeep: number;
  readonly notAsked: number;
}

export function select(shown: Shown, { depth, only = [] }: SelectionOptions): Selection {
  const near = depth === undefined ? new Set(shown.nodes) : within(shown, depth);
  const roots = new Set(shown.roots);
  const isAsked = (node: ShownNode): boolean =>
    only.length === 0 || roots.has(node) || only.some((word) => fits(node, word));
  const kept = new Set([...near].filter(isAsked));
  const arrows = shown.edges
    .filter(({ from, to }) => near.has(from) && near.has(to))
    .map((edge): SelectedArrow => {
      const { start, end, name } = arrowOf(edge);
      return { from: start, to: end, name, count: edge.count };
    });
  return {
    nodes: shown.nodes.filter((node) => kept.has(node)),
    arrows: kept.size === near.size ? arrows : bridged(arrows, kept),
    tooDeep: shown.nodes.length - near.size,
    notAsked: near.size - kept.size,
  };
}

function within({ roots }: Shown, depth: number): ReadonlySet<ShownNode> {
  const found = new Set(roots);
  let edge = [...roots];
  for (let step = 0; step < depth && edge.length > 0; step++) {
    const next: ShownNode[] = [];
    for (const { out } of edge)
      for (const { to } of out) {
        if (found.has(to)) continue;
        found.add(to);
        next.push(to);
      }
    edge = next;
  }
  return found;
}

/** Words that no node fits: most likely they were mistyped. */
export const unfitting = (
  nodes: readonly ShownNode[],
  only: readonly string[],
): readonly string[] =>
  only.filter((word) => !KINDS.has(word) && !nodes.some((node) => fits(node, word)));

/** Words that may well fit nothing. */
const KINDS: ReadonlySet<string> = new Set(['job', 'chat', 'failed']);

function fits({ node }: ShownNode, word: string): boolean {
  if (word === node.kind) return true;
  if (word === 'failed') return statusOf(node)?.kind === 'failed';
  return node.kind === 'job' && (word === node.facts.workflow || word === taskName(node.facts));
}

/** So many steps are made to find ways through nodes that are left out; a picture shows far fewer. */
const MOST_STEPS = 1_000_000;

/** Arrows between kept nodes, and one wherever data gets from one to the other through nodes that are not. */
function bridged(
  arrows: readonly SelectedArrow[],
  kept: ReadonlySet<ShownNode>,
): readonly SelectedArrow[] {
  const direct = arrows.filter(({ from, to }) => kept.has(from) && kept.has(to));
  const next = groupBy(arrows, ({ from }) => from);
  const after = (node: ShownNode) => (next.get(node) ?? []).map(({ to }) => to);
  const linked = new Set(direct.map(({ from, to }) => `${from.index} ${to.index}`));
  const found: SelectedArrow[] = [];
  let steps = 0;
  for (const start of kept) {
    const seen = new Set<ShownNode>();
    const waiting = after(start).filter((node) => !kept.has(node));
    for (let node = waiting.pop(); node !== undefined && steps < MOST_STEPS; node = waiting.pop()) {
      if (seen.has(node)) continue;
      seen.add(node);
      for (const to of after(node)) {
        steps++;
        if (!kept.has(to)) waiting.push(to);
        else if (to !== start && !linked.has(`${start.index} ${to.index}`)) {
          linked.add(`${start.index} ${to.index}`);
          found.push({ from: start, to, name: undefined, count: 1 });
        }
      }
    }
  }
  return [...direct, ...found];
}
