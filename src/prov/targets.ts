// What a node leads to: its relations in their order, the targets of each sorted by path.

import { errorWords } from '../errors.ts';
import type { JobFinder } from './job-references.ts';
import { logsOf } from './logs.ts';
import type { Places } from './places.ts';
import type { Trouble } from './problems.ts';
import type { ChatFacts, JobReference, Receipt } from './types/facts.ts';
import type { ChatNode, JobNode, ProvenanceNode, ReceiptDetail } from './types/graph.ts';
import type { NodeKind, Relation } from './types/places.ts';
import type { ProvPorts } from './types/ports.ts';
import type { LogChat, Place, ReadLog } from './walk-types.ts';

/** Told where an edge leads. `own`: the job's own log or result, a copy of its conversation. `facts`: of a chat that was read already. */
export type Lead = (
  relation: Relation,
  kind: NodeKind,
  place: Place,
  own: boolean,
  detail: ReceiptDetail | null,
  facts: ChatFacts | undefined,
) => void;

export interface TargetPorts {
  readonly files: ProvPorts['files'];
  readonly places: Places;
  readonly jobs: JobFinder;
  readonly follows: (relation: Relation) => boolean;
  readonly tell: (trouble: Trouble) => void;
  /** The logs of an owner, if they were read already. */
  readonly readLogs: (owner: Place) => readonly ReadLog[] | undefined;
}

/** Tells where each edge leads, in order. Jobs that the place's own job depends on were looked up before, where that was wanted. */
export function targetsOf(
  node: ProvenanceNode,
  place: Place,
  ports: TargetPorts,
  lead: Lead,
): void {
  if (node.kind === 'chat') leadFromChat(node, place, ports, lead);
  else leadFromJob(node, place, ports, lead);
}

function leadFromChat(
  { path, facts }: ChatNode,
  place: Place,
  ports: TargetPorts,
  lead: Lead,
): void {
  const { jobs = [], receipts = [] } = facts ?? {};
  if (jobs.length > 0 && ports.follows('job')) leadToProjected(path, jobs, ports, lead);
  if (receipts.length > 0 && ports.follows('agent_job'))
    leadToDelegated(path, receipts, ports, lead);
  if (place.files !== undefined && ports.follows('log')) leadToLogs('chat', place, ports, lead);
}

function leadFromJob({ facts }: JobNode, place: Place, ports: TargetPorts, lead: Lead): void {
  if (facts.dependencies.length > 0 && ports.follows('dependency'))
    leadToDependencies(place, facts.dependencies, ports, lead);
  if (place.files !== undefined && ports.follows('log')) leadToLogs('job', place, ports, lead);
  if (facts.type === 'chat' && facts.done && ports.follows('result'))
    lead('result', 'chat', place, true, null, undefined);
}

function leadToProjected(
  path: string,
  references: readonly JobReference[],
  { jobs, tell, files }: TargetPorts,
  lead: Lead,
): void {
  const found: Place[] = [];
  for (const { reference, index } of references) {
    const job = jobs.find(reference, path);
    const about = { kind: 'chat', object: path, relation: 'job', address: [path, index] } as const;
    if (job === null) tell({ ...unresolved(reference, files.now), ...about });
    else found.push(job);
  }
  leadToJobs('job', found, lead);
}

function leadToDependencies(
  owner: Place,
  references: readonly string[],
  { jobs, tell, files }: TargetPorts,
  lead: Lead,
): void {
  const found: Place[] = [];
  const known = owner.job?.dependencies;
  let index = -1;
  for (const reference of references) {
    const before = known?.[++index];
    const job = before === undefined ? jobs.find(reference, owner.path) : before;
    if (job !== null) found.push(job);
    else {
      const about = { kind: 'job', object: owner.path, relation: 'dependency' } as const;
      tell({ ...unresolved(reference, files.now), ...about, source: `${owner.path}.info` });
    }
  }
  leadToJobs('dependency', found, lead);
}

function leadToJobs(relation: Relation, found: Place[], lead: Lead): void {
  sortByPath(found);
  let last: string | undefined;
  for (const place of found) {
    if (place.path !== last) lead(relation, 'job', place, false, null, undefined);
    last = place.path;
  }
}

/** One target for each receipt, also where several name the same job. */
function leadToDelegated(
  path: string,
  receipts: readonly Receipt[],
  { jobs, tell, files }: TargetPorts,
  lead: Lead,
): void {
  const found: { readonly place: Place; readonly detail: ReceiptDetail }[] = [];
  for (const { job: reference, place, call } of receipts) {
    if (reference === undefined) continue;
    const address = [path, ...place] as const;
    const job = jobs.find(reference, path);
    if (job === null) {
      const about = { kind: 'chat', object: path, relation: 'agent_job', address, call } as const;
      tell({ ...unresolved(reference, files.now), ...about });
      continue;
    }
    const detail = { address, call_id: call.id, tool_name: call.tool, job: reference };
    found.push({ place: job, detail });
  }
  for (const { place, detail } of found.sort((one, other) => byPath(one.place, other.place)))
    lead('agent_job', 'job', place, false, detail, undefined);
}

/** Of two, nearly always: that need not be left to a general sort. */
function sortByPath(found: Place[]): void {
  const [first, second] = found;
  if (first === undefined || second === undefined) return;
  if (found.length > 2) found.sort(byPath);
  else if (second.path < first.path) {
    found[0] = second;
    found[1] = first;
  }
}

function byPath({ path: one }: Place, { path: other }: Place): number {
  if (one === other) return 0;
  return one < other ? -1 : 1;
}

/** A job that may not be looked at may well be there. */
function unresolved(reference: string, { stat }: TargetPorts['files']['now']) {
  const reason = 'unresolved_job_reference' as const;
  try {
    if (reference.startsWith('/')) stat(reference);
  } catch (error) {
    return {
      reason,
      message: `job "${reference}" is out of reach: ${errorWords(error)}`,
      reference,
    };
  }
  const message = `job "${reference}" is nowhere: neither its result nor its .info is there; what only it tells of is not counted`;
  return { reason, message, reference };
}

function leadToLogs(kind: NodeKind, owner: Place, ports: TargetPorts, lead: Lead): void {
  const logs: readonly (LogChat & Partial<ReadLog>)[] =
    ports.readLogs(owner) ?? findLogs(kind, owner, ports);
  // The copies of a chat that its agent keeps there are no children of it.
  for (const { place, own, facts } of logs)
    if (kind === 'job' || !own) lead('log', 'chat', place, own, null, facts);
}

function findLogs(kind: NodeKind, owner: Place, { tell, files, places }: TargetPorts) {
  const onUnreadable = (folder: string, cause: unknown) =>
    tell({
      reason: 'unreadable',
      message: errorWords(cause),
      kind,
      object: owner.path,
      source: folder,
      relation: 'log',
      reference: folder,
      cause,
    });
  return logsOf(owner, { files: files.now, places, onUnreadable });
}
