// From a task and its inputs to a planned job: its digest, its name, its place, and the jobs it depends on. Computes nothing.

import * as path from 'node:path';
import { isThere } from '../config/search.ts';
import { configFailure, errorWords, Failure, locate, usageFailure } from '../errors.ts';
import { plainRecord } from '../json.ts';
import type { Dependency, Inputs, Task } from '../workflows/types.ts';
import { canonical, digestOf } from './canonical.ts';
import type { JobFolders } from './folders.ts';
import { identify } from './identity.ts';
import { checkFolderName, checkJobname, DEFAULT_NAME, resultName } from './names.ts';
import type { FindTask, PlannedDependency, PlannedJob, ReadInputs, StoreWorld } from './types.ts';

export interface PlanContext {
  readonly world: Pick<StoreWorld, 'files' | 'cwd'>;
  readonly folders: JobFolders;
  readonly findTask: FindTask;
  readonly readInputs: ReadInputs;
}

/** A planned job, and what its dependents have to know of it. */
interface Planned {
  readonly job: PlannedJob;
  /** Some input, its own or of what it depends on, is not at its default. */
  readonly special: boolean;
  /** Its identity holds in the store of new jobs only. */
  readonly local: boolean;
}

export interface PlanOptions {
  readonly jobname?: string;
}

/**
 * The job of this task with these inputs (what is not given is at its default). Rejects with a Failure for a bad name or input, an
 * unknown dependency, and dependencies that go in a circle. Files are looked at anew each time: their content may have changed.
 */
export async function planJob(
  task: Task,
  given: Inputs,
  { jobname }: PlanOptions,
  context: PlanContext,
): Promise<PlannedJob> {
  if (jobname !== undefined) checkJobname(jobname);
  return (await createPlanner(context)(task, given, jobname ?? DEFAULT_NAME, [])).job;
}

/** Plans one job with all below it; work that is shared below is planned once. */
function createPlanner(context: PlanContext) {
  const known = new Map<string, Promise<Planned>>();

  const plan = async (task: Task, given: Inputs, jobname: string, above: readonly Task[]) => {
    refuseCycle(task, above);
    const inputs = withDefaults(task, await context.readInputs(task, given));
    const key = canonical([task.workflow, task.name, inputs]);
    const planned = known.get(key) ?? planKnown(task, inputs, jobname, above);
    known.set(key, planned);
    return planned;
  };

  const planKnown = async (
    task: Task,
    inputs: Inputs,
    jobname: string,
    above: readonly Task[],
  ): Promise<Planned> => {
    checkFolderName('workflow', task.workflow);
    checkFolderName('task', task.name);
    const { values, local } = await identify(task.inputs, inputs, {
      files: context.world.files,
      cwd: context.world.cwd,
      base: context.folders.base,
    });
    const dependencies: PlannedDependency[] = [];
    const changed = task.inputs.filter((input) => isChanged(input, inputs)).map(({ name }) => name);
    let special = changed.length > 0;
    let onlyHere = local;
    for (const dependency of task.deps) {
      const other = await findDependency(task, dependency, context.findTask);
      const passed = passOn(task, other, inputs, dependency);
      const below = await plan(other, passed, DEFAULT_NAME, [...above, task]);
      dependencies.push({ name: dependency.name, job: below.job });
      special ||= below.special;
      onlyHere ||= below.local;
    }
    const digest = digestOf({
      workflow: task.workflow,
      task: task.name,
      inputs: values,
      dependencies: Object.fromEntries(dependencies.map(({ name, job }) => [name, job.digest])),
    });
    const name = resultName(jobname, special ? digest : undefined, task.result);
    const place = await locatePlace(path.join(task.workflow, task.name, name), onlyHere, context);
    const job = { task, inputs, changed, digest, name, path: place, dependencies };
    return { job, special, local: onlyHere };
  };
  return plan;
}

const fullName = ({ workflow, name }: Task): string => `${workflow}/${name}`;

function refuseCycle(task: Task, above: readonly Task[]): void {
  const names = above.map(fullName);
  const start = names.indexOf(fullName(task));
  if (start < 0) return;
  throw configFailure(
    'dependency-cycle',
    `these tasks depend on each other: ${[...names.slice(start), fullName(task)].join(' → ')}`,
    { next: 'take one of these dependencies out of the workflow' },
  );
}

async function findDependency(
  task: Task,
  { workflow, task: name }: Dependency,
  findTask: FindTask,
) {
  try {
    return await findTask(workflow, name, task);
  } catch (error) {
    throw locate(error, `dependency of ${fullName(task)}`);
  }
}

/** Inputs of the same name go down to a dependency unless the dependency is given them by its definition. */
function passOn(task: Task, other: Task, own: Inputs, dependency: Dependency): Inputs {
  const passed = other.inputs
    .filter(({ name }) => own[name] !== undefined)
    .map(({ name }) => [name, own[name]] as const);
  try {
    return { ...Object.fromEntries(passed), ...dependency.inputs(own) };
  } catch (error) {
    if (error instanceof Failure) throw error;
    const text = errorWords(error);
    throw configFailure(
      'bad-dependency',
      `the inputs that ${fullName(task)} gives to its dependency ${fullName(other)} cannot be made: ${text}`,
      { cause: error },
    );
  }
}

function withDefaults(task: Task, given: Inputs): Inputs {
  const known = new Set(task.inputs.map(({ name }) => name));
  const unknown = Object.keys(given).find((name) => !known.has(name));
  if (unknown !== undefined)
    throw usageFailure('unknown-input', `${fullName(task)} has no input "${unknown}"`, {
      next: known.size === 0 ? 'it takes none' : `its inputs: ${[...known].join(', ')}`,
    });
  const own = plainRecord(Object.entries(given));
  const values = task.inputs.map(
    (input) => [input.name, own[input.name] ?? input.default] as const,
  );
  const missing = task.inputs.find(
    ({ name, required }) => required && (own[name] ?? undefined) === undefined,
  );
  if (missing !== undefined && missing.default === undefined)
    throw usageFailure('missing-input', `${fullName(task)} needs the input "${missing.name}"`, {
      next: missing.description,
    });
  return plainRecord(values.filter(([, value]) => value !== undefined && value !== null));
}

/** The content of a file is never known to be the default one, so a file that is set always counts. */
function isChanged(
  { name, type, default: standard }: Task['inputs'][number],
  inputs: Inputs,
): boolean {
  const value = inputs[name];
  if (value === undefined) return false;
  if (type.startsWith('file')) return true;
  return value !== standard && canonical(value) !== canonical(standard);
}

/** Where the job is, in any store; else where it would be made. Some identities hold in one store only. */
async function locatePlace(
  name: string,
  local: boolean,
  { folders, world }: PlanContext,
): Promise<string> {
  const fresh = path.join(folders.fresh, name);
  if (local || folders.all.length === 1) return fresh;
  const places = folders.all.map((folder) => path.join(folder, name));
  for (const place of places) if (await isThere(place, world.files)) return place;
  for (const place of places)
    if ((await isThere(`${place}.info`, world.files)) && (await world.files.isWritable(place)))
      return place;
  return fresh;
}
