// Runs ahead of a large walk: reads the jobs that it is coming to, and lets a thread read their logs meanwhile. It decides nothing: what it
// did not read, or could not, the walk reads itself.

import type { Thread, Threads } from '../world/types.ts';
import type { JobFinder } from './job-references.ts';
import type { LogAnswer, LogQuestion, ReadLog } from './log-reader.ts';
import type { Observations } from './observations.ts';
import type { Place } from './places.ts';
import type { ChatFacts, JobFacts } from './types.ts';

export interface ReadAhead {
  /** The walk is coming to this job. */
  want(job: Place): void;
  /** Reads what is wanted, and what that leads to. */
  advance(): Promise<void>;
  /** What was read of it, once. */
  job(place: Place): JobFacts | undefined;
  chat(path: string): ChatFacts | undefined;
  /** The logs to come, undefined in them or altogether: look yourself. */
  logs(owner: Place): Promise<readonly ReadLog[] | undefined> | undefined;
  end(): void;
}

export interface AheadPorts {
  readonly threads: Threads;
  readonly jobs: JobFinder;
  readonly read: (job: Place) => Promise<JobFacts>;
  readonly followsDependencies: boolean;
  readonly followsLogs: boolean;
  /** Told what the thread looked at; nobody wants to know without it. */
  readonly saw?: ((seen: Observations) => void) | undefined;
}

/** A thread takes a while to start: so many owners of logs must be there before it is worth that. */
const FEW = 200;
/** Owners that are handed over together. */
const BATCH = 64;
/** Jobs that are read before the walk has come to the first of them. */
const MOST = 2 ** 15;

/** The program that the thread runs. */
const LOG_READER = 'log-reader';

export function createReadAhead(ports: AheadPorts): ReadAhead {
  const wanted: Place[] = [];
  const met = new Set<Place>();
  const jobs = new Map<Place, JobFacts>();
  const chats = new Map<string, ChatFacts>();
  const reader = createReader(ports, (logs) => {
    for (const { place, facts } of logs) chats.set(place.path, facts);
  });
  let next = 0;
  const want = (job: Place) => {
    if (met.has(job)) return;
    met.add(job);
    wanted.push(job);
  };
  async function read(job: Place): Promise<void> {
    const facts = await ports.read(job);
    jobs.set(job, facts);
    if (ports.followsLogs && job.files === 'directory') reader.ask(job);
    if (!ports.followsDependencies) return;
    for (const reference of facts.dependencies) {
      const dependency = ports.jobs.known(reference) ?? (await ports.jobs.find(reference));
      if (dependency !== null) want(dependency);
    }
  }
  return {
    want,
    async advance() {
      if (next === wanted.length) return;
      for (let job = wanted[next]; job !== undefined && jobs.size < MOST; job = wanted[next]) {
        next++;
        await read(job);
      }
      reader.flush();
    },
    job: (place) => taken(jobs, place),
    chat: (path) => taken(chats, path),
    logs: reader.logs,
    end: reader.end,
  };
}

function taken<Key, Value>(from: Map<Key, Value>, key: Key): Value | undefined {
  const value = from.get(key);
  if (value !== undefined) from.delete(key);
  return value;
}

type Logs = readonly ReadLog[] | undefined;

/** The thread, once it is worth one. */
function createReader({ threads, saw }: AheadPorts, take: (logs: readonly ReadLog[]) => void) {
  const promised = new Map<Place, Promise<Logs>>();
  const sent: ((logs: LogAnswer['logs']) => void)[] = [];
  let batch: Place[] = [];
  let asked = 0;
  let thread: Thread | undefined;
  let isOver = false;
  const giveUp = () => {
    isOver = true;
    for (const settle of sent.splice(0)) settle([]);
  };
  const onMessage = (message: unknown) => {
    const { logs, seen } = JSON.parse(String(message)) as LogAnswer;
    if (seen !== undefined) saw?.(seen);
    for (const each of logs) if (each !== null) take(each);
    sent.shift()?.(logs);
    if (sent.length === 0) thread?.busy(false);
  };
  const flush = () => {
    if (asked < FEW || batch.length === 0 || isOver) return;
    thread ??= threads.start(LOG_READER, { message: onMessage, ended: giveUp });
    if (thread === undefined) return giveUp();
    const owners = batch;
    batch = [];
    const answer = new Promise<LogAnswer['logs']>((settle) => sent.push(settle));
    for (const [index, owner] of owners.entries())
      promised.set(
        owner,
        answer.then((logs) => logs[index] ?? undefined),
      );
    const question: LogQuestion = { owners, record: saw !== undefined };
    thread.busy(true);
    thread.post(question);
  };
  return {
    ask(owner: Place) {
      asked++;
      batch.push(owner);
      if (batch.length >= BATCH) flush();
    },
    flush,
    logs: (owner: Place) => taken(promised, owner),
    end() {
      giveUp();
      thread?.end();
    },
  };
}
