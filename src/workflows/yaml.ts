// From a YAML workflow file to a Workflow whose tasks are commands. Every slip is a Failure with file and line. Runs nothing by itself.

import { configFailure } from '../errors.ts';
import { isObject } from '../json.ts';
import { type Command, runCommand } from './command.ts';
import { checkOwnDependencies } from './dependencies.ts';
import {
  checkDependencyNames,
  delegatesOf,
  dependencyNames,
  flagOf,
  resultOf,
  textOf,
} from './from-definition.ts';
import { findPlaceholders, inputFor, template } from './placeholder.ts';
import { checkKeys, checkName, DefinitionProblem, kindOf, located } from './problem.ts';
import { isProgramName, isProgramText, refuseInProgram } from './program-text.ts';
import { shellCommand } from './shell-command.ts';
import type { Dependency, Task, TaskInput, Workflow } from './types.ts';
import type { WorkflowWorld } from './world.ts';
import { readYaml, type YamlFile } from './yaml-file.ts';
import { inputsOf } from './yaml-input.ts';

/** The workflow that the file describes, under the given name; `others` are tasks that it has besides. Rejects with a configuration Failure (exit 3). */
export async function loadYaml(
  file: string,
  name: string,
  world: WorkflowWorld,
  others: readonly string[] = [],
): Promise<Workflow> {
  const bytes = await world.files.read(file);
  const yaml = await readYaml(decode(bytes, file), file);
  try {
    const workflow = workflowOf(yaml, file, name, world);
    checkOwnDependencies(workflow.tasks, others);
    return workflow;
  } catch (error) {
    throw await located(error, yaml.at);
  }
}

function decode(bytes: Uint8Array, file: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (cause) {
    throw configFailure('bad-workflow', 'the workflow is not UTF-8 text', {
      at: { file, line: 1 },
      cause,
    });
  }
}

function workflowOf(yaml: YamlFile, file: string, name: string, world: WorkflowWorld): Workflow {
  const { value } = yaml;
  if (!isObject(value))
    throw new DefinitionProblem([], `a workflow is a mapping with tasks, not ${kindOf(value)}`);
  checkKeys(value, ['name', 'title', 'description', 'delegate', 'tasks'], []);
  if (!isObject(value.tasks))
    throw new DefinitionProblem(
      ['tasks'],
      `tasks are a mapping of names to tasks, not ${kindOf(value.tasks)}`,
    );
  return {
    name,
    title: textOf(value, 'title', []) || textOf(value, 'name', []) || name,
    description: textOf(value, 'description', []),
    file,
    ...delegatesOf(value),
    tasks: Object.entries(value.tasks).map(([each, task]) => taskOf(name, each, task, yaml, world)),
  };
}

function taskOf(
  workflow: string,
  name: string,
  task: unknown,
  yaml: YamlFile,
  world: WorkflowWorld,
): Task {
  const path = ['tasks', name];
  checkName('task', name, path);
  if (!isObject(task))
    throw new DefinitionProblem(
      path,
      `task "${name}" is a mapping with a command, not ${kindOf(task)}`,
    );
  checkKeys(
    task,
    ['description', 'inputs', 'deps', 'result', 'command', 'exec', 'return_path'],
    path,
  );
  const inputs = inputsOf(task.inputs, [...path, 'inputs']);
  const deps = dependenciesOf(workflow, task.deps, inputs, [...path, 'deps']);
  const commandPath = [...path, 'command'];
  const command = {
    name: `${workflow}/${name}`,
    inputs,
    deps,
    command: commandOf(task.command, inputs, commandPath),
    at: yaml.at(commandPath),
  };
  return {
    workflow,
    name,
    description: textOf(task, 'description', path),
    inputs,
    deps,
    result: resultOf(task.result ?? 'string', [...path, 'result']),
    exec: flagOf(task, 'exec', path),
    returnPath: flagOf(task, 'return_path', path),
    run: (values, job) => runCommand(command, values, job, world),
  };
}

/** A list is a program with its arguments, a text is a script for the shell. */
function commandOf(
  command: unknown,
  inputs: readonly TaskInput[],
  path: readonly string[],
): Command {
  if (typeof command === 'string' && command.trim() !== '')
    return { kind: 'script', script: shellCommand(command, inputs, path) };
  if (!Array.isArray(command) || command.length === 0)
    throw new DefinitionProblem(
      path,
      `command is a list of words or a text for the shell, not ${kindOf(command)}`,
    );
  const words = command.map((word: unknown, index) => {
    if (typeof word === 'string' || typeof word === 'number' || typeof word === 'boolean')
      return template(String(word), inputs, [...path, String(index)]);
    throw new DefinitionProblem(
      [...path, String(index)],
      `a word of a command is text, not ${kindOf(word)}`,
    );
  });
  refuseOpenProgram(command.map(String), inputs, path);
  refuseOpenText(command.map(String), inputs, path);
  return { kind: 'program', words: (values) => words.flatMap((word) => word.texts(values)) };
}

/** What runs is for the author to say; a choice between fixed words is the author's, too. */
function refuseOpenProgram(
  words: readonly string[],
  inputs: readonly TaskInput[],
  path: readonly string[],
): void {
  for (const [index, word] of words.entries()) {
    if (index > 0 && !isProgramName(words.slice(0, index))) continue;
    const place = [...path, String(index)];
    for (const found of findPlaceholders(word)) {
      const { name, type, values } = inputFor(found, inputs, place);
      // Behind another program only what the word begins with counts, and a number may be a time.
      const isAside = index > 0 && (found.start > 0 || type === 'integer' || type === 'float');
      if (values !== undefined || isAside) continue;
      throw new DefinitionProblem(
        place,
        `{{${name}}} is the command itself`,
        'write the command itself there, or give the input a list of values',
      );
    }
  }
}

function refuseOpenText(
  words: readonly string[],
  inputs: readonly TaskInput[],
  path: readonly string[],
): void {
  for (const [index, word] of words.entries()) {
    if (!isProgramText(words.slice(0, index))) continue;
    const place = [...path, String(index)];
    for (const placeholder of findPlaceholders(word))
      refuseInProgram(inputFor(placeholder, inputs, place), place);
  }
}

function dependenciesOf(
  workflow: string,
  deps: unknown,
  inputs: readonly TaskInput[],
  path: readonly string[],
): readonly Dependency[] {
  if (deps === undefined || deps === null) return [];
  if (!Array.isArray(deps))
    throw new DefinitionProblem(path, `deps are a list of tasks, not ${kindOf(deps)}`);
  const found = deps.map((each, index) =>
    dependencyOf(workflow, each, inputs, [...path, String(index)]),
  );
  checkDependencyNames(found, path);
  return found;
}

function dependencyOf(
  workflow: string,
  definition: unknown,
  inputs: readonly TaskInput[],
  path: readonly string[],
): Dependency {
  const given = typeof definition === 'string' ? { task: definition } : definition;
  if (!isObject(given) || typeof given.task !== 'string')
    throw new DefinitionProblem(
      path,
      `a dependency is the name of a task or {task: …, inputs: …}, not ${kindOf(definition)}`,
    );
  checkKeys(given, ['task', 'name', 'inputs'], path);
  const values = given.inputs ?? {};
  if (!isObject(values))
    throw new DefinitionProblem(
      [...path, 'inputs'],
      `inputs of a dependency are a mapping, not ${kindOf(values)}`,
    );
  const templates = Object.entries(values).map(([name, value]) => {
    const place = [...path, 'inputs', name];
    return [
      name,
      typeof value === 'string' ? template(value, inputs, place).value : () => value,
    ] as const;
  });
  return {
    ...dependencyNames(workflow, given.task, textOf(given, 'name', path), path),
    inputs: (own) =>
      Object.fromEntries(
        templates
          .map(([name, value]) => [name, value(own)])
          .filter(([, value]) => value !== undefined),
      ),
  };
}
