// What a node leads to: its relations in their order, the targets of each sorted by path.

import type { JobFinder } from './job-references.ts';
import { logsOf } from './logs.ts';
import type { Places } from './places.ts';
import { messageOf, type Trouble } from './problems.ts';
import type {
  ChatFacts,
  ChatNode,
  JobNode,
  JobReference,
  NodeKind,
  ProvenanceNode,
  ProvPorts,
  Receipt,
  ReceiptDetail,
  Relation,
} from './types.ts';
import type { LogChat, Place, ReadLog } from './walk-types.ts';

/** Where an edge leads. */
export interface Target {
  readonly relation: Relation;
  readonly kind: NodeKind;
  readonly place: Place;
  readonly detail: ReceiptDetail | null;
  /** The job's own log or result: a copy of its conversation. */
  readonly own: boolean;
  /** Of a chat that was read already. */
  readonly facts: ChatFacts | undefined;
}

export interface TargetPorts {
  readonly files: ProvPorts['files'];
  readonly places: Places;
  readonly jobs: JobFinder;
  readonly follows: (relation: Relation) => boolean;
  readonly tell: (trouble: Trouble) => void;
  /** The logs of an owner, if they were read already. */
  readonly readLogs: (owner: Place) => readonly ReadLog[] | undefined;
}

/** Where each edge leads, in order. Jobs that the place's own job depends on were looked up before, where that was wanted. */
export function targetsOf(
  node: ProvenanceNode,
  place: Place,
  ports: TargetPorts,
): readonly Target[] {
  const targets: Target[] = [];
  if (node.kind === 'chat') addChatTargets(targets, node, place, ports);
  else addJobTargets(targets, node, place, ports);
  return targets;
}

function addChatTargets(
  targets: Target[],
  { path, facts }: ChatNode,
  place: Place,
  ports: TargetPorts,
): void {
  const { jobs = [], receipts = [] } = facts ?? {};
  if (jobs.length > 0 && ports.follows('job')) addProjectedJobs(targets, path, jobs, ports);
  if (receipts.length > 0 && ports.follows('agent_job'))
    addDelegatedJobs(targets, path, receipts, ports);
  if (place.files !== undefined && ports.follows('log')) addLogs(targets, 'chat', place, ports);
}

function addJobTargets(
  targets: Target[],
  { facts }: JobNode,
  place: Place,
  ports: TargetPorts,
): void {
  if (facts.dependencies.length > 0 && ports.follows('dependency'))
    addDependencies(targets, place, facts.dependencies, ports);
  if (place.files !== undefined && ports.follows('log')) addLogs(targets, 'job', place, ports);
  if (facts.type === 'chat' && facts.done && ports.follows('result'))
    targets.push(targetAt('result', 'chat', place, true));
}

function addProjectedJobs(
  targets: Target[],
  path: string,
  references: readonly JobReference[],
  { jobs, tell }: TargetPorts,
): void {
  const found: Place[] = [];
  for (const { reference, index } of references) {
    const job = jobs.find(reference);
    const about = { kind: 'chat', object: path, relation: 'job', address: [path, index] } as const;
    if (job === null) tell({ ...unresolved(reference), ...about });
    else found.push(job);
  }
  addJobs(targets, 'job', found);
}

function addDependencies(
  targets: Target[],
  owner: Place,
  references: readonly string[],
  { jobs, tell }: TargetPorts,
): void {
  const found: Place[] = [];
  const known = owner.job?.dependencies;
  let index = -1;
  for (const reference of references) {
    const before = known?.[++index];
    const job = before === undefined ? jobs.find(reference) : before;
    if (job !== null) found.push(job);
    else {
      const about = { kind: 'job', object: owner.path, relation: 'dependency' } as const;
      tell({ ...unresolved(reference), ...about, source: `${owner.path}.info` });
    }
  }
  addJobs(targets, 'dependency', found);
}

function addJobs(targets: Target[], relation: Relation, found: Place[]): void {
  if (found.length > 1) found.sort(byPath);
  let last: string | undefined;
  for (const place of found) {
    if (place.path !== last) targets.push(targetAt(relation, 'job', place));
    last = place.path;
  }
}

/** One target for each receipt, also where several name the same job. */
function addDelegatedJobs(
  targets: Target[],
  path: string,
  receipts: readonly Receipt[],
  { jobs, tell }: TargetPorts,
): void {
  const found: Target[] = [];
  for (const { job: reference, place, call } of receipts) {
    if (reference === undefined) continue;
    const address = [path, ...place] as const;
    const job = jobs.find(reference);
    if (job === null) {
      const about = { kind: 'chat', object: path, relation: 'agent_job', address, call } as const;
      tell({ ...unresolved(reference), ...about });
      continue;
    }
    const detail = { address, call_id: call.id, tool_name: call.tool, job: reference };
    found.push({ ...targetAt('agent_job', 'job', job), detail });
  }
  targets.push(...found.sort((one, other) => byPath(one.place, other.place)));
}

function byPath({ path: one }: Place, { path: other }: Place): number {
  if (one === other) return 0;
  return one < other ? -1 : 1;
}

const unresolved = (reference: string) =>
  ({
    reason: 'unresolved_job_reference',
    message: `job "${reference}" is nowhere: neither its result nor its .info is there`,
    reference,
  }) as const;

function addLogs(targets: Target[], kind: NodeKind, owner: Place, ports: TargetPorts): void {
  const logs: readonly (LogChat & Partial<ReadLog>)[] =
    ports.readLogs(owner) ?? findLogs(kind, owner, ports);
  // The copies of a chat that its agent keeps there are no children of it.
  for (const { place, own, facts } of logs)
    if (kind === 'job' || !own) targets.push(targetAt('log', 'chat', place, own, facts));
}

function findLogs(kind: NodeKind, owner: Place, { tell, files, places }: TargetPorts) {
  const onUnreadable = (folder: string, cause: unknown) =>
    tell({
      reason: 'unreadable',
      message: messageOf(cause),
      kind,
      object: owner.path,
      source: folder,
      relation: 'log',
      reference: folder,
      cause,
    });
  return logsOf(owner, { files: files.now, places, onUnreadable });
}

const targetAt = (
  relation: Relation,
  kind: NodeKind,
  place: Place,
  own = false,
  facts?: ChatFacts,
): Target => ({ relation, kind, place, detail: null, own, facts });
