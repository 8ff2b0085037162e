// What `agent list` and `agent find` show.

import { warner } from '../ask/warner.ts';
import { Failure } from '../errors.ts';
import { harmlessJson, neutralise } from '../terminal/neutralise.ts';
import { padEnd } from '../terminal/width.ts';
import type { World } from '../world/types/world.ts';
import { findAgent, listAgents } from './find.ts';
import { loadTemplate } from './load.ts';
import type { Template } from './types.ts';

/** Writes each agent with its folder. */
export async function showAgents(json: boolean, world: World): Promise<void> {
  const agents = await listAgents(world);
  if (json) return world.output.write(`${harmlessJson(agents, 2)}\n`);
  const width = Math.max(0, ...agents.map(({ name }) => name.length));
  await world.output.write(
    agents.map(({ name, folder }) => `${padEnd(name, width)}  ${neutralise(folder)}\n`).join(''),
  );
  if (agents.length === 0)
    world.output.note('there are no agents: put a start chat at Agent/NAME/start_chat');
}

/** Writes what one agent is made of. Rejects with the Failure of one that cannot be used, after its folder was written. */
export async function showAgent(
  name: string,
  { json, quiet }: { readonly json: boolean; readonly quiet: boolean },
  world: World,
): Promise<void> {
  const { folder } = await findAgent(name, world);
  try {
    const template = await loadTemplate(name, world, warner({ quiet }, world));
    const text = json ? `${harmlessJson(agentJson(template), 2)}\n` : agentText(template);
    await world.output.write(text);
  } catch (error) {
    if (!json && error instanceof Failure) await world.output.write(`${neutralise(folder)}\n`);
    throw error;
  }
}

const firstLine = (text: string): string => text.trim().split('\n')[0]?.trim() ?? '';

function agentText({ folder, start, workflow, knowledge }: Template): string {
  const system = start.find(({ role }) => role === 'system')?.content ?? '';
  const tasks = workflow?.tasks ?? [];
  return [
    folder,
    ...(system === '' ? [] : [`  system    ${firstLine(system)}`]),
    ...start
      .filter(({ role }) => SHOWN.has(role))
      .map(({ role, content }) => `  ${padEnd(role, 9)} ${firstLine(content)}`),
    ...(workflow === undefined ? [] : [`  workflow  ${workflow.file}`]),
    ...tasks.map(({ name, description }) => `    ${name}  ${firstLine(description)}`.trimEnd()),
    ...(knowledge === undefined ? [] : [`  knowledge ${knowledge}`]),
  ]
    .map((line) => `${neutralise(line)}\n`)
    .join('');
}

const SHOWN: ReadonlySet<string> = new Set([
  'endpoint',
  'backend',
  'model',
  'tool',
  'introduce',
  'mcp',
  'kb',
  'association',
  'socialize',
  'delegate',
]);

function agentJson({ name, folder, start, workflow, knowledge }: Template) {
  return {
    name,
    folder,
    start_chat: start.map(({ role, content }) => ({ role, content })),
    workflow: workflow?.file ?? null,
    knowledge_base: knowledge ?? null,
    tasks: (workflow?.tasks ?? []).map((task) => ({
      name: task.name,
      description: task.description,
    })),
  };
}
