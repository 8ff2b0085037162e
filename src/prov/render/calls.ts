// What became of the tool calls of a node, in words: those that failed, and those without a result. What went well needs none.

import type { CallCounts } from '../types/facts.ts';
import type { ProvenanceNode } from '../types/graph.ts';
import { counted } from './numbers.ts';

/** Calls of a chat, or of the conversations that belong to a job: its log and its result are copies of one, so the larger counts. */
export function callsOf(chats: readonly ProvenanceNode[]): CallCounts {
  let most: CallCounts = { total: 0, failed: 0, open: 0 };
  for (const { kind, facts } of chats)
    if (kind === 'chat' && facts !== undefined && facts.calls.total > most.total)
      most = facts.calls;
  return most;
}

/** `1 of 3 calls failed, 1 open`; undefined when all went well. */
export function callsText({ total, failed, open }: CallCounts): string | undefined {
  if (failed === 0 && open === 0) return undefined;
  if (failed === 0) return `${open} of ${counted(total, 'call')} open`;
  return `${failed} of ${counted(total, 'call')} failed${open === 0 ? '' : `, ${open} open`}`;
}

/** Of several nodes together. */
export const addCalls = (counts: readonly CallCounts[]): CallCounts => ({
  total: counts.reduce((sum, each) => sum + each.total, 0),
  failed: counts.reduce((sum, each) => sum + each.failed, 0),
  open: counts.reduce((sum, each) => sum + each.open, 0),
});
