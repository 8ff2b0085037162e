// From the arguments of the command line to the tools that are served. Each says what a chat's `tool:` line says.

import * as path from 'node:path';
import { configFailure, usageFailure } from '../errors.ts';
import { readDeclaration, type ToolDeclaration } from '../tools/declarations.ts';
import type { ToolSpec } from '../types.ts';
import { findWorkflow, taskOf } from '../workflows/find.ts';
import { type ToolInputs, toolNames, toolSpec } from '../workflows/schema.ts';
import type { Task, Workflow } from '../workflows/types.ts';
import type { WorkflowWorld } from '../workflows/world.ts';

/** A task under the name that clients call it by. */
export interface ServedTool {
  readonly spec: ToolSpec;
  readonly task: Task;
  readonly inputs: ToolInputs;
}

export interface Offer {
  readonly workflows: readonly Workflow[];
  readonly tools: readonly ServedTool[];
}

/**
 * The tools in the order in which they are named; of a task that is named twice the last word counts. Rejects with a Failure for a
 * workflow, task or input that is not there, for two workflows of one name, and when there is no task at all.
 */
export async function readOffer(words: readonly string[], world: WorkflowWorld): Promise<Offer> {
  const workflows = new Map<string, Workflow>();
  const entries = new Map<string, { readonly task: Task; readonly declared: ToolDeclaration }>();
  for (const word of words) {
    const declared = await declarationOf(word, world);
    const workflow = await findWorkflow(declared.workflow, world);
    const known = workflows.get(workflow.name) ?? workflow;
    if (known.file !== workflow.file) throw twoWorkflows(known, workflow);
    workflows.set(known.name, known);
    const tasks = declared.task === undefined ? known.tasks : [await taskOf(known, declared.task)];
    for (const task of tasks) entries.set(`${task.workflow}/${task.name}`, { task, declared });
  }
  if (entries.size === 0) throw nothingToServe([...workflows.values()]);
  const all = [...entries.values()];
  const names = toolNames(all.map(({ task }) => task));
  return {
    workflows: [...workflows.values()],
    tools: all.map(({ task, declared }, index) => {
      const { only, fixed, none } = declared;
      const inputs = { only, fixed, none };
      return { task, inputs, spec: toolSpec(task, inputs, names[index]) };
    }),
  };
}

/** A path that is there is taken as it is, also one with spaces in it. */
async function declarationOf(word: string, world: WorkflowWorld): Promise<ToolDeclaration> {
  if (word.trim() === '')
    throw usageFailure('missing-argument', 'an empty argument names no workflow', {
      next: '`chat task list` shows the workflows',
    });
  const isPath = /[/\\]/.test(word);
  if (isPath && (await world.files.stat(path.resolve(world.cwd, word))) !== undefined)
    return { workflow: word, only: [], fixed: {}, none: false };
  return readDeclaration({ role: 'tool', content: word });
}

/** Their jobs would lie in the same folders. */
function twoWorkflows(one: Workflow, other: Workflow) {
  return usageFailure('two-workflows', `two of the workflows are called "${one.name}"`, {
    detail: [one.file, other.file],
    next: 'rename the folder or the file of one, or serve them apart',
  });
}

function nothingToServe(workflows: readonly Workflow[]) {
  const problem = workflows.flatMap(({ problems = [] }) => problems)[0];
  const names = workflows.map(({ name }) => name).join(', ');
  return (
    problem ??
    configFailure('no-tasks', `there is nothing to serve: ${names} has no task`, {
      next: '`chat task list` shows workflows with their tasks',
    })
  );
}
