// From roots to everything that made them: the one way in which chats and jobs are discovered. Reads each file once and changes nothing.

import { createJobReader } from './job-reader.ts';
import { createJobFinder, jobAt, type MovedStore } from './job-references.ts';
import { createLogQueue, type LogQueue } from './log-queue.ts';
import { readLogs } from './log-reader.ts';
import type { Observations } from './observations.ts';
import { createPlaces, type Places } from './places.ts';
import { problem, type Trouble } from './problems.ts';
import { readJobFacts } from './read-job.ts';
import { type Lead, targetsOf } from './targets.ts';
import type { Edge, ProvenanceNode, Visit } from './types/graph.ts';
import type { NodeReference, Relation } from './types/places.ts';
import type { ProvPorts } from './types/ports.ts';
import type { OnProblem } from './types/warnings.ts';
import { createNodes } from './walk-nodes.ts';
import type { Place, ReadLog } from './walk-types.ts';

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
  let visits: Visit[] = [];
  const steps = createWalk('kind' in roots ? [roots] : roots, ports, {
    tell: teller(onError),
    follow,
    visit: (node, edge, first) => visits.push({ node, edge, first }),
  });
  try {
    while (await steps.next()) {
      yield* visits;
      visits = [];
    }
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
  /** Visits one root, or all that one node leads to. Whether there was one. At once, where nothing has to be waited for. */
  next(): boolean | Promise<boolean>;
  /** To be called at the end, and by whoever stops before. */
  end(): void;
}

export interface StepOptions {
  readonly follow: readonly Relation[] | undefined;
  /** Hears of each problem once; may throw. */
  readonly tell: (trouble: Trouble) => void;
  /** Told each visit in order. */
  readonly visit: (node: ProvenanceNode, edge: Edge | null, first: boolean) => void;
  /** Told what others looked at for this walk. */
  readonly saw?: ((seen: Observations) => void) | undefined;
}

/** The same walk in steps that do not wait for each other: a store has many edges, and a generator costs more for each of them than all the rest. */
export function createWalk(
  roots: readonly NodeReference[],
  ports: ProvPorts,
  { follow, tell, visit, saw }: StepOptions,
): Walk {
  const places = createPlaces(ports.files.now);
  const follows = (relation: Relation) => follow === undefined || follow.includes(relation);
  const jobs = createJobFinder(ports.jobFolders, places, (store) => tell(movedTrouble(store)));
  const logs = follows('log') ? logQueueOf(ports, places, saw) : undefined;
  const jobPorts = { ...ports, places };
  const reader = createJobReader({
    jobs,
    facts: (job) => readJobFacts(job, jobPorts),
    followsDependencies: follows('dependency'),
    logs,
  });
  const nodes = createNodes(ports, tell);
  const context = { files: ports.files, places, jobs, follows, tell, readLogs: logsRead };
  const queue: ProvenanceNode[] = [];
  const placesOf: Place[] = [];
  let started = 0;
  let expanded = 0;

  function start(root: NodeReference): boolean | Promise<boolean> {
    const place = placeOf(root, places);
    return readWanted(root.kind === 'job' ? [place] : NONE, () => {
      if (nodes.known(root.kind, place) !== undefined) return;
      visit(come(nodes.read(root.kind, place, undefined), place), null, true);
    });
  }

  function come(node: ProvenanceNode, place: Place): ProvenanceNode {
    queue.push(node);
    placesOf.push(place);
    return node;
  }

  function expand(from: ProvenanceNode, place: Place): boolean | Promise<boolean> {
    const lead: Lead = (relation, kind, target, own, detail, facts) => {
      const known = nodes.known(kind, target);
      const first = known === undefined;
      const to = known ?? come(nodes.read(kind, target, facts), target);
      visit(to, { from, to, relation, first, own, detail }, first);
    };
    // What a job depends on was read with it.
    if (from.kind === 'job') {
      targetsOf(from, place, context, lead);
      return true;
    }
    const targets: Parameters<Lead>[] = [];
    targetsOf(from, place, context, (...target) => void targets.push(target));
    const wanted = targets.filter(([, kind]) => kind === 'job').map(([, , target]) => target);
    return readWanted(wanted, () => {
      for (const target of targets) lead(...target);
    });
  }

  function readWanted(wanted: readonly Place[], then: () => void): boolean | Promise<boolean> {
    for (const job of wanted) reader.want(job);
    const reading = reader.read();
    if (reading !== undefined) return reading.then(then).then(() => true);
    then();
    return true;
  }

  return {
    next() {
      const root = roots[started];
      if (root !== undefined) {
        started++;
        return start(root);
      }
      const node = queue[expanded];
      const place = placesOf[expanded];
      if (node === undefined || place === undefined) return false;
      expanded++;
      const waiting = place.job?.logs && logs?.settled(place.job.logs);
      return waiting === undefined ? expand(node, place) : waiting.then(() => expand(node, place));
    },
    end: () => logs?.end(),
  };
}

const NONE: readonly never[] = [];

/** Followed, and told: whoever reads the numbers decides whether those are the same jobs. */
const movedTrouble = ({ old, now, reference, from }: MovedStore): Trouble => ({
  reason: 'moved_jobs',
  message: `jobs that are named below "${old}" are no longer there; those of the same names below "${now}" are taken for them`,
  object: from,
  reference,
});

function placeOf({ kind, path }: NodeReference, places: Places): Place {
  if (kind === 'job') return jobAt(path, places) ?? places.lookAt(path);
  return places.lookAt(places.realPath(path) ?? path);
}

/** What was read beside the walk; of what nobody has begun with, the walk reads itself. */
function logsRead({ job }: Place): readonly ReadLog[] | undefined {
  if (job?.logs?.state === 'queued') job.logs.state = 'read';
  return job?.logs?.logs;
}

function logQueueOf(
  { workers, memory, files }: ProvPorts,
  places: Places,
  saw: StepOptions['saw'],
): LogQueue | undefined {
  // Where nearly all is remembered there is little to read.
  if (workers === undefined || memory !== undefined) return undefined;
  return createLogQueue({ workers, saw, readHere: (owner) => readLogs(owner, files.now, places) });
}
