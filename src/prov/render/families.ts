// What nodes have in common, for folding them into one and for drawing a border around them: task, agent, workflow, society.

import * as path from 'node:path';
import type { ProvenanceNode } from '../types/graph.ts';
import { agentOf } from './bills.ts';
import { taskName } from './labels.ts';

/** Nodes of a family do the same work: jobs of a task, chats of an agent. */
export function familyOf(node: ProvenanceNode): string {
  if (node.kind === 'job') return taskName(node.facts);
  return agentOf(node.path) ?? 'chats';
}

/** A border in a drawing. Borders of societies may lie in each other. */
export interface Border {
  readonly key: string;
  readonly kind: 'workflow' | 'society';
  /** Name of the workflow; path of the chat or job, or name of the conversation, whose society it is. */
  readonly owner: string;
}

/** The borders around a node, the outermost first. */
export function bordersOf(node: ProvenanceNode): readonly Border[] {
  if (node.kind === 'job') {
    const { workflow } = node.facts;
    return [{ key: `workflow ${workflow}`, kind: 'workflow', owner: workflow }];
  }
  const parts = node.path.split(path.sep);
  let isInside = false;
  return parts.flatMap((part, index): readonly Border[] => {
    // The last part is the chat itself.
    if (index === 0 || index === parts.length - 1) return [];
    const before = parts[index - 1] ?? '';
    const key = parts.slice(0, index + 1).join(path.sep);
    if (before.endsWith('.files') && (part === 'log' || part.endsWith('.society'))) {
      isInside = true;
      return [
        {
          key,
          kind: 'society',
          owner: parts.slice(0, index).join(path.sep).slice(0, -'.files'.length),
        },
      ];
    }
    // Anybody may call a folder so; only in a society it is one.
    if (isInside && part === 'society')
      return [{ key, kind: 'society', owner: parts.slice(index - 2, index).join('/') }];
    return [];
  });
}

/** A conversation in a society by its agent and its own name, as `Worker/plan`; undefined for other nodes. */
export function conversationOf(node: ProvenanceNode): string | undefined {
  const border = node.kind === 'chat' ? bordersOf(node).at(-1) : undefined;
  if (border === undefined) return undefined;
  const name = node.path.slice(border.key.length + 1).replace(/\.chat$/, '');
  return name.endsWith(`${path.sep}agent`) ? path.dirname(name) : name;
}
