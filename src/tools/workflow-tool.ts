// A task as a tool: its calls are jobs of the store, with their place in the output.

import type { Failure } from '../errors.ts';
import type { Outcome, PlannedJob } from '../store/types.ts';
import type { Tool, ToolContext, ToolOutput } from '../types.ts';
import type { ToolInputs } from '../workflows/schema.ts';
import { toolInputs, toolSpec } from '../workflows/schema.ts';
import type { Task } from '../workflows/types.ts';
import type { Work, WorkOptions } from './job-port.ts';
import { resultText } from './result-text.ts';

/** The tool of that name. Throws a usage Failure for inputs that the task does not have. */
export function workflowTool(
  task: Task,
  name: string,
  inputs: ToolInputs,
  work: () => Promise<Work>,
  options: WorkOptions = {},
): Tool {
  return {
    ...toolSpec(task, inputs, name),
    call: (args, context) => callTask(task, toolInputs(task, inputs, args), context, work, options),
  };
}

/** Inputs that do not fit reject before anything runs; a failed job is an output with its exception and its place. */
async function callTask(
  task: Task,
  inputs: Readonly<Record<string, unknown>>,
  { signal }: ToolContext,
  work: () => Promise<Work>,
  { onEvent }: WorkOptions,
): Promise<ToolOutput> {
  const { store } = await work();
  const job = await store.jobFor(task, inputs);
  const at = task.exec ? {} : { job: job.path };
  const outcome = await produced(store, job, signal, onEvent);
  if (outcome === 'stopped') return { content: null, exception: 'it was stopped', ...at };
  const place = { ...at, reused: outcome.kind === 'done' && !outcome.computed };
  if (outcome.kind === 'failed')
    return { content: null, exception: messageOf(outcome.failure), ...place };
  if (task.exec) return { content: resultText(outcome.value, task.result, job.path) };
  if (task.returnPath) return { content: job.path, ...place };
  const value = await store.loadResult({ path: job.path, type: task.result });
  return { content: resultText(value, task.result, job.path), ...place };
}

/** `stopped`: by the signal of the call, with nothing of it left running. */
async function produced(
  store: Work['store'],
  job: PlannedJob,
  signal: AbortSignal,
  onEvent: WorkOptions['onEvent'],
): Promise<Outcome | 'stopped'> {
  try {
    const [outcome] = await store.produce([job], {
      signal,
      ...(onEvent === undefined ? {} : { onEvent }),
    });
    if (outcome === undefined) throw new Error('a job that is asked for has an outcome');
    return outcome;
  } catch (error) {
    if (signal.aborted) return 'stopped';
    throw error;
  }
}

/** What went wrong in one line; the advice of a Failure is for people. */
const messageOf = (failure: Failure): string => failure.message;
