// Runs ahead of a large walk: reads the jobs that it is coming to, and lets a worker read their logs meanwhile. It decides nothing: what it
// did not read, or could not, the walk reads itself.

import type { JobFinder } from './job-references.ts';
import { createLogQueue, type LogQueuePorts, type LogTicket } from './log-queue.ts';
import type { ReadLog } from './log-reader.ts';
import type { Place } from './places.ts';
import type { ChatFacts, JobFacts } from './types.ts';

export interface ReadAhead {
  /** The walk is coming to this job. */
  want(job: Place): void;
  /** Reads what is wanted, and what that leads to. */
  advance(): Promise<void>;
  /** What is known of a job; undefined for one that was not wanted. */
  job(place: Place): Ahead | undefined;
  chat(path: string): ChatFacts | undefined;
  /** The logs of a job; undefined: look yourself. */
  logs(owner: Place): Promise<readonly ReadLog[] | undefined>;
  end(): void;
}

/** What was read of a job, each part as soon as it is there. */
export interface Ahead {
  facts: JobFacts | undefined;
  /** Where its references lead, in their order; null is nowhere. */
  dependencies: readonly (Place | null)[] | undefined;
  logs: LogTicket | undefined;
}

export interface AheadPorts extends LogQueuePorts {
  readonly jobs: JobFinder;
  /** The facts of a job, at once where that can be. */
  readonly read: (job: Place) => JobFacts | Promise<JobFacts>;
  readonly followsDependencies: boolean;
  readonly followsLogs: boolean;
}

/** So many jobs at once will have enough logs for a worker, most likely. */
const MANY = 1000;
/** Jobs that are read between two looks for answers. */
const OFTEN = 256;
/** Jobs that are read before the walk has come to the first of them. */
const MOST = 2 ** 15;

export function createReadAhead(ports: AheadPorts): ReadAhead {
  const wanted: Place[] = [];
  const jobs = new Map<Place, Ahead>();
  const chats = new Map<string, ChatFacts>();
  const queue = createLogQueue(ports);
  let next = 0;
  const want = (job: Place) => {
    if (jobs.has(job)) return;
    jobs.set(job, { facts: undefined, dependencies: undefined, logs: undefined });
    wanted.push(job);
  };
  async function read(job: Place, ahead: Ahead): Promise<void> {
    const found = ports.read(job);
    const facts = found instanceof Promise ? await found : found;
    ahead.facts = facts;
    if (ports.followsLogs && job.files === 'directory') ahead.logs = queue.add(job);
    if (!ports.followsDependencies) return;
    if (facts.dependencies.length === 0) return;
    const places: (Place | null)[] = [];
    for (const reference of facts.dependencies) {
      const dependency = ports.jobs.known(reference) ?? (await ports.jobs.find(reference));
      if (dependency !== null) want(dependency);
      places.push(dependency);
    }
    ahead.dependencies = places;
  }
  return {
    want,
    async advance() {
      if (next === wanted.length) return;
      const last = next + MOST;
      if (ports.followsLogs && wanted.length - next > MANY) queue.begin();
      for (let job = wanted[next]; job !== undefined && next < last; job = wanted[next]) {
        next++;
        const ahead = jobs.get(job);
        if (ahead !== undefined) await read(job, ahead);
        if (next % OFTEN !== 0) continue;
        queue.pump();
        await queue.turn();
      }
      queue.pump();
    },
    job: (place) => jobs.get(place),
    chat: (path) => chats.get(path),
    async logs(owner) {
      const ticket = jobs.get(owner)?.logs;
      const logs = ticket && (await queue.logs(ticket));
      for (const { place, facts } of logs ?? []) chats.set(place.path, facts);
      return logs;
    },
    end: queue.end,
  };
}
