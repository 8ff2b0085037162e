// Every tree of fixtures/prov gives exactly the nodes, edges, events, totals and warnings that stand there.

import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { provenance } from '../../src/prov/collect.ts';
import type { Edge, ProvenanceNode } from '../../src/prov/types/graph.ts';
import type { Evidence, TokenEvent } from '../../src/prov/types/tokens.ts';
import { provCase, provCases, provPorts } from '../helpers/prov.ts';

describe('the graph, the events and the totals of', () => {
  for (const name of provCases())
    test(name, async () => {
      const { folder, expected } = provCase(name);
      const found = await provenance([join(folder, expected.target)], provPorts(folder));
      expect(found.nodes.map(nodeIn)).toEqual(expected.nodes);
      expect(found.edges.map(edgeIn)).toEqual(expected.edges);
      expect(found.events.map(eventIn)).toEqual(expected.events);
      const totals = Object.entries(found.totals);
      expect(
        Object.fromEntries(totals.map(([scope, { tokens }]) => [scope, counted(tokens)])),
      ).toEqual(expected.totals);
      const warnings = found.warnings.map(({ reason, address, call_id }) => ({
        reason,
        address,
        call_id,
      }));
      expect(warnings).toEqual(expected.warnings);
    });
});

const nodeIn = ({ kind, path }: ProvenanceNode) => [kind, path];

const edgeIn = ({ from, relation, to, detail }: Edge) => [
  from.kind,
  from.path,
  relation,
  to.kind,
  to.path,
  detail?.address ?? null,
];

const eventIn = ({ evidence, ...event }: TokenEvent) => ({
  deduplication: event.deduplication,
  inference_id: event.inference_id,
  tokens: counted(event.tokens),
  conflict: event.conflict,
  incomplete_evidence: event.incomplete_evidence,
  evidence: evidence.map(evidenceIn),
});

const evidenceIn = ({ origin, address, call_id, tool_name }: Evidence) => ({
  origin,
  address,
  call_id,
  tool_name,
});

/** The expected numbers were made by a program that has no unknown counts: there they are 0. */
const counted = (tokens: object) =>
  Object.fromEntries(Object.entries(tokens).map(([field, count]) => [field, count ?? 0]));
