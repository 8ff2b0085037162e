// From roots to everything that made them: the one way in which chats and jobs are discovered. Reads each file once and changes nothing.

import { createJobFinder, jobAt } from './job-references.ts';
import { createPlaces, type Place, type Places } from './places.ts';
import { chatTrouble, messageOf, problem, type Trouble } from './problems.ts';
import { readChat, reasonOf } from './read-chat.ts';
import { readJobFacts } from './read-job.ts';
import { targetsOf } from './targets.ts';
import type {
  ChatNode,
  JobNode,
  NodeKind,
  NodeReference,
  OnProblem,
  ProvenanceNode,
  ProvPorts,
  Relation,
  Visit,
} from './types.ts';

export interface WalkOptions {
  /** Relations to follow; default: all. References of others are not looked up. */
  readonly follow?: readonly Relation[];
  /** Is told each problem once, and the walk goes on. Without it the first problem is thrown. */
  readonly onError?: OnProblem;
}

/**
 * Visits the roots, then every edge that can be reached from them, breadth first: relations of a chat in the order `job`, `agent_job`,
 * `log`, of a job in the order `dependency`, `log`, `result`, and within one by path. A node is expanded at its first visit alone, so
 * that cycles and shared parts end. Nodes are told apart by kind and real path. An edge stands once for each (from, relation, to),
 * an `agent_job` edge once for each receipt. Rejects with a Failure at the first problem, unless there is `onError`.
 */
export async function* walk(
  roots: NodeReference | readonly NodeReference[],
  ports: ProvPorts,
  options: WalkOptions = {},
): AsyncGenerator<Visit, void, undefined> {
  for await (const visits of walkInSteps('kind' in roots ? [roots] : roots, ports, options))
    yield* visits;
}

/** The same, with all visits of one expansion at a time: a store has many more edges than nodes. */
export async function* walkInSteps(
  roots: readonly NodeReference[],
  ports: ProvPorts,
  { follow, onError }: WalkOptions = {},
): AsyncGenerator<readonly Visit[], void, undefined> {
  const tell = (trouble: Trouble): void => {
    const told = problem(trouble);
    if (onError === undefined) throw told.error;
    onError(told);
  };
  const places = createPlaces(ports.files);
  const nodes = createNodes(ports, places, tell);
  const follows = (relation: Relation) => follow === undefined || follow.includes(relation);
  const jobs = createJobFinder(ports.jobFolders, places);
  const context = { files: ports.files, places, jobs, follows, tell };
  const queue: { readonly node: ProvenanceNode; readonly place: Place }[] = [];
  for (const root of roots) {
    const place = await placeOf(root, places);
    if (nodes.known(root.kind, place) !== undefined) continue;
    const node = await nodes.read(root.kind, place);
    queue.push({ node, place });
    yield [{ node, edge: null, first: true }];
  }
  // The queue grows while it is gone through.
  for (const { node: from, place } of queue) {
    const visits: Visit[] = [];
    for (const target of await targetsOf(from, place, context)) {
      const { relation, kind, own, detail } = target;
      const known = nodes.known(kind, target.place);
      const first = known === undefined;
      const to = known ?? (await nodes.read(kind, target.place));
      if (first) queue.push({ node: to, place: target.place });
      visits.push({ node: to, first, edge: { from, to, relation, first, own, detail } });
    }
    if (visits.length > 0) yield visits;
  }
}

async function placeOf({ kind, path }: NodeReference, places: Places): Promise<Place> {
  if (kind === 'job') return (await jobAt(path, places)) ?? places.lookAt(path);
  return places.lookAt((await places.realPath(path)) ?? path);
}

interface Nodes {
  known(kind: NodeKind, place: Place): ProvenanceNode | undefined;
  /** To be asked for once for each kind and path. */
  read(kind: NodeKind, place: Place): Promise<ProvenanceNode>;
}

function createNodes(ports: ProvPorts, places: Places, tell: (trouble: Trouble) => void): Nodes {
  const nodes = {
    chat: new Map<string, ProvenanceNode>(),
    job: new Map<string, ProvenanceNode>(),
  };
  const jobPorts = { ...ports, places };
  return {
    known: (kind, { path }) => nodes[kind].get(path),
    async read(kind, place) {
      const { path } = place;
      const node = await (kind === 'chat' ? readChatNode(path) : readJobNode(place));
      nodes[kind].set(path, node);
      return node;
    },
  };

  async function readChatNode(path: string): Promise<ChatNode> {
    const facts = await readChat(path, ports).catch((cause: unknown): undefined => {
      const reason = reasonOf(cause);
      tell({ reason, message: messageOf(cause), kind: 'chat', object: path, cause });
    });
    for (const each of facts?.problems ?? []) tell(chatTrouble(path, each));
    return { kind: 'chat', path, facts };
  }

  async function readJobNode(place: Place): Promise<JobNode> {
    const { path } = place;
    const facts = await readJobFacts(place, jobPorts);
    if (facts.problem !== undefined) tell(infoTrouble(path, facts.problem));
    return { kind: 'job', path, facts };
  }
}

const infoTrouble = (path: string, why: string): Trouble => ({
  reason: 'broken_info',
  message: `the .info of this job cannot be read: ${why}`,
  kind: 'job',
  object: path,
  source: `${path}.info`,
});
