// From a compiled chat to its tools and to the chat without what declared them.

import * as path from 'node:path';
import { isThere } from '../config/search.ts';
import { locate } from '../errors.ts';
import type { Chat, Message, Tool, Warn } from '../types.ts';
import { findWorkflow, taskOf } from '../workflows/find.ts';
import { toolNames } from '../workflows/schema.ts';
import type { Task, Workflow } from '../workflows/types.ts';
import type { World } from '../world/types/world.ts';
import { declarations, readDeclaration, type ToolDeclaration } from './declarations.ts';
import type { Work, WorkOptions } from './job-port.ts';
import { KNOWLEDGE_ROLES, knowledgeTools } from './knowledge.ts';
import type { McpOptions } from './mcp/tools.ts';
import { workflowTool } from './workflow-tool.ts';

export interface Collected {
  readonly chat: Chat;
  readonly tools: readonly Tool[];
  /** What some of them answer may be another thing each time, for the same question. */
  readonly isChanging: boolean;
}

export interface CollectOptions extends WorkOptions {
  readonly warn: Warn;
  readonly work: () => Promise<Work>;
  /** `-w`: workflows whose tasks are tools, beside what the chat declares. */
  readonly workflows?: readonly string[];
  /** All tasks of this workflow are tools, too. */
  readonly all?: Workflow | undefined;
  /** Names that other tools have. */
  readonly taken?: readonly string[];
  /** Folder of tables whose databases are tools, too. */
  readonly knowledge?: string | undefined;
  /** How servers are used; they give no tools when absent. */
  readonly mcp?: Omit<McpOptions, 'taken' | 'warn'>;
}

/** Rejects with a Failure, at its line, for a workflow, task or input that is not there. A task that is declared twice is declared as the last one says, with a warning. */
export async function collectTools(
  chat: Chat,
  world: World,
  options: CollectOptions,
): Promise<Collected> {
  const declared = declarations(chat);
  const flags: Chat = (options.workflows ?? []).map((content) => ({ role: 'tool', content }));
  const find = workflowsByName(world, options.own);
  const entries = new Map<string, { task: Task; declaration: ToolDeclaration }>();
  // What the chat says about one of these tasks counts.
  for (const task of options.all?.tasks ?? [])
    entries.set(`${task.workflow}/${task.name}`, { task, declaration: WHOLE });
  for (const message of [...flags, ...declared]) {
    const declaration = readDeclaration(message);
    for (const task of await at(message, tasksOf(declaration, find, message))) {
      const key = `${task.workflow}/${task.name}`;
      if (entries.has(key) && entries.get(key)?.declaration !== WHOLE)
        tellTwice(key, message, options.warn);
      entries.set(key, { task, declaration });
    }
  }
  const all = [...entries.values()];
  const { taken = [], warn, knowledge: folder } = options;
  const knowledge = await knowledgeTools(chat, world, { warn, folder, taken });
  const names = toolNames(
    all.map(({ task }) => task),
    [...taken, ...knowledge.map(({ name }) => name)],
  );
  const own = all.map(({ task, declaration }, index) => {
    try {
      return workflowTool(task, names[index] ?? task.name, declaration, options.work, options);
    } catch (error) {
      throw declaration.origin === undefined ? error : locate(error, declaration.origin);
    }
  });
  const before = [...own, ...knowledge];
  const servers = await serverTools(chat, options, [...taken, ...before.map(({ name }) => name)]);
  return {
    chat: await introductions(chat, find),
    tools: [...before, ...servers],
    isChanging: servers.length > 0 || knowledge.length > 0,
  };
}

async function serverTools(
  chat: Chat,
  { mcp, warn }: CollectOptions,
  taken: readonly string[],
): Promise<readonly Tool[]> {
  const declared = declarations(chat, 'mcp');
  if (mcp === undefined || declared.length === 0) return [];
  const { mcpTools } = await import('./mcp/tools.ts');
  return mcpTools(declared, { ...mcp, warn, taken });
}

/** A task with all its inputs. */
const WHOLE: ToolDeclaration = { workflow: '', only: [], fixed: {}, none: false };

type Find = (name: string, from: Pick<Message, 'origin'>) => Promise<Workflow>;

function workflowsByName(world: World, own: WorkOptions['own']): Find {
  const known = new Map<string, Promise<Workflow>>();
  return async (said, { origin }) => {
    const given = own?.(said);
    if (given !== undefined) return given;
    const name = await besideChat(said, origin?.file, world);
    const workflow = known.get(name) ?? findWorkflow(name, world);
    known.set(name, workflow);
    return workflow;
  };
}

/** A path leads from the folder of the chat first, then from the working directory. */
async function besideChat(name: string, file: string | undefined, { files, cwd }: World) {
  if (file === undefined || !/[/\\]/.test(name)) return name;
  const place = path.resolve(cwd, path.dirname(file), name);
  return (await isThere(place, files)) ? place : name;
}

async function tasksOf(
  { workflow, task }: ToolDeclaration,
  find: Find,
  from: Pick<Message, 'origin'>,
): Promise<readonly Task[]> {
  const found = await find(workflow, from);
  return task === undefined ? found.tasks : [await taskOf(found, task)];
}

const DECLARING: ReadonlySet<string> = new Set(['tool', 'mcp', 'clear_tools']);

/** The chat without declarations, each `introduce` replaced by what the workflow says of itself. */
async function introductions(chat: Chat, find: Find): Promise<Chat> {
  const result: Message[] = [];
  for (const message of chat) {
    if (DECLARING.has(message.role)) continue;
    if (KNOWLEDGE_ROLES.has(message.role)) continue;
    if (message.role !== 'introduce') result.push(message);
    else
      result.push({
        ...message,
        role: 'user',
        content: introduction(await at(message, find(message.content.trim(), message))),
      });
  }
  return result;
}

function introduction({ name, title, description, tasks }: Workflow): string {
  const head = title === '' || title === name ? `# ${name}` : `# ${name}: ${title}`;
  const rows = tasks.map(
    (task) =>
      `- ${task.name}${task.description === '' ? '' : `: ${task.description.split('\n')[0]}`}`,
  );
  return [head, description, rows.length === 0 ? '' : `Tasks:\n\n${rows.join('\n')}`]
    .filter((part) => part !== '')
    .join('\n\n');
}

async function at<T>(message: Pick<Message, 'origin'>, work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    throw message.origin === undefined ? error : locate(error, message.origin);
  }
}

function tellTwice(key: string, { origin }: Pick<Message, 'origin'>, warn: Warn): void {
  warn({
    code: 'tool-declared-twice',
    message: `the tool ${key} is declared twice; this declaration counts`,
    ...(origin === undefined ? {} : { origin }),
  });
}
