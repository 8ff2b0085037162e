// The natural direction of an edge: the walk goes from what was asked about to what made it, data goes the other way or along.

import type { Relation } from '../types/places.ts';
import type { ShownEdge, ShownNode } from './visible.ts';

export type ArrowName = 'dependency' | 'result' | 'delegated_result' | 'log';

export interface Arrow {
  readonly start: ShownNode;
  readonly end: ShownNode;
  readonly name: ArrowName;
}

/** A dependency and the job of a chat lead to what uses them; a job leads to its result, everything to its logs. */
const ARROWS: Readonly<Record<Relation, { readonly name: ArrowName; readonly turned: boolean }>> = {
  job: { name: 'result', turned: true },
  agent_job: { name: 'delegated_result', turned: true },
  dependency: { name: 'dependency', turned: true },
  log: { name: 'log', turned: false },
  result: { name: 'result', turned: false },
};

export function arrowOf({ from, to, relation }: ShownEdge): Arrow {
  const { name, turned } = ARROWS[relation];
  return turned ? { start: to, end: from, name } : { start: from, end: to, name };
}
