// Remembers which workflow a task was loaded with, so that its dependencies are found there, wherever that workflow lies.

import type { Task, Workflow } from './types.ts';

/** By what runs: that is the same in every copy of a task. */
const homes = new WeakMap<Task['run'], Workflow>();

/** The same workflow, known from now on as the home of its tasks. */
export function withHome(workflow: Workflow): Workflow {
  for (const task of workflow.tasks) homes.set(task.run, workflow);
  return workflow;
}

/** Undefined for a task that no file has. */
export const homeOf = (task: Task): Workflow | undefined => homes.get(task.run);
