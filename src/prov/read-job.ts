// A stored job as facts, from its `.info` and from whether its result is there. Never runs anything, and never fails.

import { isAscii } from 'node:buffer';
import * as path from 'node:path';
import { errorWords } from '../errors.ts';
import { dependenciesOf, parseInfo } from '../store/info.ts';
import { readJob } from '../store/job.ts';
import type { Job, JobInfo } from '../store/types.ts';
import { asciiText } from './ascii.ts';
import type { Places } from './places.ts';
import { recalled } from './recalled.ts';
import type { JobFacts } from './types/facts.ts';
import type { ProvPorts } from './types/ports.ts';
import type { Place } from './walk-types.ts';

export interface JobReadPorts extends Pick<ProvPorts, 'files' | 'locks' | 'memory'> {
  readonly places: Places;
}

/** The facts of the job at a place. Those of a job that is not done are found out anew each time: it may be at work, or have been killed. */
export function readJobFacts(place: Place, ports: JobReadPorts): JobFacts | Promise<JobFacts> {
  if (place.itself !== 'file' && !ports.places.isThere(place)) return readUndone(place.path, ports);
  if (place.info === undefined) return doneFacts(place.path, {});
  return plainFacts(place, ports) ?? readDone(place.path, ports);
}

/** The short way for a plain `.info` of which nothing is remembered. */
function plainFacts(
  { path: place, info: infoKind }: Place,
  { files, memory }: JobReadPorts,
): JobFacts | undefined {
  if (infoKind !== 'file' || memory !== undefined) return undefined;
  try {
    const text = files.now.readShort?.(place + INFO);
    const info = text === undefined ? undefined : plainInfo(text);
    return info && doneFacts(place, info);
  } catch {
    // The long way tells what is wrong.
    return undefined;
  }
}

const INFO = '.info';

function readDone(place: string, { files, memory }: JobReadPorts): JobFacts {
  const file = place + INFO;
  const known = memory && recalled(file, files.now, memory);
  if (known !== undefined) return known as JobFacts;
  try {
    const { bytes } = files.now.load(file, LARGEST);
    const plain = isAscii(bytes) ? plainInfo(asciiText(bytes)) : undefined;
    const { info, problem } = plain === undefined ? parseInfo(bytes) : { info: plain };
    return doneFacts(place, info, problem);
  } catch (error) {
    return doneFacts(place, {}, errorWords(error));
  }
}

/** An `.info` of plain ASCII, as nearly all are; undefined for a broken one, or one that was cut. */
function plainInfo(text: string): JobInfo | undefined {
  try {
    const value: unknown = JSON.parse(text);
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
    return isObject ? (value as JobInfo) : undefined;
  } catch {
    return undefined;
  }
}

/** An `.info` holds inputs too, and those may be texts; one beyond this is none. */
const LARGEST = 2 ** 28;

async function readUndone(place: string, ports: JobReadPorts): Promise<JobFacts> {
  try {
    const { type, error, problem, ...job } = await readJob(place, ports);
    return factsOf({ ...job, type, error, problem });
  } catch (error) {
    // A folder that may not be looked into.
    return { ...doneFacts(place, {}, errorWords(error)), status: 'waiting', done: false };
  }
}

function doneFacts(place: string, info: JobInfo, problem?: string): JobFacts {
  return factsOf({
    workflow: textIn(info.workflow) ?? path.basename(path.dirname(path.dirname(place))),
    task: textIn(info.task_name) ?? path.basename(path.dirname(place)),
    name: place.slice(place.lastIndexOf(path.sep) + 1),
    status: 'done',
    type: textIn(info.type) ?? (place.endsWith('.chat') ? 'chat' : undefined),
    info,
    done: true,
    error: undefined,
    problem,
  });
}

type Known = Pick<Job, 'workflow' | 'task' | 'name' | 'status' | 'done' | 'info'> & {
  readonly [Field in 'type' | 'error' | 'problem']: Job[Field] | undefined;
};

function factsOf({
  workflow,
  task,
  name,
  status,
  done,
  info,
  type,
  error,
  problem,
}: Known): JobFacts {
  // One field after the other: a store has a hundred thousand jobs, and spreading costs several times as much.
  const facts: { -readonly [Field in keyof JobFacts]: JobFacts[Field] } = {
    workflow,
    task,
    name,
    status,
    done,
    dependencies: dependenciesOf(info),
  };
  const { issued, start, end, total_time_elapsed: total, time_elapsed: elapsed = total } = info;
  if (type !== undefined) facts.type = type;
  if (error !== undefined) facts.error = error;
  if (problem !== undefined) facts.problem = problem;
  if (isText(issued)) facts.issued = issued;
  if (isText(start)) facts.start = start;
  if (isText(end)) facts.end = end;
  if (typeof elapsed === 'number') facts.elapsed = elapsed;
  return facts;
}

const isText = (value: unknown): value is string => typeof value === 'string' && value !== '';

const textIn = (value: unknown): string | undefined => (isText(value) ? value : undefined);
