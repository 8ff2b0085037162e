// What a node leads to: its relations in their order, the targets of each sorted by path.

import type { JobFinder } from './job-references.ts';
import { logsOf } from './logs.ts';
import type { Place, Places } from './places.ts';
import { messageOf, type Trouble } from './problems.ts';
import type { ReadAhead } from './read-ahead.ts';
import type {
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

/** Where an edge leads. */
export interface Target {
  readonly relation: Relation;
  readonly kind: NodeKind;
  readonly place: Place;
  readonly detail: ReceiptDetail | null;
  /** The job's own log or result: a copy of its conversation. */
  readonly own: boolean;
}

export interface TargetPorts {
  readonly files: Pick<ProvPorts['files'], 'entries'>;
  readonly places: Places;
  readonly jobs: JobFinder;
  readonly follows: (relation: Relation) => boolean;
  readonly tell: (trouble: Trouble) => void;
  /** Who may have read the logs already. */
  readonly ahead?: Pick<ReadAhead, 'job' | 'logs'> | undefined;
}

/** Told where each edge leads, in order. */
export async function targetsOf(
  node: ProvenanceNode,
  place: Place,
  ports: TargetPorts,
): Promise<readonly Target[]> {
  const targets: Target[] = [];
  if (node.kind === 'chat') await addChatTargets(targets, node, place, ports);
  else await addJobTargets(targets, node, place, ports);
  return targets;
}

async function addChatTargets(
  targets: Target[],
  { path, facts }: ChatNode,
  place: Place,
  ports: TargetPorts,
): Promise<void> {
  const { jobs = [], receipts = [] } = facts ?? {};
  if (jobs.length > 0 && ports.follows('job')) await addProjectedJobs(targets, path, jobs, ports);
  if (receipts.length > 0 && ports.follows('agent_job'))
    await addDelegatedJobs(targets, path, receipts, ports);
  if (place.files !== undefined && ports.follows('log'))
    await addLogs(targets, 'chat', place, ports);
}

async function addJobTargets(
  targets: Target[],
  { facts }: JobNode,
  place: Place,
  ports: TargetPorts,
): Promise<void> {
  if (facts.dependencies.length > 0 && ports.follows('dependency'))
    await addDependencies(targets, place, facts.dependencies, ports);
  if (place.files !== undefined && ports.follows('log'))
    await addLogs(targets, 'job', place, ports);
  if (facts.type === 'chat' && facts.done && ports.follows('result'))
    targets.push({ relation: 'result', kind: 'chat', place, detail: null, own: true });
}

async function addProjectedJobs(
  targets: Target[],
  path: string,
  references: readonly JobReference[],
  { jobs, tell }: TargetPorts,
): Promise<void> {
  const found: Place[] = [];
  for (const { reference, index } of references) {
    const job = jobs.known(reference) ?? (await jobs.find(reference));
    const about = { kind: 'chat', object: path, relation: 'job', address: [path, index] } as const;
    if (job === null) tell({ ...unresolved(reference), ...about });
    else found.push(job);
  }
  addJobs(targets, 'job', found);
}

async function addDependencies(
  targets: Target[],
  owner: Place,
  references: readonly string[],
  { jobs, tell, ahead }: TargetPorts,
): Promise<void> {
  const found: Place[] = [];
  const known = ahead?.job(owner)?.dependencies;
  for (const [index, reference] of references.entries()) {
    const job = known?.[index] ?? jobs.known(reference) ?? (await jobs.find(reference));
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
    if (place.path !== last)
      targets.push({ relation, kind: 'job', place, detail: null, own: false });
    last = place.path;
  }
}

/** One target for each receipt, also where several name the same job. */
async function addDelegatedJobs(
  targets: Target[],
  path: string,
  receipts: readonly Receipt[],
  { jobs, tell }: TargetPorts,
): Promise<void> {
  const found: Target[] = [];
  for (const { job: reference, place, call } of receipts) {
    if (reference === undefined) continue;
    const address = [path, ...place] as const;
    const job = await jobs.find(reference);
    if (job === null) {
      const about = { kind: 'chat', object: path, relation: 'agent_job', address, call } as const;
      tell({ ...unresolved(reference), ...about });
      continue;
    }
    const detail = { address, call_id: call.id, tool_name: call.tool, job: reference };
    found.push({ relation: 'agent_job', kind: 'job', place: job, detail, own: false });
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

async function addLogs(
  targets: Target[],
  kind: NodeKind,
  owner: Place,
  { tell, ahead, ...ports }: TargetPorts,
): Promise<void> {
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
  // The copies of a chat that its agent keeps there are no children of it.
  const read = ahead && (await ahead.logs(owner));
  for (const { place, own } of read ?? (await logsOf(owner, { ...ports, onUnreadable })))
    if (kind === 'job' || !own)
      targets.push({ relation: 'log', kind: 'chat', place, detail: null, own });
}
