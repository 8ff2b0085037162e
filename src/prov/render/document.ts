// The report for programs, `prov/1`: one JSON document, or the same objects one a line. Every key is there, what is not known is null.

import { harmlessJson } from '../../terminal/neutralise.ts';
import type { Edge, Provenance, ProvenanceNode } from '../types/graph.ts';
import type { NodeReference } from '../types/places.ts';
import type { Evidence, ScopeTotals, TokenEvent } from '../types/tokens.ts';
import { type LabelOptions, label } from './labels.ts';

export const SCHEMA = 'prov/1';

export interface DocumentOptions extends LabelOptions {
  readonly version: string;
  readonly now: Date;
  /** What was asked for, as it stands in the document. */
  readonly options: Readonly<Record<string, unknown>>;
  /** Money, only where it was asked for. */
  readonly cost?: {
    readonly document: unknown;
    readonly ofEvent: (event: TokenEvent) => unknown;
  };
}

/** The document in pieces, so that one of any size can be written. */
export function* jsonDocument(provenance: Provenance, options: DocumentOptions): Generator<string> {
  const head = harmlessJson(headOf(provenance, options), 2);
  yield head.slice(0, head.lastIndexOf('\n'));
  yield* arrayPieces('nodes', nodeObjects(provenance, options));
  yield* arrayPieces('edges', edgeObjects(provenance));
  yield* arrayPieces('events', eventObjects(provenance, options));
  yield `,\n  "totals": ${indented(totalsObject(provenance.totals))}`;
  yield* arrayPieces('warnings', provenance.warnings);
  if (options.cost !== undefined) yield `,\n  "cost": ${indented(options.cost.document)}`;
  yield '\n}\n';
}

/** The same objects with a `type`: `prov` (schema, options …), `node`, `edge`, `event`, `warning`, at the end `totals`. */
export function* jsonLines(provenance: Provenance, options: DocumentOptions): Generator<string> {
  const line = (type: string, value: object): string => `${harmlessJson({ type, ...value })}\n`;
  yield line('prov', headOf(provenance, options));
  for (const node of nodeObjects(provenance, options)) yield line('node', node);
  for (const edge of edgeObjects(provenance)) yield line('edge', edge);
  for (const event of eventObjects(provenance, options)) yield line('event', event);
  for (const warning of provenance.warnings) yield line('warning', warning);
  if (options.cost !== undefined) yield line('cost', options.cost.document as object);
  yield line('totals', totalsObject(provenance.totals));
}

function headOf({ roots }: Provenance, { version, now, options }: DocumentOptions) {
  return {
    schema: SCHEMA,
    tool: { name: 'scout-chat', version },
    generated_at: now.toISOString(),
    root: roots[0] === undefined ? null : reference(roots[0]),
    options: { ...options, roots: roots.map(reference) },
  };
}

const reference = ({ kind, path }: ProvenanceNode): NodeReference => ({ kind, path });

function* arrayPieces(name: string, values: Iterable<unknown>): Generator<string> {
  let isFirst = true;
  for (const value of values) {
    yield `${isFirst ? `,\n  "${name}": [` : ','}\n    ${harmlessJson(value)}`;
    isFirst = false;
  }
  yield isFirst ? `,\n  "${name}": []` : '\n  ]';
}

const indented = (value: unknown): string => harmlessJson(value, 2).replaceAll('\n', '\n  ');

function* nodeObjects(provenance: Provenance, options: DocumentOptions): Generator<object> {
  const { nodes, edges, nodeTotals, hidden } = provenance;
  const parents = new Map<ProvenanceNode, ProvenanceNode>();
  for (const { from, to, first } of edges) if (first) parents.set(to, from);
  for (const [index, node] of nodes.entries())
    yield {
      ...reference(node),
      label: label(node, parents.get(node), options),
      status: statusOf(node),
      calls: node.kind === 'chat' ? (node.facts?.calls ?? null) : null,
      hidden: hidden.has(node),
      direct: nodeTotals[index]?.direct.tokens,
      aggregate: nodeTotals[index]?.aggregate.tokens,
    };
}

function statusOf(node: ProvenanceNode): string | null {
  if (node.kind === 'job') return node.facts.status;
  return node.facts === undefined ? 'unreadable' : null;
}

function* edgeObjects({ edges }: Provenance): Generator<object> {
  for (const { from, to, relation, first, detail } of edges as readonly Edge[])
    yield { from: reference(from), to: reference(to), relation, first_visit: first, detail };
}

function* eventObjects({ events }: Provenance, { cost }: DocumentOptions): Generator<object> {
  for (const event of events)
    yield {
      inference_id: event.inference_id,
      identity: event.identity,
      deduplication: event.deduplication,
      tokens: event.tokens,
      model: event.model,
      timestamp: event.timestamp,
      conflict: event.conflict,
      incomplete_evidence: event.incomplete_evidence,
      evidence: event.evidence.map(evidenceObject),
      ...(cost === undefined ? {} : { cost: cost.ofEvent(event) }),
    };
}

function evidenceObject({ origin, source, address, call_id, tool_name }: Evidence): object {
  return { origin, source, address, call_id, tool_name };
}

function totalsObject(totals: ScopeTotals): object {
  return Object.fromEntries(Object.entries(totals).map(([scope, { tokens }]) => [scope, tokens]));
}
