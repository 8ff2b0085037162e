// Gives a chat its tasks and jobs: finds workflows, produces in the store, reads what is there.

import * as path from 'node:path';
import type { JobPort, ShownJob, TaskRequest } from '../chat/types.ts';
import { shellWord, workFailure } from '../errors.ts';
import { openStore, type Store } from '../store/store.ts';
import type { Job, JobEvent, JobHost, PlannedJob } from '../store/types.ts';
import { taskFinder } from '../workflows/find.ts';
import { readInputs } from '../workflows/inputs.ts';
import type { Task, Workflow } from '../workflows/types.ts';
import type { World } from '../world/types/world.ts';
import { resultText } from './result-text.ts';

export interface Work {
  readonly store: Store;
  findTask(workflow: string, task: string): Promise<Task>;
}

export interface WorkOptions {
  /** `--jobs`: where new jobs go. */
  readonly jobs?: string;
  readonly onEvent?: (event: JobEvent) => void;
  /** Workflows that the search path need not have: those of agents. Asked whenever one is looked for. */
  readonly own?: (name: string) => Workflow | undefined;
  /** Adds what running tasks may use besides. */
  readonly host?: JobHost;
}

/** The store and the workflows of this world, opened when they are needed first. */
export function openWork(world: World, options: WorkOptions = {}): () => Promise<Work> {
  let opened: Promise<Work> | undefined;
  const open = async (): Promise<Work> => {
    const findTask = taskFinder(world, options.own);
    const store = await openStore(world, {
      findTask,
      // Inputs that a chat or a command line gives are text; those of a model and of a dependency are values.
      readInputs: (task, given) => readInputs(task, given, 'json'),
      ...(options.jobs === undefined ? {} : { jobs: options.jobs }),
      ...(options.host === undefined ? {} : { host: options.host }),
    });
    return { store, findTask };
  };
  return () => {
    opened ??= open();
    return opened;
  };
}

/** The port of one compile. Every rejection is a Failure or the signal's reason. */
export function jobPort(
  world: World,
  work: () => Promise<Work>,
  options: WorkOptions = {},
): JobPort {
  const running = {
    signal: world.signal,
    ...(options.onEvent === undefined ? {} : { onEvent: options.onEvent }),
  };
  const plans = new WeakMap<TaskRequest, Promise<PlannedJob>>();
  const planned = (request: TaskRequest) => {
    const known = plans.get(request) ?? plan(request, work);
    plans.set(request, known);
    return known;
  };
  return {
    async check(request) {
      await planned(request);
    },
    async produce(requests) {
      const { store } = await work();
      const outcomes = await store.produce(await Promise.all(requests.map(planned)), running);
      return outcomes.map((outcome) =>
        outcome.kind === 'failed'
          ? { path: outcome.job.path, failure: outcome.failure }
          : { path: outcome.job.path },
      );
    },
    async execute(request) {
      const { store, findTask } = await work();
      const task = { ...(await findTask(request.workflow, request.task)), exec: true };
      const job = await store.jobFor(task, readInputs(task, request.inputs, 'text'));
      return resultText(await store.result(job, running), task.result, job.path);
    },
    async read(reference, from) {
      const { store } = await work();
      return shown(await store.readJob(await found(reference, from, world, store)), store);
    },
    async lineage(reference, from) {
      const { store } = await work();
      return lineageOf(await store.readJob(await found(reference, from, world, store)), store);
    },
  };
}

async function plan(request: TaskRequest, work: () => Promise<Work>): Promise<PlannedJob> {
  const { store, findTask } = await work();
  const task = await findTask(request.workflow, request.task);
  const { jobname } = request;
  return store.jobFor(
    task,
    readInputs(task, request.inputs, 'text'),
    jobname === undefined ? {} : { jobname },
  );
}

/** A path is tried from the folder of the chat first, then as the store finds it. */
async function found(
  reference: string,
  from: string | undefined,
  world: World,
  store: Store,
): Promise<string> {
  if (from !== undefined) {
    const beside = path.resolve(world.cwd, path.dirname(from), reference);
    for (const place of [`${beside}.info`, beside])
      if ((await world.files.stat(place))?.kind === 'file') return store.find(beside);
  }
  return store.find(reference);
}

async function lineageOf(root: Job, store: Store): Promise<readonly ShownJob[]> {
  const seen = new Set<string>([root.path]);
  const all = [root];
  for (const job of all)
    for (const below of await store.dependencies(job)) {
      if (seen.has(below.path)) continue;
      seen.add(below.path);
      all.push(below);
    }
  return Promise.all(all.map((job) => shown(job, store)));
}

async function shown(job: Job, store: Store): Promise<ShownJob> {
  const { path: place, task } = job;
  const inputs = inputsOf(job);
  if (job.done)
    return {
      path: place,
      task,
      inputs,
      text: resultText(await store.loadResult(job), job.type, place),
    };
  const exception = job.error ?? { class: 'NotDone', message: `it is ${job.status}` };
  const name = `${job.workflow}/${task}`;
  return {
    path: place,
    task,
    inputs,
    exception: { class: exception.class, message: exception.message },
    failure: workFailure('job-failed', `job ${name} has no result: ${exception.message}`, {
      detail: [place],
      next: `\`chat task log ${shellWord(place)}\` shows its log; \`chat task clean ${shellWord(place)}\` lets it be computed again`,
    }),
  };
}

function inputsOf({ info }: Job): Readonly<Record<string, unknown>> {
  const given = info.provided_inputs;
  return typeof given === 'object' && given !== null && !Array.isArray(given)
    ? (given as Record<string, unknown>)
    : {};
}
