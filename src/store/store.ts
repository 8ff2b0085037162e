// The store of jobs as one thing: where jobs are, which job some work is, computing it, reading it, taking it out.

import type { Inputs, Task } from '../workflows/types.ts';
import { cleanJob } from './clean.ts';
import { jobFolders, relocate, resolveJob } from './folders.ts';
import { dependenciesOf } from './info.ts';
import { loadResult, readJob } from './job.ts';
import { type PlanOptions, planJob } from './plan.ts';
import { produce } from './produce.ts';
import type {
  FindTask,
  Job,
  JobHost,
  Outcome,
  PlannedJob,
  ProduceOptions,
  ReadInputs,
  StoreWorld,
} from './types.ts';

export interface StoreOptions {
  /** Finds the tasks that are named as dependencies. */
  readonly findTask: FindTask;
  /** Checks and converts inputs. Without it they are taken as they are, with the defaults of those that are not given. */
  readonly readInputs?: ReadInputs;
  /** The folder that takes new jobs, in place of the first `var/jobs` of the search path that is there. */
  readonly jobs?: string;
  /** Adds what running tasks may use besides. */
  readonly host?: JobHost;
}

export interface Store {
  /** The folders of jobs, absolute. */
  readonly folders: readonly string[];
  /** Which job this work is. Computes nothing. Rejects with a Failure for bad names, inputs and dependencies. */
  jobFor(task: Task, inputs?: Inputs, options?: PlanOptions): Promise<PlannedJob>;
  /** One outcome a job, in their order. Rejects only with the signal's reason. */
  produce(jobs: readonly PlannedJob[], options?: ProduceOptions): Promise<readonly Outcome[]>;
  /** The result of one job; throws the Failure of one that failed. */
  result(job: PlannedJob, options?: ProduceOptions): Promise<unknown>;
  /** Absolute path of the job that a path or `Workflow/task/name` names. Rejects with a usage Failure. */
  find(reference: string): Promise<string>;
  readJob(path: string): Promise<Job>;
  /** The jobs that a stored job depended on, where they are now. */
  dependencies(job: Job): Promise<readonly Job[]>;
  /** The value of a stored result, by its type. */
  loadResult(job: Pick<Job, 'path' | 'type'>): Promise<unknown>;
  /** Removes the job, with `dependencies` also those it depends on; returns the paths. */
  clean(path: string, options?: { readonly dependencies?: boolean }): Promise<readonly string[]>;
}

/** The store as it is seen from the world's working directory. The folders are looked up once. */
export async function openStore(world: StoreWorld, options: StoreOptions): Promise<Store> {
  const folders = await jobFolders(world, options.jobs);
  const context = {
    world,
    folders,
    findTask: options.findTask,
    readInputs: options.readInputs ?? ((_task: Task, given: Inputs) => given),
  };
  const hosted = options.host === undefined ? {} : { host: options.host };
  const store: Store = {
    folders: folders.all,
    jobFor: (task, inputs = {}, plan = {}) => planJob(task, inputs, plan, context),
    produce: (jobs, run) => produce(jobs, world, { ...run, ...hosted }),
    async result(job, run) {
      const [outcome] = await produce([job], world, { ...run, ...hosted });
      if (outcome?.kind === 'failed') throw outcome.failure;
      if (job.task.exec) return outcome?.value;
      return loadResult({ path: job.path, type: job.task.result }, world.files);
    },
    find: (reference) => resolveJob(reference, world, folders.all),
    readJob: (path) => readJob(path, world),
    async dependencies(job) {
      const found: Job[] = [];
      for (const reference of dependenciesOf(job.info))
        found.push(
          await readJob(await relocate(reference, job.path, folders.all, world.files), world),
        );
      return found;
    },
    loadResult: (job) => loadResult(job, world.files),
    clean: (path, clean = {}) => cleanJob(path, world, { ...clean, folders: folders.all }),
  };
  return store;
}
