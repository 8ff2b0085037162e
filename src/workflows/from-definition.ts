// From the default export of a workflow file to a Workflow. What is wrong is a DefinitionProblem that says where. Runs no task.

import { isObject } from '../json.ts';
import { checkName, DefinitionProblem, kindOf } from './problem.ts';
import type { Dependency, Inputs, JobContext, ResultType, Task, Workflow } from './types.ts';
import { convertInputs, inputOf, shapeOf } from './zod-input.ts';

export const RESULT_TYPES: readonly ResultType[] = [
  'string',
  'text',
  'integer',
  'float',
  'boolean',
  'array',
  'json',
  'chat',
  'tsv',
  'yaml',
  'binary',
];

/** Throws a DefinitionProblem. `guard` is put around every run, to turn the places in an error into those of the source. */
export function workflowOf(
  definition: unknown,
  name: string,
  file: string,
  guard: (run: Task['run']) => Task['run'] = (run) => run,
): Workflow {
  if (!isObject(definition) || !('tasks' in definition))
    throw new DefinitionProblem(
      [],
      definition === undefined
        ? 'the file has no default export'
        : `its default export is no workflow, but ${kindOf(definition)}`,
      'write `export default defineWorkflow({ tasks: { … } })`',
    );
  const { tasks } = definition;
  if (!isObject(tasks))
    throw new DefinitionProblem(
      ['tasks'],
      `tasks are a mapping of names to tasks, not ${kindOf(tasks)}`,
    );
  return {
    name,
    title: textOf(definition, 'title', []) || name,
    description: textOf(definition, 'description', []),
    file,
    ...delegatesOf(definition),
    tasks: Object.entries(tasks).map(([each, task]) => taskOf(name, each, task, guard)),
  };
}

/** `delegate`: names of agents with what each is for. Throws a DefinitionProblem for anything else. */
export function delegatesOf(
  definition: Readonly<Record<string, unknown>>,
): Pick<Workflow, 'delegates'> {
  const { delegate } = definition;
  if (delegate === undefined || delegate === null) return {};
  if (!isObject(delegate))
    throw new DefinitionProblem(
      ['delegate'],
      `delegate is a mapping of agents to what they are for, not ${kindOf(delegate)}`,
    );
  return {
    delegates: Object.keys(delegate).map((name) => ({
      name,
      description: textOf(delegate, name, ['delegate']),
    })),
  };
}

function taskOf(
  workflow: string,
  name: string,
  definition: unknown,
  guard: (run: Task['run']) => Task['run'],
): Task {
  const path = ['tasks', name];
  checkName('task', name, path);
  if (!isObject(definition))
    throw new DefinitionProblem(
      path,
      `task "${name}" is a mapping with a run function, not ${kindOf(definition)}`,
    );
  const { run } = definition;
  if (typeof run !== 'function')
    throw new DefinitionProblem(
      [...path, 'run'],
      `run of task "${name}" is a function, not ${kindOf(run)}`,
    );
  const schemas = shapeOf(definition.inputs, [...path, 'inputs']);
  const shape = new Map(
    [...schemas].map(([each, schema]) => {
      const place = [...path, 'inputs', each];
      checkName('input', each, place);
      return [each, { schema, input: inputOf(each, schema, place) }] as const;
    }),
  );
  return {
    workflow,
    name,
    description: textOf(definition, 'description', path),
    inputs: [...shape.values()].map(({ input }) => input),
    deps: dependenciesOf(workflow, definition.deps, [...path, 'deps']),
    result: resultOf(definition.result ?? 'json', [...path, 'result']),
    exec: flagOf(definition, 'exec', path),
    returnPath: flagOf(definition, 'returnPath', path),
    run: guard(async (inputs: Inputs, job: JobContext) =>
      // Called on the definition, so that `this` is what it looks like.
      Reflect.apply(run, definition, [await convertInputs(shape, inputs), job]),
    ),
  };
}

/** The word for how a result is stored. Throws a DefinitionProblem for another. */
export function resultOf(value: unknown, path: readonly string[]): ResultType {
  const found = RESULT_TYPES.find((type) => type === value);
  if (found !== undefined) return found;
  throw new DefinitionProblem(
    path,
    `result is one of ${RESULT_TYPES.join(', ')}, not ${kindOf(value)}`,
  );
}

function dependenciesOf(
  workflow: string,
  deps: unknown,
  path: readonly string[],
): readonly Dependency[] {
  if (deps === undefined) return [];
  if (!Array.isArray(deps))
    throw new DefinitionProblem(path, `deps are a list of tasks, not ${kindOf(deps)}`);
  const found = deps.map((each, index) => dependencyOf(workflow, each, [...path, String(index)]));
  checkDependencyNames(found, path);
  return found;
}

function dependencyOf(workflow: string, definition: unknown, path: readonly string[]): Dependency {
  const given = typeof definition === 'string' ? { task: definition } : definition;
  if (!isObject(given) || typeof given.task !== 'string')
    throw new DefinitionProblem(
      path,
      `a dependency is the name of a task or { task: … }, not ${kindOf(definition)}`,
    );
  const { inputs = {} } = given;
  if (typeof inputs !== 'function' && !isObject(inputs))
    throw new DefinitionProblem(
      [...path, 'inputs'],
      `inputs of a dependency are values, or a function that returns them, not ${kindOf(inputs)}`,
    );
  return {
    ...dependencyNames(workflow, given.task, textOf(given, 'name', path), path),
    inputs: (own) => {
      const values: unknown = typeof inputs === 'function' ? inputs(own) : inputs;
      if (isObject(values)) return values;
      throw new DefinitionProblem(
        [...path, 'inputs'],
        `inputs of the dependency "${given.task}" are a mapping, not ${kindOf(values)}`,
      );
    },
  };
}

/** `task`, or `Workflow/task`; and what the task that has the dependency calls it. */
export function dependencyNames(
  workflow: string,
  reference: string,
  name: string,
  path: readonly string[],
): Omit<Dependency, 'inputs'> {
  const [first = '', second, ...more] = reference.split('/');
  const [owner, task] = second === undefined ? [workflow, first] : [first, second];
  if (owner === '' || task === '' || more.length > 0)
    throw new DefinitionProblem(
      path,
      `a dependency is named task or Workflow/task, unlike "${reference}"`,
    );
  return { name: name === '' ? task : name, workflow: owner, task };
}

/** Throws a DefinitionProblem when two dependencies have the same name. */
export function checkDependencyNames(deps: readonly Dependency[], path: readonly string[]): void {
  const twice = deps.find(
    ({ name }, index) => deps.findIndex((each) => each.name === name) < index,
  );
  if (twice === undefined) return;
  throw new DefinitionProblem(
    path,
    `two dependencies are called "${twice.name}"`,
    'give one of them a name of its own: { task: …, name: … }',
  );
}

/** A text; empty when there is none. Throws a DefinitionProblem for anything else. */
export function textOf(
  mapping: Readonly<Record<string, unknown>>,
  key: string,
  path: readonly string[],
): string {
  const value = mapping[key] ?? '';
  if (typeof value === 'string') return value.trim();
  throw new DefinitionProblem([...path, key], `${key} is text, not ${kindOf(value)}`);
}

/** A flag; off when it is not there. Throws a DefinitionProblem for anything else. */
export function flagOf(
  mapping: Readonly<Record<string, unknown>>,
  key: string,
  path: readonly string[],
): boolean {
  const value = mapping[key] ?? false;
  if (typeof value === 'boolean') return value;
  throw new DefinitionProblem([...path, key], `${key} is true or false, not ${kindOf(value)}`);
}
