// The flow: numbered nodes, jobs in the order of their dependencies and then chats, and the arrows between them, with the data.

import type { TokenTotal } from '../types/tokens.ts';
import { arrowOf } from './arrows.ts';
import { callsOf, callsText } from './calls.ts';
import { type LabelOptions, label } from './labels.ts';
import { shortTotal } from './numbers.ts';
import { type Page, row } from './rows.ts';
import { statusOf } from './status.ts';
import type { Shown, ShownNode } from './visible.ts';

export interface FlowOptions extends LabelOptions {
  readonly cost?: (node: ShownNode, tokens: 'direct') => string;
}

/** Each node with the tokens that it used itself: added up over the nodes they are at least the whole. */
export function* flow(shown: Shown, options: FlowOptions, page: Page): Generator<string> {
  const nodes = inOrder(shown);
  const numbers = new Map(nodes.map((node, index) => [node, index + 1]));
  const width = String(nodes.length).length;
  const name = (node: ShownNode): string => `[${numbers.get(node)}]`;
  const tokens = columnOf(nodes.map(({ totals }) => totals.direct));
  for (const [index, node] of nodes.entries()) {
    const status = statusOf(node.node);
    const calls = callsText(callsOf(node.chats));
    const price = options.cost?.(node, 'direct');
    yield row(
      [
        { text: `${name(node).padStart(width + 2)} ` },
        { text: `${node.node.kind.padEnd(4)} `, mark: 'faint' },
        { text: `${tokens[index]}`, mark: 'strong' },
        ...(price === undefined ? [] : [{ text: ` ${price}` }]),
        { text: ' ' },
        { text: label(node.node, node.parent?.from.node, options), gives: true },
        ...(status === undefined ? [] : [{ text: ` [${status.word}]`, mark: 'strong' } as const]),
        ...(calls === undefined ? [] : [{ text: ` [${calls}]`, mark: 'strong' } as const]),
      ],
      page,
    );
  }
  if (shown.edges.length > 0) yield '\n';
  for (const edge of shown.edges) {
    const { start, end, name: relation } = arrowOf(edge);
    const times = edge.count > 1 ? ` ×${edge.count}` : '';
    yield row(
      [
        { text: `${name(start).padStart(width + 2)} → ${name(end).padEnd(width + 2)} ` },
        { text: `${relation}${times}`, mark: 'faint' },
      ],
      page,
    );
  }
}

function columnOf(totals: readonly TokenTotal[]): readonly string[] {
  const texts = totals.map(shortTotal);
  const width = texts.reduce((most, text) => Math.max(most, text.length), 0);
  return texts.map((text) => text.padStart(width));
}

/** Jobs so that each comes after those that it depends on, then chats as they were found. */
function inOrder({ nodes }: Shown): readonly ShownNode[] {
  const jobs: ShownNode[] = [];
  const entered = new Set<ShownNode>();
  for (const start of nodes) {
    if (start.node.kind !== 'job' || entered.has(start)) continue;
    const path: { readonly node: ShownNode; next: number }[] = [];
    const enter = (node: ShownNode) => {
      entered.add(node);
      path.push({ node, next: 0 });
    };
    enter(start);
    for (let place = path.at(-1); place !== undefined; place = path.at(-1)) {
      const edge = place.node.out[place.next++];
      if (edge === undefined) {
        jobs.push(place.node);
        path.pop();
      } else if (edge.relation === 'dependency' && !entered.has(edge.to)) enter(edge.to);
    }
  }
  return [...jobs, ...nodes.filter(({ node }) => node.kind === 'chat')];
}
