// Checks what tasks depend on: that it is there, and that nothing depends on itself.

import { configFailure, type Failure } from '../errors.ts';
import { nearestNames } from '../nearest.ts';
import { DefinitionProblem } from './problem.ts';
import type { Task, Workflow } from './types.ts';

const fullName = ({ workflow, name }: Pick<Task, 'workflow' | 'name'>): string =>
  `${workflow}/${name}`;

/**
 * Throws a DefinitionProblem for a dependency on a task that its own workflow does not have, and for a circle inside the workflow.
 * `others` are names of tasks that the workflow has besides these.
 */
export function checkOwnDependencies(tasks: readonly Task[], others: readonly string[]): void {
  const names = [...tasks.map(({ name }) => name), ...others];
  for (const task of tasks)
    for (const [index, dependency] of task.deps.entries()) {
      if (dependency.workflow !== task.workflow || names.includes(dependency.task)) continue;
      throw new DefinitionProblem(
        ['tasks', task.name, 'deps', String(index)],
        `task "${task.name}" depends on "${dependency.task}", which ${task.workflow} does not have`,
        { word: dependency.task, among: names.filter((name) => name !== task.name) },
      );
    }
  const circle = findCircle(tasks);
  const [first] = circle ?? [];
  if (circle === undefined || first === undefined) return;
  throw new DefinitionProblem(
    ['tasks', first.name, 'deps'],
    `tasks depend on each other in a circle: ${[...circle, first].map(({ name }) => name).join(' → ')}`,
    'take one of these dependencies out',
  );
}

/** The same between workflows: a Failure for each dependency that leads nowhere, and for the first circle. */
export async function crossProblems(workflows: readonly Workflow[]): Promise<readonly Failure[]> {
  const found: Failure[] = [];
  for (const { tasks, file } of workflows)
    for (const task of tasks)
      for (const { workflow, task: name } of task.deps) {
        const other = workflows.find((each) => each.name === workflow);
        if (other?.tasks.some((each) => each.name === name)) continue;
        const among = (other?.tasks ?? workflows).map((each) => each.name);
        const [near] = await nearestNames(other === undefined ? workflow : name, among);
        found.push(
          configFailure(
            'unknown-dependency',
            `task "${fullName(task)}" depends on "${workflow}/${name}", and there is no such ${other === undefined ? 'workflow' : 'task'}`,
            { at: file, ...(near === undefined ? {} : { next: `did you mean "${near}"?` }) },
          ),
        );
      }
  const circle = findCircle(workflows.flatMap(({ tasks }) => tasks));
  const [first] = circle ?? [];
  if (circle === undefined || first === undefined) return found;
  const names = [...circle, first].map(fullName).join(' → ');
  return [
    ...found,
    configFailure('dependency-cycle', `tasks depend on each other in a circle: ${names}`, {
      next: 'take one of these dependencies out',
    }),
  ];
}

/** Tasks that lead back to the first of them. */
function findCircle(tasks: readonly Task[]): readonly Task[] | undefined {
  const byName = new Map(tasks.map((task) => [fullName(task), task]));
  const done = new Set<Task>();
  const visit = (task: Task, trail: readonly Task[]): readonly Task[] | undefined => {
    if (trail.includes(task)) return trail.slice(trail.indexOf(task));
    if (done.has(task)) return undefined;
    for (const dependency of task.deps) {
      const next = byName.get(`${dependency.workflow}/${dependency.task}`);
      const circle = next === undefined ? undefined : visit(next, [...trail, task]);
      if (circle !== undefined) return circle;
    }
    done.add(task);
    return undefined;
  };
  for (const task of tasks) {
    const circle = visit(task, []);
    if (circle !== undefined) return circle;
  }
  return undefined;
}
