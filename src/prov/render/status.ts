// What is wrong or open with a node, as a word. What is done needs none.

import type { ProvenanceNode } from '../types/graph.ts';

export interface Status {
  readonly word: 'error' | 'aborted' | 'waiting' | 'setup' | 'running' | 'streaming' | 'unreadable';
  readonly kind: 'failed' | 'open';
  /** Why, where it is known. */
  readonly detail?: string;
}

export function statusOf(node: ProvenanceNode): Status | undefined {
  if (node.kind === 'chat')
    return node.facts === undefined ? { word: 'unreadable', kind: 'failed' } : undefined;
  const { status, error } = node.facts;
  if (status === 'done') return undefined;
  const kind = status === 'error' || status === 'aborted' ? 'failed' : 'open';
  return { word: status, kind, ...(error === undefined ? {} : { detail: error.message }) };
}
