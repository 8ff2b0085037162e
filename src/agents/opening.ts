// Opens an agent of the library: its session and its conversation, from the options that a program gave.

import { parse } from '../chat/parse.ts';
import type { Chat, Warn } from '../types.ts';
import type { World } from '../world/types/world.ts';
import type { AgentOptions } from './agent-options.ts';
import { createLive, placesOf } from './live.ts';
import { loadTemplate } from './load.ts';
import { safeName } from './names.ts';
import { agentsPort } from './open.ts';
import { createSession } from './session.ts';
import type { Opened, Session, Template } from './types.ts';

/** Rejects with a configuration Failure when the agent that is named cannot be used. */
export async function openAgent(options: AgentOptions, world: World): Promise<Opened> {
  const warn: Warn = options.onWarning ?? (() => {});
  const session = createSession(
    world,
    { warn, flags: flagsOf(options), ledger: { tokens: 0, cost: 0 } },
    agentsPort(world),
  );
  const template = await templateOf(options, world, warn);
  const live = createLive({ template, ...placesOf(options.saveFile, template.name) });
  return { session, live, begun: 0 };
}

async function templateOf(options: AgentOptions, world: World, warn: Warn): Promise<Template> {
  const { agent, name, start } = options;
  const own = start === undefined ? [] : startChat(start);
  const named = name === undefined ? {} : { name: safeName(name) };
  if (agent === undefined)
    return { name: 'agent', folder: world.cwd, file: undefined, start: own, ...named };
  const loaded = await loadTemplate(agent, world, warn);
  return { ...loaded, start: [...loaded.start, ...own], ...named };
}

const startChat = (start: string | Chat): Chat =>
  typeof start === 'string' ? parse(start, { file: 'the start chat' }) : start;

function flagsOf({ options = {}, budget, cache, record, jobs }: AgentOptions): Session['flags'] {
  return {
    options: Object.entries(options).flatMap(([name, value]) =>
      value === undefined
        ? []
        : [`${name}=${typeof value === 'string' ? value : JSON.stringify(value)}`],
    ),
    ...(budget === undefined ? {} : { budget }),
    ...(cache === undefined ? {} : { cache }),
    ...(record === undefined ? {} : { record }),
    ...(jobs === undefined ? {} : { jobs }),
  };
}
