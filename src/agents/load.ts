// Loads an agent's folder: its start chat and the workflow in it. Compiles and asks nothing.

import * as path from 'node:path';
import { openBlock } from '../chat/append.ts';
import { decode } from '../chat/decode.ts';
import { blockName, parse } from '../chat/parse.ts';
import { checkRoles } from '../chat/prompt.ts';
import { isThere, searchPath } from '../config/search.ts';
import { configFailure, Failure } from '../errors.ts';
import type { Chat, Origin, Warn } from '../types.ts';
import { loadPlace, placeOf } from '../workflows/load.ts';
import type { Workflow } from '../workflows/types.ts';
import type { WorkflowWorld } from '../workflows/world.ts';
import { findAgent, START_CHAT } from './find.ts';
import type { AgentPlace, Template } from './types.ts';

/** Rejects with a configuration Failure (exit 3) when there is no such agent, or its start chat or its workflow cannot be used. */
export async function loadTemplate(
  name: string,
  world: WorkflowWorld,
  warn: Warn,
): Promise<Template> {
  const place = await findAgent(name, world);
  const file = shownPath(path.join(place.folder, START_CHAT), world.cwd);
  const start = await startChat(file, world, warn);
  const workflow = await workflowOf(place, world);
  for (const { code, message, at } of workflow?.problems ?? [])
    warn({ code, message, ...(typeof at === 'object' ? { origin: at } : {}) });
  const knowledge = path.join(place.folder, 'knowledge_base');
  return {
    ...place,
    file,
    start,
    ...(workflow === undefined ? {} : { workflow }),
    ...((await isThere(knowledge, world.files)) ? { knowledge } : {}),
  };
}

async function startChat(file: string, world: WorkflowWorld, warn: Warn): Promise<Chat> {
  const bytes = await world.files.read(path.resolve(world.cwd, file));
  try {
    const text = decode(bytes, { file, warn });
    const open = openBlock(text);
    if (open !== undefined)
      throw unusable(`the ${blockName(open.kind)} that opens here is never closed`, {
        file,
        line: open.line,
      });
    const chat = parse(text, { file, warn });
    checkRoles(chat);
    return chat;
  } catch (error) {
    if (!(error instanceof Failure) || error.code === 'bad-start-chat') throw error;
    throw unusable(error.message, error.at ?? file, error);
  }
}

function unusable(what: string, at: Origin | string, cause?: Failure): Failure {
  return configFailure('bad-start-chat', `the start chat cannot be used: ${what}`, {
    at,
    ...(cause === undefined ? {} : { cause }),
    next: cause?.next ?? 'close it, or put a backslash before the line that opens it',
  });
}

/** In a folder for workflows the definition may also lie beside the folder. */
async function workflowOf(
  { name, folder }: AgentPlace,
  world: WorkflowWorld,
): Promise<Workflow | undefined> {
  const roots = await searchPath('workflows', world);
  const beside = roots.includes(path.dirname(folder)) ? folder : undefined;
  const place = await placeOf(folder, world.files, beside);
  return place === undefined ? undefined : loadPlace(place, name, world);
}

/** Relative to the working directory where it lies below it: that is how the user would write it. */
function shownPath(file: string, cwd: string): string {
  const relative = path.relative(cwd, file);
  return relative.startsWith('..') || path.isAbsolute(relative) ? file : relative;
}
