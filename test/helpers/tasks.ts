// Hand-made tasks and a store in a folder: what the store needs of workflows, without any workflow file.

import { join } from 'node:path';
import { usageFailure } from '../../src/errors.ts';
import { openStore, type StoreOptions } from '../../src/store/store.ts';
import type { StoreWorld } from '../../src/store/types.ts';
import type { Dependency, Inputs, JobContext, Task, TaskInput } from '../../src/workflows/types.ts';
import { createClock } from '../../src/world/clock.ts';
import { createFiles } from '../../src/world/files.ts';
import { createLocks } from '../../src/world/lock.ts';

type Run = (inputs: Readonly<Record<string, never>>, job: JobContext) => unknown;

export interface TaskParts extends Partial<Omit<Task, 'inputs' | 'deps' | 'run'>> {
  readonly inputs?: Readonly<Record<string, Partial<TaskInput>>>;
  /** Names of tasks of the same workflow, or whole dependencies. */
  readonly deps?: readonly (string | Dependency)[];
  readonly run?: Run;
}

/** A task called `name` of the workflow `Test`. */
export function makeTask(name: string, parts: TaskParts = {}): Task {
  const { inputs = {}, deps = [], run = () => name, workflow = 'Test', ...rest } = parts;
  return {
    workflow,
    name,
    description: '',
    result: 'string',
    exec: false,
    returnPath: false,
    ...rest,
    inputs: Object.entries(inputs).map(([input, spec]) => ({
      name: input,
      type: 'string',
      description: '',
      required: false,
      ...spec,
    })),
    deps: deps.map((dep) =>
      typeof dep === 'string' ? { name: dep, workflow, task: dep, inputs: () => ({}) } : dep,
    ),
    run: (given: Inputs, job) => run(given as never, job),
  };
}

/** Finds among these tasks by workflow and name. */
export function finder(tasks: readonly Task[]): StoreOptions['findTask'] {
  return (workflow, name) => {
    const found = tasks.find((task) => task.workflow === workflow && task.name === name);
    if (found === undefined)
      throw usageFailure('unknown-task', `${workflow} has no task "${name}"`);
    return found;
  };
}

/** The real machine, seen from a folder that has its own home. */
export function storeWorld(folder: string, parts: Partial<StoreWorld> = {}): StoreWorld {
  return {
    files: createFiles(),
    locks: createLocks(),
    clock: createClock(),
    env: { HOME: join(folder, 'home') },
    cwd: folder,
    packageFolder: join(folder, 'package'),
    ...parts,
  };
}

/** A store that keeps new jobs in `var/jobs` of the folder. */
export function storeIn(
  folder: string,
  tasks: readonly Task[] = [],
  parts: Partial<StoreWorld> = {},
) {
  return openStore(storeWorld(folder, parts), {
    findTask: finder(tasks),
    jobs: join(folder, 'var/jobs'),
  });
}
