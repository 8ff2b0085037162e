// Loads the workflow that a folder or a file holds: its definition, and the Python files beside it.

import * as path from 'node:path';
import { isThere } from '../config/search.ts';
import { configFailure, Failure } from '../errors.ts';
import { withHome } from './home.ts';
import { loadPython, type PythonTask, type PythonTasks, pythonFiles } from './python.ts';
import type { Task, Workflow } from './types.ts';
import { loadModule } from './typescript.ts';
import type { WorkflowWorld } from './world.ts';

/** What defines one workflow. */
export interface WorkflowPlace {
  /** `workflow.ts` … */
  readonly definition?: string;
  readonly python: readonly string[];
}

const ENDINGS = ['ts', 'mts', 'js', 'mjs', 'yaml'];

/** Whether a file name ends like that of a definition. */
export const isDefinition = (name: string): boolean =>
  ENDINGS.includes(path.extname(name).slice(1));

/** What lies in the folder, and at `beside` with an ending of definitions; undefined when there is nothing. */
export async function placeOf(
  folder: string,
  files: Pick<WorkflowWorld['files'], 'stat' | 'list'>,
  beside?: string,
): Promise<WorkflowPlace | undefined> {
  const stems = [path.join(folder, 'workflow'), ...(beside === undefined ? [] : [beside])];
  const definition = await firstFile(
    stems.flatMap((stem) => ENDINGS.map((ending) => `${stem}.${ending}`)),
    files,
  );
  const python = await pythonFiles(path.join(folder, 'python'), files);
  if (definition === undefined && python.length === 0) return undefined;
  return { python, ...(definition === undefined ? {} : { definition }) };
}

async function firstFile(
  places: readonly string[],
  files: Pick<WorkflowWorld['files'], 'stat'>,
): Promise<string | undefined> {
  for (const place of places) if (await isThere(place, files)) return place;
  return undefined;
}

/** Rejects with a configuration Failure when its definition cannot be used; what is wrong with Python files alone is told beside their tasks. */
export async function loadPlace(
  place: WorkflowPlace,
  name: string,
  world: WorkflowWorld,
): Promise<Workflow> {
  const python = await pythonOf(place, name, world);
  const names = python.tasks.map((task) => task.name);
  const { definition } = place;
  const defined =
    definition === undefined ? undefined : await loadDefinition(definition, name, world, names);
  const { tasks, problems } = withoutDoubles(
    [...(defined?.tasks ?? []), ...python.tasks],
    definition ?? '',
  );
  const all = [...python.problems, ...problems];
  const file = definition ?? place.python[0] ?? '';
  return withHome({
    name,
    title: defined?.title ?? (python.title || name),
    description: defined?.description ?? '',
    file,
    tasks,
    ...(defined?.delegates === undefined ? {} : { delegates: defined.delegates }),
    ...(all.length === 0 ? {} : { problems: all }),
  });
}

/** What reads YAML is loaded where there is some: a workflow in another language does not pay for it. */
async function loadDefinition(
  file: string,
  name: string,
  world: WorkflowWorld,
  others: readonly string[],
): Promise<Workflow> {
  if (!file.endsWith('.yaml')) return loadModule(file, name, world, others);
  const { loadYaml } = await import('./yaml.ts');
  return loadYaml(file, name, world, others);
}

/** Without python3 the other tasks of the workflow can still be used. */
async function pythonOf(
  place: WorkflowPlace,
  name: string,
  world: WorkflowWorld,
): Promise<PythonTasks> {
  if (place.python.length === 0) return { title: '', tasks: [], problems: [] };
  try {
    return await loadPython(place.python, name, world);
  } catch (error) {
    if (!(error instanceof Failure) || place.definition === undefined) throw error;
    return { title: '', tasks: [], problems: [error] };
  }
}

/** Which of two tasks of one name was meant nobody can know: neither is used. */
function withoutDoubles(
  tasks: readonly (Task | PythonTask)[],
  definition: string,
): { readonly tasks: readonly Task[]; readonly problems: readonly Failure[] } {
  const sharing = (name: string) => tasks.filter((task) => task.name === name);
  const names = [...new Set(tasks.map(({ name }) => name))];
  const doubles = names.filter((name) => sharing(name).length > 1);
  return {
    tasks: tasks.filter(({ name }) => !doubles.includes(name)),
    problems: doubles.map((task) => {
      const places = sharing(task).map((each) =>
        'at' in each ? `${each.at.file}:${each.at.line}` : definition,
      );
      return configFailure('two-tasks', `two tasks are called "${task}": ${places.join(' and ')}`, {
        at: places[0] ?? definition,
        next: 'rename one of them',
        facts: { task },
      });
    }),
  };
}
