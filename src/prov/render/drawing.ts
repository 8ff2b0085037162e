// What a picture shows, before it is DOT: boxes with their words, arrows, borders, a title and what was left out.

import { shortenMiddle } from '../../terminal/width.ts';
import { unread } from '../sums.ts';
import { total } from '../totals.ts';
import type { Provenance, ProvenanceNode } from '../types/graph.ts';
import type { TokenEvent, TokenTotal } from '../types/tokens.ts';
import type { ArrowName } from './arrows.ts';
import { addCalls, callsOf, callsText } from './calls.ts';
import { dotLine } from './dot-text.ts';
import { familyOf } from './families.ts';
import { type Folded, fold, type Group } from './fold.ts';
import { type Frame, framesOf, LONGEST_NAME, nodeName } from './frames.ts';
import { type LabelOptions, label } from './labels.ts';
import { counted, mark, short, shortTotal } from './numbers.ts';
import { type Selection, type SelectionOptions, select } from './selection.ts';
import { withoutShortcuts } from './shortcuts.ts';
import { type Status, statusOf } from './status.ts';
import type { Shown } from './visible.ts';

export interface Drawing {
  readonly boxes: readonly Box[];
  readonly arrows: readonly DrawnArrow[];
  readonly frames: readonly Frame[];
  /** Lines below the picture: what it is, its total, what is not in it. */
  readonly caption: readonly string[];
}

export interface Box {
  readonly id: string;
  readonly kind: 'job' | 'chat';
  readonly name: string;
  readonly detail: string;
  readonly status: Status | undefined;
  readonly isRoot: boolean;
  /** So many nodes are this box. */
  readonly count: number;
  readonly tooltip: string;
  /** Absolute path of the file that it is about; undefined for several. */
  readonly file: string | undefined;
  /** The frame that it stands in. */
  readonly frame: string | undefined;
}

export interface DrawnArrow {
  readonly from: string;
  readonly to: string;
  /** Undefined: through what is not drawn. */
  readonly name: ArrowName | undefined;
  readonly count: number;
}

export interface DrawingOptions extends LabelOptions, SelectionOptions {
  readonly maxNodes?: number;
  /** Program and version, for the caption. */
  readonly program: string;
  readonly now: Date;
  readonly cost?: (events: readonly TokenEvent[], sum: TokenTotal) => string;
}

/** The drawing, folded as far as is needed; `from` is the first step of folding that may be taken. */
export function draw(
  provenance: Provenance,
  shown: Shown,
  options: DrawingOptions,
  from = 0,
): { readonly drawing: Drawing; readonly step: number } {
  const selection = withoutShortcuts(select(shown, options));
  const limit = options.maxNodes === undefined ? {} : { maxNodes: options.maxNodes };
  const folded = fold(selection, { ...limit, roots: shown.roots, from });
  const frames = framesOf(folded, shown, options);
  const boxes = folded.groups.map((group, number) => ({
    ...boxOf(group, shown, options),
    id: `n${number + 1}`,
    frame: frames.of(group),
  }));
  const drawing: Drawing = {
    boxes,
    arrows: folded.arrows.map(({ from: start, to, name, count }) => ({
      from: `n${start + 1}`,
      to: `n${to + 1}`,
      name,
      count,
    })),
    frames: frames.all,
    caption: captionOf(provenance, selection, folded, options),
  };
  return { drawing, step: folded.step };
}

function boxOf(group: Group, shown: Shown, options: DrawingOptions): Omit<Box, 'id' | 'frame'> {
  const { members, isRoot } = group;
  const [first] = members;
  const events =
    members.length === 1
      ? shown.eventsOf(first).own
      : [...new Set(members.flatMap((node) => shown.eventsOf(node).own))];
  const isLacking = members.some(({ totals }) => totals.direct.unread === true);
  const all = members.length === 1 ? first.totals.direct : total(events);
  const sum = isLacking ? unread(all) : all;
  const status = statusOf(first.node);
  const parts = [
    ...(status === undefined ? [] : [status.word]),
    ...(sum.events === 0
      ? [status !== undefined ? '' : first.node.kind === 'chat' ? 'no requests' : 'done']
      : [shortTotal(sum), counted(sum.events, 'request')]),
    ...(options.cost === undefined || sum.events === 0 ? [] : [options.cost(events, sum)]),
    callsText(addCalls(members.map(({ chats }) => callsOf(chats)))) ?? '',
  ];
  const name = nameOf(group, options);
  return {
    kind: first.node.kind,
    name: shortenMiddle(dotLine(name), LONGEST_NAME),
    detail: parts.filter((part) => part !== '').join(' · '),
    status,
    isRoot,
    count: members.length,
    tooltip: tooltipOf(group, name, status),
    file: members.length === 1 ? fileOf(first.node) : undefined,
  };
}

function nameOf({ members, isChain }: Group, options: DrawingOptions): string {
  const [first] = members;
  if (members.length === 1) return nodeName(first, options);
  const families = new Set(members.map(({ node }) => familyOf(node)));
  const [family = ''] = families;
  const name =
    families.size === 1
      ? family
      : counted(families.size, first.node.kind === 'job' ? 'task' : 'agent');
  return isChain ? `… ${name} ×${members.length} …` : `${name} ×${members.length}`;
}

/** Members of a folded box that its tooltip names. */
const MOST_NAMED = 12;

function tooltipOf({ members }: Group, name: string, status: Status | undefined): string {
  const paths = members.slice(0, MOST_NAMED).map(({ node }) => dotLine(node.path));
  const more = members.length - paths.length;
  return [
    ...(members.length > 1 ? [dotLine(name)] : []),
    ...paths,
    ...(more > 0 ? [`and ${more} more`] : []),
    ...(members.length === 1 && status?.detail !== undefined
      ? [`${status.word}: ${dotLine(status.detail)}`]
      : []),
  ].join('\n');
}

/** The result of a job; its `.info` when there is no result. */
const fileOf = (node: ProvenanceNode): string =>
  node.kind === 'job' && !node.facts.done ? `${node.path}.info` : node.path;

function captionOf(
  { roots, totals, events }: Provenance,
  { nodes, tooDeep, notAsked }: Selection,
  folded: Folded,
  options: DrawingOptions,
): readonly string[] {
  const [root] = roots;
  const of = root === undefined ? 'nothing' : label(root, undefined, { ...options, long: false });
  const more = roots.length > 1 ? ` and ${roots.length - 1} more` : '';
  const { deduplicated_total: all } = totals;
  const sum = `${mark(all)}${all.tokens.tt === null ? '?' : short(all.tokens.tt)}`;
  const cost = options.cost === undefined ? '' : `, cost ${options.cost(events, all)}`;
  const left = [
    ...(tooDeep > 0 ? [`${counted(tooDeep, 'node')} deeper than ${options.depth} not shown`] : []),
    ...(notAsked > 0
      ? [`${counted(notAsked, 'node')} other than ${(options.only ?? []).join(', ')} not shown`]
      : []),
    ...(folded.rule !== undefined && folded.groups.length < nodes.length
      ? [`${nodes.length} nodes drawn as ${folded.groups.length}: ${folded.rule}`]
      : []),
  ];
  return [
    `provenance of ${shortenMiddle(dotLine(of), 60)}${more}`,
    all.events === 0
      ? `no requests${all.unread === true ? ' in what can be read' : ''}`
      : `${sum} tokens in ${counted(all.events, 'request')}, each once${cost}`,
    ...left.map(dotLine),
    `${options.program}, ${options.now.toISOString().slice(0, 10)}`,
  ];
}
