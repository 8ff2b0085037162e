// One call of a served tool: its job, and the outcome as a result that a client can use.

import type { CallToolResult, ContentBlock } from '@modelcontextprotocol/server';
import { Failure } from '../errors.ts';
import type { Store } from '../store/store.ts';
import type { Outcome, PlannedJob } from '../store/types.ts';
import { resultText } from '../tools/result-text.ts';
import { checkFiles } from '../workflows/inputs.ts';
import { toolInputs } from '../workflows/schema.ts';
import type { Inputs } from '../workflows/types.ts';
import type { Files } from '../world/types/files.ts';
import type { Made } from './made.ts';
import type { ServedTool } from './offer.ts';
import type { ProgressTeller } from './progress.ts';
import type { Runs } from './runs.ts';

export interface CallWorld {
  readonly files: Pick<Files, 'stat'>;
  readonly cwd: string;
}

export interface CallPorts {
  readonly store: Pick<Store, 'jobFor' | 'loadResult'>;
  readonly runs: Pick<Runs, 'run'>;
  readonly made: Pick<Made, 'keep'>;
  readonly world: CallWorld;
}

/** How a call is followed. `begin` is told which job it is before anything is computed. */
export interface CallWatch {
  readonly signal: AbortSignal;
  begin(job: PlannedJob): ProgressTeller;
}

/**
 * Wrong inputs, failed jobs and a call that was stopped are results with `isError`: the model that called may make something of
 * them. Rejects only with faults of this program.
 */
export async function callTool(
  tool: ServedTool,
  given: Inputs,
  ports: CallPorts,
  { signal, begin }: CallWatch,
): Promise<CallToolResult> {
  try {
    const job = await plan(tool, given, ports);
    const { onEvent, end } = begin(job);
    const outcome = await ports.runs.run(job, { signal, onEvent }).finally(end);
    return await resultOf(outcome, ports);
  } catch (error) {
    if (error instanceof Failure) return problem(failureLines(error));
    if (error instanceof Error && STOPS.has(error.name))
      return problem([`the call was stopped: ${error.message}`]);
    throw error;
  }
}

const STOPS: ReadonlySet<string> = new Set(['AbortError', 'Interruption']);

async function plan(
  { task, inputs }: ServedTool,
  given: Inputs,
  { store, world }: CallPorts,
): Promise<PlannedJob> {
  const all = toolInputs(task, inputs, given);
  await checkFiles(task, all, world);
  return store.jobFor(task, all);
}

async function resultOf(outcome: Outcome, { store, made }: CallPorts): Promise<CallToolResult> {
  const { job } = outcome;
  const { exec, result, returnPath } = job.task;
  if (outcome.kind === 'failed') return problem(jobLines(outcome));
  if (exec) return { content: [text(resultText(outcome.value, result, job.path))] };
  const value = returnPath ? job.path : await store.loadResult({ path: job.path, type: result });
  const shown = returnPath ? job.path : resultText(value, result, job.path);
  return { content: [text(shown), { type: 'resource_link', ...(await made.keep(job)) }] };
}

/** What failed, and where it is kept. */
function jobLines({ failure, culprit }: Extract<Outcome, { kind: 'failed' }>): readonly string[] {
  const { path, task } = culprit;
  return [failure.message, ...failure.detail, ...(task.exec ? [] : [`job: ${path}`])];
}

function failureLines({ message, detail, next }: Failure): readonly string[] {
  return [message, ...detail, ...(next === undefined ? [] : [next])];
}

const text = (content: string): ContentBlock => ({ type: 'text', text: content });

const problem = (lines: readonly string[]): CallToolResult => ({
  content: [text(lines.join('\n'))],
  isError: true,
});
