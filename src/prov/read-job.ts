// A stored job as facts, from its `.info` and from whether its result is there. Never runs anything, and never fails.

import { isAscii } from 'node:buffer';
import * as path from 'node:path';
import { dependenciesOf, readInfo } from '../store/info.ts';
import { readJob } from '../store/job.ts';
import type { Job, JobInfo } from '../store/types.ts';
import { asciiText } from './ascii.ts';
import type { Place, Places } from './places.ts';
import { messageOf } from './problems.ts';
import { recalled } from './recalled.ts';
import type { JobFacts, ProvPorts } from './types.ts';

export interface JobReadPorts extends Pick<ProvPorts, 'files' | 'locks' | 'memory'> {
  readonly places: Places;
}

/** The facts of the job at a place. Those of a job that is not done are found out anew each time: it may be at work, or have been killed. */
export async function readJobFacts(place: Place, ports: JobReadPorts): Promise<JobFacts> {
  const plain = plainFacts(place, ports);
  if (plain !== undefined) return plain;
  const isDone = place.itself === 'file' || (await ports.places.isThere(place));
  if (!isDone) return readUndone(place.path, ports);
  return place.info === undefined ? doneFacts(place.path, {}) : readDone(place.path, ports);
}

/** The short way, without waiting, for a finished job with a plain `.info` of which nothing is remembered; undefined for any other. */
export function plainFacts(
  { path: place, itself, info: infoKind }: Place,
  { files, memory }: Pick<ProvPorts, 'files' | 'memory'>,
): JobFacts | undefined {
  if (itself !== 'file' || infoKind !== 'file') return undefined;
  if (memory !== undefined || files.readShortNow === undefined) return undefined;
  try {
    const text = files.readShortNow(`${place}.info`);
    const info = text === undefined ? undefined : plainInfo(text);
    return info && doneFacts(place, info);
  } catch {
    // The long way tells what is wrong.
    return undefined;
  }
}

async function readDone(place: string, { files, memory }: JobReadPorts): Promise<JobFacts> {
  const file = `${place}.info`;
  const known = memory && (await recalled(file, files, memory));
  if (known !== undefined) return known as JobFacts;
  try {
    const { bytes, stat } = await files.load(file, LARGEST);
    const info = isAscii(bytes) ? plainInfo(asciiText(bytes)) : undefined;
    if (info !== undefined) return doneFacts(place, info);
    const read = await readInfo(file, { read: async () => bytes, stat: async () => stat });
    return doneFacts(place, read?.info ?? {}, read?.problem);
  } catch (error) {
    return doneFacts(place, {}, messageOf(error));
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
    return factsOf(await readJob(place, ports));
  } catch (error) {
    // A folder that may not be looked into.
    return { ...doneFacts(place, {}, messageOf(error)), status: 'waiting', done: false };
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
    ...(problem === undefined ? {} : { problem }),
  });
}

function factsOf(job: Omit<Job, 'path'>): JobFacts {
  const { workflow, task, name, status, done, info } = job;
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
  if (job.type !== undefined) facts.type = job.type;
  if (job.error !== undefined) facts.error = job.error;
  if (job.problem !== undefined) facts.problem = job.problem;
  if (isText(issued)) facts.issued = issued;
  if (isText(start)) facts.start = start;
  if (isText(end)) facts.end = end;
  if (typeof elapsed === 'number') facts.elapsed = elapsed;
  return facts;
}

const isText = (value: unknown): value is string => typeof value === 'string' && value !== '';

const textIn = (value: unknown): string | undefined => (isText(value) ? value : undefined);
