// The tree: what was made from what, with the tokens of each node. What appears again is named and not opened again.

import type { TokenTotal } from '../types/tokens.ts';
import { callsOf, callsText } from './calls.ts';
import { type LabelOptions, label } from './labels.ts';
import { counted, shortTotal } from './numbers.ts';
import { type Page, type Piece, row } from './rows.ts';
import { type Status, statusOf } from './status.ts';
import type { Shown, ShownEdge, ShownNode } from './visible.ts';

export interface TreeOptions extends LabelOptions {
  /** Tokens of a node itself, or of everything that can be reached from it. */
  readonly tokens: 'direct' | 'aggregate';
  /** Levels below the roots; default: all. */
  readonly depth?: number;
  /** More about the cost of a node, behind its tokens. */
  readonly cost?: (node: ShownNode, tokens: TreeOptions['tokens']) => string;
  /** The sum of events of a node's receipts. */
  readonly sum: (events: ReturnType<Shown['eventsOf']>['told']) => TokenTotal;
}

/** Rows of the tree, made one by one: the first is there before the last is thought of. */
export function* tree(shown: Shown, options: TreeOptions, page: Page): Generator<string> {
  const seen = new Set<ShownNode>();
  for (const root of orderedRoots(shown)) {
    if (seen.has(root)) continue;
    yield* below({ node: root, edge: undefined }, seen, shown, options, page);
  }
}

/** Roots that nothing leads to first, so that each root stands where it belongs, and only there. */
function* orderedRoots({ roots, nodes }: Shown): Generator<ShownNode> {
  const reached = new Set<ShownNode>();
  for (const { out } of nodes) for (const { to } of out) reached.add(to);
  for (const root of roots) if (!reached.has(root)) yield root;
  // Roots in a ring lead to each other; the others were shown by now.
  yield* roots;
}

interface Place {
  readonly node: ShownNode;
  readonly edge: ShownEdge | undefined;
}

/** What will be a row: a node with all that is below it, or words. */
interface Waiting {
  readonly what: Place | string;
  readonly guide: string;
  readonly next: string;
  readonly level: number;
}

/** Deeper levels are told by a number: the bars of a long chain would be longer than all that they lead to. */
const DEEPEST_BARS = 24;

function* below(
  root: Place,
  seen: Set<ShownNode>,
  shown: Shown,
  options: TreeOptions,
  page: Page,
): Generator<string> {
  const waiting: Waiting[] = [{ what: root, guide: '', next: '', level: 0 }];
  for (let place = waiting.pop(); place !== undefined; place = waiting.pop()) {
    const { what, guide, next, level } = place;
    const lead: Piece = { text: guide, mark: 'faint' };
    if (typeof what === 'string') {
      yield row([lead, { text: what, mark: 'faint' }], page);
      continue;
    }
    const again = seen.has(what.node);
    yield row([lead, ...nodePieces(what, again, options)], page);
    if (again) continue;
    seen.add(what.node);
    const children = childrenOf(what.node, level, shown, options);
    for (let index = children.length - 1; index >= 0; index--) {
      const child = children[index];
      if (child === undefined) continue;
      const lines = guides(next, level + 1, index === children.length - 1);
      waiting.push({ what: child, level: level + 1, ...lines });
    }
  }
}

function childrenOf(
  node: ShownNode,
  level: number,
  shown: Shown,
  options: TreeOptions,
): readonly (Place | string)[] {
  const receipts = receiptsText(node, shown, options);
  const isCut = options.depth !== undefined && level >= options.depth;
  const more = isCut && node.out.length > 0 ? [`… ${placesBelow(node).length} below`] : [];
  const places = isCut ? more : placesBelow(node);
  return receipts === undefined ? places : [receipts, ...places];
}

/** Each child once; one that a receipt also tells of is delegated. */
function placesBelow({ out }: ShownNode): readonly Place[] {
  const edges = new Map<ShownNode, ShownEdge>();
  for (const edge of out)
    if (!edges.has(edge.to) || edge.relation === 'agent_job') edges.set(edge.to, edge);
  return [...edges].map(([node, edge]) => ({ node, edge }));
}

function guides(before: string, level: number, isLast: boolean): { guide: string; next: string } {
  if (level > DEEPEST_BARS) return { guide: `${before}(level ${level}) `, next: before };
  return {
    guide: `${before}${isLast ? '└─ ' : '├─ '}`,
    next: `${before}${isLast ? '   ' : '│  '}`,
  };
}

function nodePieces({ node, edge }: Place, again: boolean, options: TreeOptions): Piece[] {
  const { cost, tokens } = options;
  const price = cost?.(node, tokens);
  const status = statusOf(node.node);
  const calls = callsText(callsOf(node.chats));
  return [
    { text: `${kindOf(node, edge)} `, mark: 'faint' },
    { text: shortTotal(node.totals[tokens]), mark: 'strong' },
    ...(price === undefined ? [] : [{ text: ` ${price}` }]),
    { text: ' ' },
    { text: label(node.node, edge?.from.node, options), gives: true },
    ...statusPieces(status),
    ...(calls === undefined ? [] : [{ text: ` [${calls}]`, mark: 'strong' } as const]),
    ...(again ? [{ text: ' (seen)', mark: 'faint' } as const] : []),
  ];
}

const kindOf = ({ node }: ShownNode, edge: ShownEdge | undefined): string =>
  edge?.relation === 'agent_job' ? 'delegated-job' : node.kind;

const statusPieces = (status: Status | undefined): Piece[] =>
  status === undefined ? [] : [{ text: ` [${status.word}]`, mark: 'strong' }];

/** `delegated receipt: 2 events, total=160, ask, summon`, for a node in which receipts stand. */
function receiptsText(node: ShownNode, shown: Shown, { sum }: TreeOptions): string | undefined {
  const receipts = node.chats.flatMap((chat) =>
    chat.kind === 'chat' ? (chat.facts?.receipts ?? []) : [],
  );
  if (receipts.length === 0) return undefined;
  const { told } = shown.eventsOf(node);
  const tools = [...new Set(receipts.flatMap(({ call }) => call.tool ?? []))];
  const parts = [counted(told.length, 'event'), `total=${shortTotal(sum(told))}`, ...tools];
  return `delegated receipt: ${parts.join(', ')}`;
}
