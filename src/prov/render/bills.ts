// Requests by day, model, agent or workflow, for the person who pays: each request in one group, and the groups add up to the whole.

import * as path from 'node:path';
import { timeOf } from '../time.ts';
import { total } from '../totals.ts';
import type { Provenance, ProvenanceNode } from '../types/graph.ts';
import type { TokenEvent, TokenTotal } from '../types/tokens.ts';
import { groupBy } from './grouping.ts';

export const GROUPINGS = ['day', 'model', 'agent', 'workflow'] as const;
export type Grouping = (typeof GROUPINGS)[number];

export interface Bill {
  readonly by: Grouping;
  readonly lines: readonly BillLine[];
  readonly total: BillLine;
}

export interface BillLine {
  /** `null`: not known, or none. */
  readonly key: string | null;
  readonly total: TokenTotal;
  readonly events: readonly TokenEvent[];
}

/** Days in order (UTC), other groups from the most tokens to the fewest; what belongs to none comes last. */
export function bill(provenance: Provenance, by: Grouping): Bill {
  const keyOf = KEYS[by](provenance);
  const groups = groupBy(provenance.events, keyOf);
  const lines = [...groups].map(([key, events]) => ({ key, events, total: total(events) }));
  const all = provenance.events;
  return {
    by,
    lines: lines.sort(by === 'day' ? byKey : bySize),
    total: { key: null, events: all, total: provenance.totals.deduplicated_total },
  };
}

const byKey = (one: BillLine, other: BillLine): number =>
  last(one, other) || ((one.key ?? '') < (other.key ?? '') ? -1 : 1);

const bySize = (one: BillLine, other: BillLine): number =>
  last(one, other) ||
  (other.total.tokens.tt ?? 0) - (one.total.tokens.tt ?? 0) ||
  ((one.key ?? '') < (other.key ?? '') ? -1 : 1);

const last = (one: BillLine, other: BillLine): number =>
  Number(one.key === null) - Number(other.key === null);

type KeyOf = (event: TokenEvent) => string | null;

const KEYS: Readonly<Record<Grouping, (provenance: Provenance) => KeyOf>> = {
  day: () => (event) => {
    const time = timeOf(event.timestamp);
    return time === undefined ? null : new Date(time).toISOString().slice(0, 10);
  },
  model: () => (event) => event.model,
  agent: (provenance) => agentFinder(provenance),
  workflow: (provenance) => workflowFinder(provenance),
};

/** Who asked: told by where the chat lies; by the call, when only a receipt tells of the request. */
function agentFinder({ nodes }: Provenance): KeyOf {
  const chats = new Map(nodes.flatMap((node) => (node.kind === 'chat' ? [[node.path, node]] : [])));
  return ({ evidence: [{ origin, source, address }] }) => {
    if (origin === 'chat_meta') return agentOf(source);
    const place = address.slice(1).join();
    const receipts = chats.get(source)?.facts?.receipts;
    return receipts?.find((receipt) => receipt.place.join() === place)?.agent ?? null;
  };
}

/**
 * The agent whose conversation a chat is: `<name>.society/<agent>/<conversation>/agent.chat`, `X.files/<agent>.chat`, and
 * `log/<agent>/agent.chat` of older programs. Any other chat is nobody's.
 */
export function agentOf(chat: string): string | null {
  const parts = chat.split(path.sep);
  const name = path.basename(chat, '.chat');
  const society = parts.findLastIndex((part) => part === 'society' || part.endsWith('.society'));
  const files = parts.findLastIndex((part) => part.endsWith('.files'));
  if (files < 0) return null;
  if (society > files) return parts[society + 1] ?? null;
  if (files === parts.length - 2) return name;
  if (parts[files + 1] !== 'log') return null;
  return name === 'agent' && files + 2 < parts.length - 1 ? (parts.at(-2) ?? null) : name;
}

/** The workflow of the job in whose files the chat lies, or that has it as its result. */
function workflowFinder({ nodes, edges }: Provenance): KeyOf {
  const above = new Map<string, ProvenanceNode>();
  for (const { from, to, relation } of edges)
    if (relation === 'log' || relation === 'result') {
      const known = above.get(to.path);
      if (known === undefined || (known.kind === 'chat' && from.kind === 'job'))
        above.set(to.path, from);
    }
  const jobs = new Map(nodes.flatMap((node) => (node.kind === 'job' ? [[node.path, node]] : [])));
  return ({ evidence: [{ source }] }) => {
    const seen = new Set<string>();
    for (let place = source; !seen.has(place); ) {
      seen.add(place);
      const own = jobs.get(place);
      if (own !== undefined) return own.facts.workflow;
      const owner = above.get(place);
      if (owner?.kind === 'job') return owner.facts.workflow;
      if (owner !== undefined) place = owner.path;
    }
    return null;
  };
}
