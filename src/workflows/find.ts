// Finds workflows and tasks by name on the search path. What is broken is told for itself and hides nothing else.

import * as path from 'node:path';
import { namesIn, searchPath } from '../config/search.ts';
import { configFailure, Failure } from '../errors.ts';
import { didYouMean } from '../nearest.ts';
import { crossProblems } from './dependencies.ts';
import { homeOf } from './home.ts';
import { isDefinition, loadPlace, placeOf } from './load.ts';
import type { Task, Workflow } from './types.ts';
import type { WorkflowWorld } from './world.ts';

/** A workflow that cannot be used, or a part of one. */
export interface WorkflowProblem {
  readonly name: string;
  readonly failure: Failure;
}

export interface WorkflowList {
  /** By name. */
  readonly workflows: readonly Workflow[];
  readonly problems: readonly WorkflowProblem[];
}

/**
 * The workflow of that name: the first folder of the search path that has it counts. A name with a slash is the path of a
 * definition or of a folder with one. Rejects with a configuration Failure (exit 3) when there is none (with the places
 * tried and the nearest names), and when it is broken (with file and line).
 */
export async function findWorkflow(name: string, world: WorkflowWorld): Promise<Workflow> {
  if (/[/\\]/.test(name)) return atPath(name, world);
  const roots = await searchPath('workflows', world);
  if (isName(name))
    for (const root of roots) {
      const place = await placeOf(path.join(root, name), world.files, path.join(root, name));
      if (place !== undefined) return loadPlace(place, name, world);
    }
  const near = await didYouMean(name, await workflowNames(world));
  throw configFailure('no-such-workflow', `there is no workflow ${JSON.stringify(name)}`, {
    detail: [
      `tried ${roots.map((root) => `${path.join(root, name)}{/workflow,}.{ts,mts,js,mjs,yaml}, ${path.join(root, name, 'python')}/*.py`).join(', ')}`,
    ],
    next: near ?? '`chat task list` shows the workflows',
  });
}

async function atPath(name: string, world: WorkflowWorld): Promise<Workflow> {
  const place = path.resolve(world.cwd, name);
  const kind = (await world.files.stat(place))?.kind;
  const base = path.basename(place).replace(/\.\w+$/, '');
  const own = base === 'workflow' ? path.basename(path.dirname(place)) : base;
  if (kind === 'file' && isDefinition(place))
    return loadPlace({ definition: place, python: [] }, own, world);
  const found = kind === 'directory' ? await placeOf(place, world.files) : undefined;
  if (found !== undefined) return loadPlace(found, own, world);
  throw configFailure('no-such-workflow', `there is no workflow at "${name}"`, {
    detail: [`tried ${place}`],
    next: 'name a file (.ts, .mts, .js, .mjs, .yaml), or a folder with a workflow file or python/*.py',
  });
}

/** A task of a workflow that was found. Rejects with a configuration Failure that has the nearest names, or says why it is none. */
export async function taskOf(workflow: Workflow, name: string): Promise<Task> {
  const task = workflow.tasks.find((each) => each.name === name);
  if (task !== undefined) return task;
  const { problems = [] } = workflow;
  const own = problems.find(({ facts }) => facts.task === name);
  if (own !== undefined) throw own;
  const names = workflow.tasks.map((each) => each.name);
  const near = await didYouMean(name, names);
  throw configFailure(
    'no-such-task',
    `workflow ${workflow.name} has no task ${JSON.stringify(name)}`,
    {
      at: workflow.file,
      detail: problems.map(
        ({ message, at }) => `${typeof at === 'object' ? `${at.file}:${at.line}: ` : ''}${message}`,
      ),
      next: near ?? (names.length === 0 ? 'it has none' : `its tasks: ${names.join(', ')}`),
    },
  );
}

/**
 * Finds tasks by the names of their workflow and their own, and loads each workflow once. What is given needs no loading, and wins
 * over another of its name. What a task (`from`) names in its own workflow is found there, also when no search finds that workflow.
 * Rejects as `findWorkflow` and `taskOf`.
 */
export function taskFinder(
  world: WorkflowWorld,
  given: (name: string) => Workflow | undefined = () => undefined,
): (workflow: string, task: string, from?: Task) => Promise<Task> {
  const known = new Map<string, Promise<Workflow>>();
  return async (name, task, from) => {
    const own = (from?.workflow === name ? homeOf(from) : undefined) ?? given(name);
    if (own !== undefined) return taskOf(own, task);
    const workflow = known.get(name) ?? findWorkflow(name, world);
    known.set(name, workflow);
    return taskOf(await workflow, task);
  };
}

/** How long each may take to be loaded for a list, in milliseconds. */
const PATIENCE = 10_000;

/** Every workflow of the search path, and everything that is wrong with them. One that is not loaded after 10 seconds is broken. */
export async function listWorkflows(world: WorkflowWorld): Promise<WorkflowList> {
  const workflows: Workflow[] = [];
  const problems: WorkflowProblem[] = [];
  for (const name of await workflowNames(world)) {
    try {
      workflows.push(await findWorkflow(name, impatient(world)));
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      problems.push({ name, failure: error });
    }
  }
  for (const { name, problems: own = [] } of workflows)
    problems.push(...own.map((failure) => ({ name, failure })));
  for (const failure of await crossProblems(workflows)) problems.push({ name: '', failure });
  return { workflows, problems };
}

/** The same, where code that is loaded is not waited for longer than for a list. */
function impatient({
  foreign,
  files,
  env,
  cwd,
  packageFolder,
  processes,
}: WorkflowWorld): WorkflowWorld {
  const rest = { files, env, cwd, packageFolder, processes };
  if (foreign === undefined) return rest;
  return {
    ...rest,
    async foreign() {
      const real = await foreign();
      return { ...real, load: (work) => real.load(work, PATIENCE) };
    },
  };
}

/** Names of everything that looks like a workflow, sorted. Loads nothing. */
export async function workflowNames(
  world: Pick<WorkflowWorld, 'files' | 'env' | 'cwd' | 'packageFolder'>,
): Promise<readonly string[]> {
  const found = new Set<string>();
  for (const root of await searchPath('workflows', world))
    for (const entry of await namesIn(root, world.files)) {
      const name = isDefinition(entry) ? entry.slice(0, -path.extname(entry).length) : entry;
      if (found.has(name) || !isName(name)) continue;
      const folder = path.join(root, name);
      if ((await placeOf(folder, world.files, folder)) !== undefined) found.add(name);
    }
  return [...found].sort();
}

/** Names become folders and words of a chat line; `Baking.test.ts` and `Baking.d.ts` are no workflows. */
const isName = (name: string): boolean => /^[\p{L}\p{N}_][\p{L}\p{N}_-]*$/u.test(name);
