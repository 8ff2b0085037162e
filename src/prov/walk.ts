// From roots to everything that made them: the one way in which chats and jobs are discovered. Reads each file once and changes nothing.

import { createJobFinder, jobAt } from './job-references.ts';
import { readLogs } from './log-reader.ts';
import type { Observations } from './observations.ts';
import { createPlaces, type Place, type Places } from './places.ts';
import { chatTrouble, messageOf, problem, type Trouble } from './problems.ts';
import { type AheadPorts, createReadAhead, type ReadAhead } from './read-ahead.ts';
import { readChat, reasonOf } from './read-chat.ts';
import { plainFacts, readJobFacts } from './read-job.ts';
import { targetsOf } from './targets.ts';
import type {
  ChatFacts,
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
  const { follow, onError } = options;
  const steps = createWalk('kind' in roots ? [roots] : roots, ports, {
    tell: teller(onError),
    follow,
  });
  try {
    for (let visits = await steps.next(); visits !== undefined; visits = await steps.next())
      yield* visits;
  } finally {
    steps.end();
  }
}

/** How a walk tells what went wrong: to a listener, or by throwing it. */
export function teller(onError: OnProblem | undefined): (trouble: Trouble) => void {
  return (trouble) => {
    const told = problem(trouble);
    if (onError === undefined) throw told.error;
    onError(told);
  };
}

export interface Walk {
  /** All visits of one root or of one expansion; undefined at the end. */
  next(): Promise<readonly Visit[] | undefined>;
  /** To be called by whoever stops before the end. */
  end(): void;
}

export interface StepOptions {
  readonly follow: readonly Relation[] | undefined;
  /** Hears of each problem once; may throw. */
  readonly tell: (trouble: Trouble) => void;
  /** Told what others looked at for this walk. */
  readonly saw?: ((seen: Observations) => void) | undefined;
}

/** The same walk in steps: a store has many edges, and a generator costs more for each of them than all the rest. */
export function createWalk(
  roots: readonly NodeReference[],
  ports: ProvPorts,
  { follow, tell, saw }: StepOptions,
): Walk {
  const places = createPlaces(ports.files);
  const follows = (relation: Relation) => follow === undefined || follow.includes(relation);
  const jobs = createJobFinder(ports.jobFolders, places);
  const ahead = aheadOf({ ...ports, places, jobs, follows, saw });
  const nodes = createNodes(ports, places, ahead, tell);
  const context = { ...ports, places, jobs, follows, tell, ahead };
  const queue: { readonly node: ProvenanceNode; readonly place: Place }[] = [];
  let started = 0;
  let expanded = 0;

  async function start(root: NodeReference): Promise<readonly Visit[]> {
    const place = await placeOf(root, places);
    if (nodes.known(root.kind, place) !== undefined) return [];
    const node = await nodes.read(root.kind, place);
    queue.push({ node, place });
    return [{ node, edge: null, first: true }];
  }

  async function expand(from: ProvenanceNode, place: Place): Promise<readonly Visit[]> {
    const visits: Visit[] = [];
    const targets = await targetsOf(from, place, context);
    if (ahead !== undefined) {
      for (const { kind, place: job } of targets) if (kind === 'job') ahead.want(job);
      await ahead.advance();
    }
    for (const target of targets) {
      const { relation, kind, own, detail } = target;
      const known = nodes.known(kind, target.place);
      const first = known === undefined;
      const to = known ?? (await nodes.read(kind, target.place));
      if (first) queue.push({ node: to, place: target.place });
      visits.push({ node: to, first, edge: { from, to, relation, first, own, detail } });
    }
    return visits;
  }

  return {
    async next() {
      const root = roots[started];
      if (root !== undefined) {
        started++;
        return start(root);
      }
      const entry = queue[expanded++];
      if (entry !== undefined) return expand(entry.node, entry.place);
      ahead?.end();
      return undefined;
    },
    end: () => ahead?.end(),
  };
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

function aheadOf({
  workers,
  memory,
  places,
  follows,
  ...ports
}: ProvPorts &
  Pick<AheadPorts, 'jobs' | 'saw'> & {
    readonly places: Places;
    readonly follows: (relation: Relation) => boolean;
  }): ReadAhead | undefined {
  // Where nearly all is remembered there is little to read.
  if (workers === undefined || memory !== undefined) return undefined;
  const jobPorts = { ...ports, places };
  return createReadAhead({
    workers,
    jobs: ports.jobs,
    saw: ports.saw,
    readHere: async (owner) =>
      (await readLogs({ owners: [owner], record: false }, ports.files)).logs[0] ?? null,
    read: (job) => plainFacts(job, ports) ?? readJobFacts(job, jobPorts),
    followsDependencies: follows('dependency'),
    followsLogs: follows('log'),
  });
}

function createNodes(
  ports: ProvPorts,
  places: Places,
  ahead: ReadAhead | undefined,
  tell: (trouble: Trouble) => void,
): Nodes {
  const chats = new Map<string, ChatNode>();
  // Looks at one job always give the same place, and finding an object is cheaper than finding a path.
  const jobs = new Map<Place, JobNode>();
  const jobPorts = { ...ports, places };
  return {
    known: (kind, place) => (kind === 'chat' ? chats.get(place.path) : jobs.get(place)),
    read: (kind, place) => (kind === 'chat' ? readChatNode(place.path) : readJobNode(place)),
  };

  async function readChatNode(path: string): Promise<ChatNode> {
    const facts = ahead?.chat(path) ?? (await readOrTell(path));
    for (const each of facts?.problems ?? []) tell(chatTrouble(path, each));
    const node: ChatNode = { kind: 'chat', path, facts };
    chats.set(path, node);
    return node;
  }

  function readOrTell(path: string): Promise<ChatFacts | undefined> {
    return readChat(path, ports).catch((cause: unknown): undefined => {
      const reason = reasonOf(cause);
      tell({ reason, message: messageOf(cause), kind: 'chat', object: path, cause });
    });
  }

  async function readJobNode(place: Place): Promise<JobNode> {
    const { path } = place;
    const facts = ahead?.job(place)?.facts ?? (await readJobFacts(place, jobPorts));
    if (facts.problem !== undefined) tell(infoTrouble(path, facts.problem));
    const node: JobNode = { kind: 'job', path, facts };
    jobs.set(place, node);
    return node;
  }
}

const infoTrouble = (path: string, why: string): Trouble => ({
  reason: 'broken_info',
  message: `the .info of this job cannot be read: ${why}`,
  kind: 'job',
  object: path,
  source: `${path}.info`,
});
