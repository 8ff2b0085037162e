// Reads the jobs that a walk comes to, and at once those that they depend on, so that the logs of all of them can be read beside the walk.

import type { JobFinder } from './job-references.ts';
import type { LogQueue } from './log-queue.ts';
import type { JobFacts } from './types/facts.ts';
import type { Place } from './walk-types.ts';

export interface JobReader {
  /** The walk comes to this job. */
  want(job: Place): void;
  /** Reads what is wanted, and what that leads to: afterwards `job` of each place has its facts. Undefined when that was done at once. */
  read(): Promise<void> | undefined;
}

export interface JobReaderPorts {
  readonly jobs: JobFinder;
  readonly facts: (job: Place) => JobFacts | Promise<JobFacts>;
  readonly followsDependencies: boolean;
  /** Where logs are read beside the walk, if they are. */
  readonly logs: LogQueue | undefined;
}

/** How many of some jobs have logs, most likely. */
const LIKELY = 0.2;
/** Jobs that are read between two looks for answers of the worker. */
const OFTEN = 256;

export function createJobReader({
  jobs,
  facts,
  followsDependencies,
  logs,
}: JobReaderPorts): JobReader {
  const wanted: Place[] = [];
  let next = 0;
  const want = (place: Place): void => {
    if (place.job !== undefined) return;
    place.job = { facts: undefined, dependencies: undefined, logs: undefined, node: undefined };
    wanted.push(place);
  };
  function keep(place: Place, found: JobFacts): void {
    const { job } = place;
    if (job === undefined) return;
    job.facts = found;
    if (place.files === 'directory') job.logs = logs?.add(place);
    if (!followsDependencies || found.dependencies.length === 0) return;
    job.dependencies = lookUp(found.dependencies, place.path);
  }
  function lookUp(references: readonly string[], from: string): readonly (Place | null)[] {
    const found: (Place | null)[] = [];
    for (const [index, reference] of references.entries()) {
      const dependency = jobs.find(reference, from);
      if (dependency !== null) want(dependency);
      // One text for each path: a large store names each several times.
      if (dependency?.path === reference) (references as string[])[index] = dependency.path;
      found.push(dependency);
    }
    return found;
  }
  /** Until something has to be waited for, or nothing is left. */
  function step(): Promise<void> | undefined {
    for (let place = wanted[next]; place !== undefined; place = wanted[next]) {
      next++;
      const found = facts(place);
      if (found instanceof Promise) return keepLater(place, found);
      keep(place, found);
      const turn = next % OFTEN === 0 ? logs?.turn() : undefined;
      if (turn !== undefined) return turn;
    }
    return undefined;
  }
  const keepLater = async (place: Place, found: Promise<JobFacts>) => keep(place, await found);
  async function goOn(first: Promise<void>): Promise<void> {
    for (let turn: Promise<void> | undefined = first; turn !== undefined; turn = step()) await turn;
    logs?.turn();
  }
  return {
    want,
    read() {
      if (next === wanted.length) return undefined;
      logs?.expect((wanted.length - next) * LIKELY);
      const turn = step();
      return turn === undefined ? undefined : goOn(turn);
    },
  };
}
