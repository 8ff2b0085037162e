// What `task list` shows: workflows, their tasks, and the inputs of those.

import { toLines } from '../cli/report.ts';
import { harmlessJson, neutralise } from '../terminal/neutralise.ts';
import { padEnd } from '../terminal/width.ts';
import { findWorkflow, listWorkflows } from '../workflows/find.ts';
import type { Task, TaskInput, Workflow } from '../workflows/types.ts';
import { describeType } from '../workflows/values.ts';
import type { World } from '../world/types/world.ts';

/** Writes the list. What is broken is noted on standard error; a workflow that was named and is broken is a Failure. */
export async function listTasks(
  name: string | undefined,
  json: boolean,
  world: World,
): Promise<void> {
  const { workflows, failures } =
    name === undefined ? await all(world) : await one(await findWorkflow(name, world));
  const text = json
    ? `${harmlessJson(workflows.map(workflowJson), 2)}\n`
    : workflows.map((each) => workflowText(each, name !== undefined)).join('\n');
  await world.output.write(text);
  for (const failure of failures) world.output.note(toLines(failure).join('\n'));
  if (workflows.length === 0 && failures.length === 0)
    world.output.note(
      'there are no workflows: put one at workflows/NAME.ts, .js or .yaml, or functions at workflows/NAME/python/*.py',
    );
}

async function all(world: World) {
  const { workflows, problems } = await listWorkflows(world);
  return { workflows, failures: problems.map(({ failure }) => failure) };
}

const one = async (workflow: Workflow) => ({
  workflows: [workflow],
  failures: workflow.problems ?? [],
});

function workflowText({ name, title, description, file, tasks }: Workflow, full: boolean): string {
  const head = title === '' || title === name ? name : `${name}: ${title}`;
  const about = full && description !== '' ? [`  ${firstLine(description)}`] : [];
  const width = Math.max(0, ...tasks.map((task) => task.name.length));
  const lines = tasks.flatMap((task) => [
    `  ${padEnd(task.name, width)}  ${firstLine(task.description)}`.trimEnd(),
    ...(full ? inputLines(task) : []),
  ]);
  return [head, ...about, `  ${file}`, ...lines].map((line) => `${neutralise(line)}\n`).join('');
}

function inputLines({ inputs }: Task): readonly string[] {
  return inputs.map((input) => `      --${input.name}  ${inputText(input)}`);
}

function inputText(input: TaskInput): string {
  const what = firstLine(input.description).replace(/\.$/, '');
  const takes = describeType(input);
  const standard =
    input.default === undefined
      ? input.required
        ? ', required'
        : ''
      : `, default ${JSON.stringify(input.default)}`;
  return `${what === '' ? '' : `${what}: `}${takes}${standard}`;
}

const firstLine = (text: string): string => text.trim().split('\n')[0]?.trim() ?? '';

function workflowJson({ name, title, description, file, tasks, problems = [] }: Workflow) {
  return {
    name,
    title,
    description,
    file,
    tasks: tasks.map((task) => ({
      name: task.name,
      description: task.description,
      inputs: task.inputs.map(({ check: _, ...input }) => input),
      dependencies: task.deps.map(({ name: as, workflow, task: on }) => ({
        name: as,
        workflow,
        task: on,
      })),
      result: task.result,
      exec: task.exec,
    })),
    problems: problems.map(({ code, message, at }) => ({ code, message, at: at ?? null })),
  };
}
