// A stored job as people read it, and as a program does.

import * as path from 'node:path';
import { errorWords } from '../errors.ts';
import { addAll } from '../lists.ts';
import { filesFolder, logFile } from '../store/context.ts';
import { saidBy } from '../store/failed.ts';
import { inputsOf } from '../store/info.ts';
import type { Store } from '../store/store.ts';
import type { Job } from '../store/types.ts';
import type { Files } from '../world/types/files.ts';

/** A job with what belongs to it. */
export interface JobView {
  readonly job: Job;
  readonly dependencies: readonly Job[];
  /** Paths below the artifact folder, sorted. */
  readonly artifacts: readonly string[];
  /** Why some of them are not known. */
  readonly hidden?: string;
}

export async function viewJob(
  place: string,
  store: Store,
  files: Pick<Files, 'stat' | 'list'>,
): Promise<JobView> {
  const job = await store.readJob(place);
  const dependencies = await store.dependencies(job);
  let hidden: string | undefined;
  const artifacts = await filesBelow(filesFolder(place), '', files, (error) => {
    hidden ??= errorWords(error);
  });
  return { job, dependencies, artifacts, ...(hidden === undefined ? {} : { hidden }) };
}

/** Links are listed, not followed. */
async function filesBelow(
  folder: string,
  prefix: string,
  files: Pick<Files, 'stat' | 'list'>,
  onHidden: (error: unknown) => void,
): Promise<readonly string[]> {
  const found: string[] = [];
  try {
    if ((await files.stat(folder))?.kind !== 'directory') return [];
    for (const name of await files.list(folder)) {
      const place = path.join(folder, name);
      const isFolder = (await files.stat(place))?.kind === 'directory';
      if (isFolder && prefix.split('/').length < 32)
        addAll(found, await filesBelow(place, `${prefix}${name}/`, files, onHidden));
      else found.push(prefix + name);
    }
  } catch (error) {
    onHidden(error);
  }
  return found;
}

/** `NAME value` lines; what is not known has none. */
export function jobLines({
  job,
  dependencies,
  artifacts,
  hidden,
}: JobView): readonly (readonly [string, string])[] {
  const { info, error } = job;
  const rows: (readonly [string, string | undefined])[] = [
    ['status', job.holder === undefined ? job.status : `${job.status} (${job.holder})`],
    ['job', `${job.workflow}/${job.task} ${job.name}`],
    ['path', job.path],
    ['type', job.type],
    ...Object.entries(inputsOf(info)).map(
      ([name, value]) => ['input', `${name} = ${short(value)}`] as const,
    ),
    ...dependencies.map(
      (each) => ['needs', `${each.status} ${each.workflow}/${each.task} ${each.name}`] as const,
    ),
    ['issued', text(info.issued)],
    ['started', text(info.start)],
    ['ended', text(info.end)],
    ['seconds', info.time_elapsed === undefined ? undefined : String(info.time_elapsed)],
    [
      'process',
      info.pid === undefined ? undefined : `${info.pid} on ${info.pid_hostname ?? 'this host'}`,
    ],
    ['progress', info.progress === undefined ? undefined : short(info.progress)],
    ['error', error === undefined ? undefined : saidBy(error)],
    ['', error?.recoverable ? 'it may pass: the next request computes the job again' : undefined],
    ['.info', job.problem === undefined ? undefined : `cannot be read: ${job.problem}`],
    ...artifacts
      .filter((name) => name !== LOG)
      .map((name) => ['file', path.join(filesFolder(job.path), name)] as const),
    ['files', hidden],
    ['log', artifacts.includes(LOG) ? logFile(job.path) : undefined],
  ];
  return rows.filter((row): row is readonly [string, string] => row[1] !== undefined);
}

/** The same as one object, with the whole `.info`. */
export function jobJson({
  job,
  dependencies,
  artifacts,
  hidden,
}: JobView): Readonly<Record<string, unknown>> {
  const {
    path: place,
    workflow,
    task,
    name,
    status,
    type,
    done,
    error,
    holder,
    problem,
    info,
  } = job;
  return {
    path: place,
    workflow,
    task,
    name,
    status,
    done,
    type: type ?? null,
    inputs: inputsOf(info),
    dependencies: dependencies.map((each) => ({ path: each.path, status: each.status })),
    artifacts: artifacts.map((each) => path.join(filesFolder(place), each)),
    error: error ?? null,
    holder: holder ?? null,
    problem: problem ?? hidden ?? null,
    info,
  };
}

const LOG = path.basename(logFile(''));
const LONGEST = 200;

function short(value: unknown): string {
  const whole = typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
  return whole.length <= LONGEST
    ? whole
    : `${whole.slice(0, LONGEST)}… (${whole.length} characters)`;
}

const text = (value: unknown): string | undefined =>
  typeof value === 'string' ? value : undefined;
