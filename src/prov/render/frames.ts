// The frames of a drawing: around societies, and around workflows that have more than one box.

import * as path from 'node:path';
import { shortenMiddle } from '../../terminal/width.ts';
import { dotLine } from './dot-text.ts';
import { type Border, bordersOf, conversationOf } from './families.ts';
import type { Folded, Group } from './fold.ts';
import { type LabelOptions, label } from './labels.ts';
import type { Shown, ShownNode } from './visible.ts';

export interface Frame {
  readonly id: string;
  readonly title: string;
  readonly kind: Border['kind'];
  readonly parent: string | undefined;
}

/** Cells of a name; longer ones are cut in their middle and whole in the tooltip. */
export const LONGEST_NAME = 40;

/** A conversation by its agent and its own name: the frame says whose society it is. */
export function nodeName({ node, parent }: ShownNode, options: LabelOptions): string {
  const conversation = options.long ? undefined : conversationOf(node);
  return conversation ?? label(node, parent?.from.node, options);
}

export interface Frames {
  readonly all: readonly Frame[];
  of(group: Group): string | undefined;
}

/** Frames lie in each other as the folders of societies do; a group stands in the innermost one. */
export function framesOf(folded: Folded, shown: Shown, options: LabelOptions): Frames {
  const bordersOfGroup = new Map(folded.groups.map((group) => [group, commonBorders(group)]));
  const counts = new Map<string, number>();
  for (const borders of bordersOfGroup.values())
    for (const { key } of borders) counts.set(key, (counts.get(key) ?? 0) + 1);
  const titleOf = frameTitles(shown, options);
  const ids = new Map<string, Frame>();
  const innermost = new Map<Group, string>();
  for (const [group, borders] of bordersOfGroup) {
    let parent: string | undefined;
    for (const border of borders) {
      if (border.kind === 'workflow' && (counts.get(border.key) ?? 0) < 2) continue;
      let frame = ids.get(border.key);
      if (frame === undefined) {
        const { kind } = border;
        frame = { id: `f${ids.size + 1}`, title: titleOf(border), kind, parent };
        ids.set(border.key, frame);
      }
      parent = frame.id;
    }
    if (parent !== undefined) innermost.set(group, parent);
  }
  return { all: [...ids.values()], of: (group) => innermost.get(group) };
}

/** Borders that all nodes of a group have around them. */
function commonBorders({ members }: Group): readonly Border[] {
  const [first, ...others] = members;
  return others.reduce((borders, { node }) => {
    const keys = new Set(bordersOf(node).map(({ key }) => key));
    return borders.filter(({ key }) => keys.has(key));
  }, bordersOf(first.node));
}

function frameTitles(shown: Shown, options: LabelOptions): (border: Border) => string {
  const byPath = new Map<string, ShownNode>();
  for (const node of shown.nodes) byPath.set(node.node.path, node);
  return ({ kind, owner }) => {
    const node = byPath.get(owner);
    const known = node === undefined ? path.basename(owner) : nodeName(node, options);
    // Societies beside no file of the drawing are named after the conversation.
    const name = path.isAbsolute(owner) ? known : owner;
    return shortenMiddle(
      dotLine(`${kind === 'workflow' ? 'workflow' : 'society of'} ${name}`),
      LONGEST_NAME,
    );
  };
}
