// Python functions as tasks: a folder of files is listed without being run, and a task is run in a process of its own.

import { createHash } from 'node:crypto';
import * as path from 'node:path';
import { folders } from '../config/folders.ts';
import { isThere, namesIn } from '../config/search.ts';
import { configFailure, type Failure, workFailure } from '../errors.ts';
import { jobVariables } from './command.ts';
import { lineLogger } from './log-lines.ts';
import { askForList, callFunction, helperFiles } from './python-helper.ts';
import type { Inputs, JobContext, ResultType, Task, TaskInput } from './types.ts';
import type { WorkflowWorld } from './world.ts';

/** The tasks of a folder, in the order of files and of lines. */
export interface PythonTasks {
  readonly title: string;
  readonly tasks: readonly PythonTask[];
  /** What kept a file or a function from being tasks. */
  readonly problems: readonly Failure[];
}

export interface PythonTask extends Task {
  readonly at: Place;
}

interface Place {
  readonly file: string;
  readonly line: number;
}

/** What the helper tells of one file. */
interface Listing {
  readonly title?: string;
  readonly tasks: readonly ListedTask[];
  readonly problems: readonly {
    readonly line: number;
    readonly message: string;
    readonly task?: string;
  }[];
}

interface ListedTask {
  readonly name: string;
  readonly line: number;
  readonly description: string;
  readonly inputs: readonly TaskInput[];
  readonly result: ResultType;
}

/** Paths of the Python files of a folder; names that begin with `_` are private. */
export async function pythonFiles(
  folder: string,
  files: Pick<WorkflowWorld['files'], 'stat' | 'list'>,
): Promise<readonly string[]> {
  const names = await namesIn(folder, files);
  return names
    .filter((name) => name.endsWith('.py') && !/^[._]/.test(name))
    .map((name) => path.join(folder, name));
}

/** The tasks of these files. python3 is started only for a file whose content was not seen before. Rejects with a configuration Failure without it. */
export async function loadPython(
  files: readonly string[],
  workflow: string,
  world: WorkflowWorld,
): Promise<PythonTasks> {
  const listings = await listFiles(files, world);
  const found = files.map((file) => ({
    file,
    ...(listings.get(file) ?? { tasks: [], problems: [] }),
  }));
  return {
    title: found.length === 1 ? (found[0]?.title ?? '') : '',
    tasks: found.flatMap(({ file, tasks }) =>
      tasks.map((task) => taskOf(workflow, file, task, world)),
    ),
    problems: found.flatMap(({ file, problems }) =>
      problems.map(({ line, message, task }) =>
        configFailure('bad-workflow', message, {
          at: { file, line },
          ...(task === undefined ? {} : { facts: { task } }),
        }),
      ),
    ),
  };
}

async function listFiles(
  files: readonly string[],
  world: WorkflowWorld,
): Promise<ReadonlyMap<string, Listing>> {
  const found = new Map<string, Listing>();
  const places = new Map<string, string>();
  const folder = path.join((await folders(world.env, world.files)).cache, 'workflows');
  const helper: Uint8Array[] = [];
  for (const file of helperFiles(world)) helper.push(await world.files.read(file));
  for (const file of files) {
    const digest = createHash('sha256');
    for (const bytes of [...helper, await world.files.read(file)])
      digest.update(`${bytes.length} `).update(bytes);
    const place = path.join(folder, `python-${digest.digest('hex').slice(0, 32)}.json`);
    const kept = await readListing(place, world.files);
    if (kept === undefined) places.set(file, place);
    else found.set(file, kept);
  }
  if (places.size === 0) return found;
  const listed = (await askForList([...places.keys()], world)) as Readonly<Record<string, Listing>>;
  for (const [file, place] of places) {
    const listing = listed[file];
    if (listing === undefined) continue;
    found.set(file, listing);
    // What is an error for one Python may be right for the next.
    if (listing.problems.length === 0)
      await world.files.write(place, JSON.stringify(listing)).catch(() => {});
  }
  return found;
}

async function readListing(
  place: string,
  files: WorkflowWorld['files'],
): Promise<Listing | undefined> {
  if (!(await isThere(place, files))) return undefined;
  try {
    const listing = JSON.parse(Buffer.from(await files.read(place)).toString()) as Listing;
    return Array.isArray(listing.tasks) && Array.isArray(listing.problems) ? listing : undefined;
  } catch {
    return undefined;
  }
}

function taskOf(
  workflow: string,
  file: string,
  { name, line, description, inputs, result }: ListedTask,
  world: WorkflowWorld,
): PythonTask {
  const at = { file, line };
  return {
    workflow,
    name,
    description,
    inputs,
    deps: [],
    result,
    exec: false,
    returnPath: false,
    at,
    run: (values, job) => runFunction({ file, function: name, result, at }, values, job, world),
  };
}

interface PythonFunction {
  readonly file: string;
  readonly function: string;
  readonly result: ResultType;
  readonly at: Place;
}

/** The stored form of what the function returns. Rejects with a work Failure: the last line of the traceback, its file and line. */
async function runFunction(
  python: PythonFunction,
  inputs: Inputs,
  job: JobContext,
  world: WorkflowWorld,
): Promise<Uint8Array> {
  const { file, result, at } = python;
  const log = lineLogger(job);
  const call = { file, line: at.line, function: python.function, inputs, result };
  const variables = jobVariables([], path.dirname(path.dirname(file)), job);
  const outcome = await callFunction(call, world, {
    cwd: world.cwd,
    env: { ...world.env, ...variables },
    signal: job.signal,
    onStderr: log.add,
  }).finally(log.end);
  if (outcome.kind === 'done') return outcome.bytes;
  throw workFailure('python-exception', `${outcome.message} (${outcome.file}:${outcome.line})`, {
    at: { file: outcome.file, line: outcome.line },
    detail: outcome.file === at.file ? [] : [`called by ${at.file}:${at.line}`],
    // It may be installed by the next time, or be there on another machine.
    facts: outcome.message.startsWith('ModuleNotFoundError') ? { recoverable: true } : {},
  });
}
