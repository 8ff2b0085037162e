// Facts as they stand in the index: what most of them have as rows without names, what most of them lack left out. A store has a hundred
// thousand of them, and its index is read as a whole.

import type { CallCounts, ChatFacts, JobFacts, RequestRecord, TokenCounts } from './types.ts';

type Value = string | number | boolean | null;

export interface PackedChat extends Partial<Omit<ChatFacts, 'requests' | 'calls'>> {
  /** Rows: index, six counts, and then `FIELDS`; what is missing at the end is null. */
  readonly requests?: readonly (readonly Value[])[];
  readonly calls?: readonly [total: number, failed: number, open: number];
}

/** Where a job depends on another node, that node's number stands in place of its path. */
export interface PackedJob extends Omit<JobFacts, 'dependencies'> {
  readonly dependencies: readonly (string | number)[];
}

const COUNTS = ['pt', 'ct', 'tt', 'cct', 'cwt', 'rt'] as const satisfies (keyof TokenCounts)[];

const FIELDS = [
  'inference',
  'model',
  'endpoint',
  'timestamp',
  'duration',
  'response',
  'orphan',
  'lineage',
] as const satisfies (keyof RequestRecord)[];

export function packChat({ requests, calls, ...rest }: ChatFacts): PackedChat {
  const { total, failed, open } = calls;
  return {
    ...(requests.length === 0 ? {} : { requests: requests.map(rowOf) }),
    ...(total === 0 ? {} : { calls: [total, failed, open] as const }),
    ...Object.fromEntries(Object.entries(rest).filter(([, list]) => list.length > 0)),
  };
}

export function unpackChat({
  requests,
  receipts = NONE,
  jobs = NONE,
  calls,
  problems = NONE,
}: PackedChat): ChatFacts {
  return {
    requests: requests?.map(requestIn) ?? NONE,
    receipts,
    jobs,
    calls: counted(calls),
    problems,
  };
}

const NONE: readonly never[] = [];

const counted = ([total, failed, open]: PackedChat['calls'] & {} = NO_CALLS): CallCounts => ({
  total,
  failed,
  open,
});

const NO_CALLS = [0, 0, 0] as const;

function rowOf(request: RequestRecord): readonly Value[] {
  const row: Value[] = [request.index];
  for (const name of COUNTS) row.push(request.tokens[name]);
  for (const name of FIELDS) row.push(request[name] ?? null);
  while (row.at(-1) === null) row.pop();
  return row;
}

type Draft = { -readonly [Field in keyof RequestRecord]: RequestRecord[Field] };

function requestIn(row: readonly Value[]): RequestRecord {
  const [index, pt, ct, tt, cct, cwt, rt] = row as readonly (number | undefined)[];
  const request: Draft = {
    tokens: {
      pt: pt ?? null,
      ct: ct ?? null,
      tt: tt ?? null,
      cct: cct ?? null,
      cwt: cwt ?? null,
      rt: rt ?? null,
    },
    index: index ?? 0,
  };
  for (let at = 1 + COUNTS.length; at < row.length; at++) {
    const name = FIELDS[at - 1 - COUNTS.length];
    const value = row[at];
    if (name !== undefined && value !== null) Reflect.set(request, name, value);
  }
  return request;
}

/** `numberOf` tells the number of the job at a path. */
export function packJob(
  facts: JobFacts,
  numberOf: (path: string) => number | undefined,
): PackedJob {
  return { ...facts, dependencies: facts.dependencies.map((path) => numberOf(path) ?? path) };
}

/** In place: copies of a hundred thousand facts would cost more than reading them. */
export function unpackJob(facts: PackedJob, paths: readonly string[]): JobFacts {
  const named = facts.dependencies as (string | number)[];
  for (const [index, dependency] of named.entries())
    if (typeof dependency === 'number') named[index] = paths[dependency] ?? '';
  return facts as JobFacts;
}
