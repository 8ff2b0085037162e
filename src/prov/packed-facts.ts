// Facts as they stand in the index: what most of them have as rows without names, what most of them lack left out. A store has a hundred
// thousand of them, and its index is read as a whole.

import { greatest } from '../lists.ts';
import type { CallCounts, ChatFacts, JobFacts, RequestRecord, TokenCounts } from './types/facts.ts';

type Value = string | number | boolean | null;

export interface PackedChat extends Partial<Omit<ChatFacts, 'requests' | 'calls'>> {
  /** How many values each has, and those of one after the other: index, six counts, and then `FIELDS`. Null is missing. */
  readonly requests?: readonly [width: number, ...values: Value[]];
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
    ...(requests.length === 0 ? {} : { requests: packRequests(requests) }),
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
    requests: requests === undefined ? NONE : unpackRequests(requests),
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

function packRequests(requests: readonly RequestRecord[]): readonly [number, ...Value[]] {
  const width = greatest(requests.map(widthOf));
  const packed: [number, ...Value[]] = [width];
  for (const request of requests)
    for (let column = 0; column < width; column++) packed.push(valueIn(request, column));
  return packed;
}

/** Columns up to the last one that has a value. */
function widthOf(request: RequestRecord): number {
  let width = 1 + COUNTS.length + FIELDS.length;
  while (width > 0 && valueIn(request, width - 1) === null) width--;
  return width;
}

function valueIn(request: RequestRecord, column: number): Value {
  if (column === 0) return request.index;
  const count = COUNTS[column - 1];
  if (count !== undefined) return request.tokens[count];
  const field = FIELDS[column - 1 - COUNTS.length];
  return field === undefined ? null : (request[field] ?? null);
}

function unpackRequests(packed: readonly [number, ...Value[]]): RequestRecord[] {
  const [width] = packed;
  const requests: RequestRecord[] = [];
  for (let at = 1; width > 0 && at < packed.length; at += width)
    requests.push(requestAt(packed, at, at + width));
  return requests;
}

type Draft = { -readonly [Field in keyof RequestRecord]: RequestRecord[Field] };

function requestAt(packed: readonly Value[], start: number, end: number): RequestRecord {
  const countAt = (offset: number): number | null => {
    const value = start + offset < end ? packed[start + offset] : null;
    return typeof value === 'number' ? value : null;
  };
  const [pt, ct, tt] = [countAt(1), countAt(2), countAt(3)];
  const [cct, cwt, rt] = [countAt(4), countAt(5), countAt(6)];
  const request: Draft = { tokens: { pt, ct, tt, cct, cwt, rt }, index: countAt(0) ?? 0 };
  for (let at = start + 1 + COUNTS.length; at < end; at++) {
    const name = FIELDS[at - start - 1 - COUNTS.length];
    const value = packed[at];
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
