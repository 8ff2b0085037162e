// Folds nodes of a drawing that say the same into one, in steps that each give up a little more, until few enough are left.

import type { ProvenanceNode } from '../types/graph.ts';
import type { ArrowName } from './arrows.ts';
import { chainKeys } from './chains.ts';
import { bordersOf, familyOf } from './families.ts';
import { groupBy, numbering } from './grouping.ts';
import type { Selection } from './selection.ts';
import { statusOf } from './status.ts';
import type { ShownNode } from './visible.ts';

/** Nodes that are drawn as one. Never empty. */
export interface Group {
  readonly members: readonly [ShownNode, ...ShownNode[]];
  readonly isRoot: boolean;
  /** Its members follow each other. */
  readonly isChain: boolean;
}

export interface GroupArrow {
  readonly from: number;
  readonly to: number;
  readonly name: ArrowName | undefined;
  readonly count: number;
}

export interface Folded {
  readonly groups: readonly Group[];
  /** Between numbers of groups. */
  readonly arrows: readonly GroupArrow[];
  /** Which nodes became one, for the caption; undefined when nothing was folded. */
  readonly rule: string | undefined;
  /** Which step was needed: to go further, ask for the next one. */
  readonly step: number;
}

/** More roots than this are folded like other nodes. */
const MOST_ROOTS = 20;

/** More nodes than this are folded, unless another number is asked for. */
const MOST_NODES = 500;

export interface FoldOptions {
  /** Without it the middles of long chains are folded, too, however few nodes there are. */
  readonly maxNodes?: number;
  readonly roots: readonly ShownNode[];
  /** The first step that may be taken. */
  readonly from?: number;
}

/** What has to be folded is folded until it can be taken in, not only until it can be drawn. */
const MOST_FOLDED = 120;

/** The first step whose result is small enough; the last one in any case. */
export function fold(selection: Selection, options: FoldOptions): Folded {
  const { maxNodes = MOST_NODES, roots, from = 0 } = options;
  const apart = new Set(roots.length > MOST_ROOTS ? [] : roots);
  const isFew = selection.nodes.length <= maxNodes;
  let fitting: Folded | undefined;
  for (const [step, { rule, keys }] of STEPS.entries()) {
    if (step < from) continue;
    const isLast = step === STEPS.length - 1;
    if (isLast && fitting !== undefined) break;
    const isChain = keys === chainKeys;
    const found = keys(selection, apart);
    if (found === undefined) continue;
    const folded = { ...grouped(selection, found, { apart, isChain }), rule, step };
    const size = folded.groups.length;
    const hasChains = rule === undefined && options.maxNodes === undefined && isFew;
    if (hasChains && chainKeys(selection, apart) !== undefined) continue;
    const isWhole = rule === undefined || (isChain && isFew);
    if (isLast || size <= Math.min(maxNodes, isWhole ? maxNodes : MOST_FOLDED)) return folded;
    if (size <= maxNodes) fitting ??= folded;
  }
  if (fitting === undefined) throw new Error('no step is left');
  return fitting;
}

/** Undefined when there is nothing for a step to fold. */
type Keys = (
  selection: Selection,
  apart: ReadonlySet<ShownNode>,
) => ReadonlyMap<ShownNode, string> | undefined;

const statusWord = (node: ProvenanceNode): string => statusOf(node)?.word ?? '';

const familyKey = (node: ProvenanceNode): string =>
  `${node.kind} ${familyOf(node)} ${statusWord(node)}`;

const STEPS: readonly { readonly rule: string | undefined; readonly keys: Keys }[] = [
  { rule: undefined, keys: ({ nodes }) => new Map(nodes.map((node) => [node, `${node.index}`])) },
  { rule: 'the middle of each long chain is one ×N', keys: chainKeys },
  { rule: alike('task or agent, status and neighbours'), keys: byNeighbours },
  { rule: alike('task or agent, status, and what uses them'), keys: byUse },
  { rule: alike('task or agent, and status'), keys: keyed(familyKey) },
  { rule: alike('task or agent (all but the largest), and status'), keys: byLargest },
  { rule: alike('kind and status'), keys: keyed((node) => `${node.kind} ${statusWord(node)}`) },
];

function alike(what: string): string {
  return `those alike in ${what} are one ×N`;
}

/** The number of steps. */
export const FOLD_STEPS = STEPS.length;

const rootKey = ({ index }: ShownNode): string => `root ${index}`;

function keyed(keyOf: (node: ProvenanceNode) => string) {
  return ({ nodes }: Selection, apart: ReadonlySet<ShownNode>): ReadonlyMap<ShownNode, string> =>
    new Map(nodes.map((node) => [node, apart.has(node) ? rootKey(node) : keyOf(node.node)]));
}

/** So many families stand for themselves when there are too many for that. */
const MOST_FAMILIES = 40;

function byLargest(
  selection: Selection,
  apart: ReadonlySet<ShownNode>,
): ReadonlyMap<ShownNode, string> {
  const families = [...groupBy(selection.nodes, ({ node }) => familyKey(node))];
  // Sorting keeps the order of the walk among those of the same size.
  const largest = new Set(
    families
      .sort(([, one], [, other]) => other.length - one.length)
      .slice(0, MOST_FAMILIES)
      .map(([key]) => key),
  );
  const keyOf = (node: ProvenanceNode): string =>
    largest.has(familyKey(node)) ? familyKey(node) : `${node.kind} ${statusWord(node)}`;
  return keyed(keyOf)(selection, apart);
}

/** Nodes of a family with the same neighbours, and again as long as that makes neighbours the same. */
function byNeighbours(
  selection: Selection,
  apart: ReadonlySet<ShownNode>,
): ReadonlyMap<ShownNode, string> {
  const { nodes, arrows } = selection;
  let names = new Map(nodes.map((node) => [node, node.index]));
  for (let size = nodes.length + 1; ; ) {
    const around = new Map(nodes.map((node) => [node, new Set<string>()]));
    for (const { from, to, name } of arrows) {
      around.get(from)?.add(`> ${name} ${names.get(to)}`);
      around.get(to)?.add(`< ${name} ${names.get(from)}`);
    }
    const numbers = numbering();
    const next = new Map<ShownNode, number>();
    for (const node of nodes) {
      const border = bordersOf(node.node).at(-1)?.key ?? '';
      const neighbours = [...(around.get(node) ?? [])].sort().join('\0');
      const key = apart.has(node)
        ? rootKey(node)
        : [familyKey(node.node), node.node.kind === 'job' ? '' : border, neighbours].join('\0');
      next.set(node, numbers.of(key));
    }
    names = next;
    if (numbers.count() >= size) break;
    size = numbers.count();
  }
  return new Map([...names].map(([node, number]) => [node, String(number)]));
}

/** Nodes of a family whose first users are in one group: the shape below the roots stays, whatever its width. */
function byUse(
  { nodes }: Selection,
  apart: ReadonlySet<ShownNode>,
): ReadonlyMap<ShownNode, string> {
  const keys = new Map<ShownNode, string>();
  const numbers = numbering();
  // Nodes stand in the order of the walk, so that users mostly come first.
  for (const node of nodes) {
    const user = node.parent === undefined ? undefined : keys.get(node.parent.from);
    const key = `${user ?? ''}\0${familyKey(node.node)}`;
    keys.set(node, apart.has(node) ? rootKey(node) : String(numbers.of(key)));
  }
  return keys;
}

function grouped(
  { nodes, arrows }: Selection,
  keys: ReadonlyMap<ShownNode, string>,
  { apart, isChain }: { readonly apart: ReadonlySet<ShownNode>; readonly isChain: boolean },
): Pick<Folded, 'groups' | 'arrows'> {
  const members = [...groupBy(nodes, (node) => keys.get(node) ?? '').values()];
  const numberOf = new Map(members.flatMap((each, number) => each.map((node) => [node, number])));
  const found = new Map<string, { -readonly [K in keyof GroupArrow]: GroupArrow[K] }>();
  for (const { from, to, name, count } of arrows) {
    const start = numberOf.get(from);
    const end = numberOf.get(to);
    if (start === undefined || end === undefined || start === end) continue;
    const key = `${start} ${end} ${name}`;
    const known = found.get(key);
    if (known === undefined) found.set(key, { from: start, to: end, name, count });
    else known.count += count;
  }
  return {
    groups: members.map((each) => ({
      members: each,
      isRoot: each.some((node) => apart.has(node)),
      isChain: isChain && each.length > 1,
    })),
    arrows: [...found.values()],
  };
}
