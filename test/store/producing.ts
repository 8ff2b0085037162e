// Tasks to be computed, and what a store holds of them.

import { readdirSync, readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import type { JobInfo, PlannedJob } from '../../src/store/types.ts';
import type { Task } from '../../src/workflows/types.ts';
import { makeTask } from '../helpers/tasks.ts';

/** Tasks of which one needs two that need the same one. */
export function diamond(ran: string[]): readonly Task[] {
  const note = (name: string, deps: readonly string[]) =>
    makeTask(name, {
      deps,
      run: async (_, job) => {
        ran.push(name);
        const below = await Promise.all(deps.map((dep) => job.dep(dep)));
        return below.length === 0 ? name : `${name}(${below.join(' ')})`;
      },
    });
  return [
    note('base', []),
    note('left', ['base']),
    note('right', ['base']),
    note('top', ['left', 'right']),
  ];
}

/** The task of that name. */
export function taskOf(tasks: readonly Task[], name: string): Task {
  const found = tasks.find((task) => task.name === name);
  if (found === undefined) throw new Error(name);
  return found;
}

/** Resolves after so many milliseconds. */
export const wait = (milliseconds: number) =>
  new Promise((resolve) => setTimeout(resolve, milliseconds));

/** What stands in the `.info` of a job. */
export const infoOf = (job: PlannedJob): JobInfo =>
  JSON.parse(readFileSync(`${job.path}.info`, 'utf8'));

/** Names beside the result, its own included. */
export const left = (job: PlannedJob): readonly string[] => readdirSync(dirname(job.path)).sort();
