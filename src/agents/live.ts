// A conversation of an agent while it lives: made, kept as its rounds complete, and shown to the ask that asks in its name.

import * as path from 'node:path';
import type { AgentRequest, AgentsPort, AskedAgent } from '../ask/types.ts';
import { project } from '../prov/project.ts';
import type { Chat, Options } from '../types.ts';
import type { Workflow } from '../workflows/types.ts';
import type { World } from '../world/types.ts';
import { listAgents } from './find.ts';
import { loadTemplate } from './load.ts';
import { saveLive } from './save.ts';
import { turns } from './turns.ts';
import type { Live, Session, Template } from './types.ts';

export interface LiveParts {
  readonly template?: Template | undefined;
  readonly messages?: Chat;
  readonly conversation?: string;
  readonly depth?: number;
  readonly maxDepth?: number | undefined;
  readonly place?: string | undefined;
  readonly below?: string | undefined;
}

export function createLive(parts: LiveParts): Live {
  return {
    name: parts.template?.name ?? 'agent',
    template: parts.template,
    conversation: parts.conversation ?? '',
    messages: parts.messages ?? [],
    depth: parts.depth ?? 0,
    maxDepth: parts.maxDepth,
    place: parts.place,
    below: parts.below,
    written: undefined,
    society: new Map(),
    turns: turns(),
    handOffs: new Map(),
  };
}

/** What the agents of one run share. Each agent is loaded once. */
export function createSession(
  world: World,
  { warn, flags, ledger }: Pick<AgentRequest, 'warn' | 'flags' | 'ledger'>,
  agents: AgentsPort,
  known: Session['own'] = () => undefined,
): Session {
  const templates = new Map<string, Promise<Template>>();
  const workflows = new Map<string, Workflow>();
  let names: Promise<readonly string[]> | undefined;
  const load = async (name: string) => {
    const template = await loadTemplate(name, world, warn);
    const { workflow } = template;
    if (workflow !== undefined && !workflows.has(workflow.name))
      workflows.set(workflow.name, workflow);
    return template;
  };
  return {
    world,
    warn,
    flags,
    ledger,
    agents,
    own: (name) => workflows.get(name) ?? known(name),
    load(name) {
      const template = templates.get(name) ?? load(name);
      templates.set(name, template);
      return template;
    },
    names() {
      names ??= listAgents(world).then((agents) => agents.map(({ name }) => name));
      return names;
    },
  };
}

/** Where an agent's own chat and those it delegates to go, beside the file that is asked. */
export function placesBeside(file: string, name: string): { place: string; below: string } {
  const folder = `${file}.files`;
  return { place: path.join(folder, `${name}.chat`), below: path.join(folder, `${name}.society`) };
}

/**
 * Where a conversation goes that is saved to this file, decided by its location alone: in a `.files` folder the society lies beside it, in a
 * society `society` does, and elsewhere it has a `.files` folder of its own.
 */
export function placesOf(
  file: string | undefined,
  name: string,
): { readonly place: string | undefined; readonly below: string | undefined } {
  if (file === undefined) return { place: undefined, below: undefined };
  const folder = path.dirname(file);
  if (folder.endsWith('.files'))
    return { place: file, below: path.join(folder, `${name}.society`) };
  const kind = path.basename(path.resolve(folder, '../..'));
  const isNested = path.basename(file) === 'agent.chat' && /(?:^|\.)society$/.test(kind);
  if (isNested) return { place: file, below: path.join(folder, 'society') };
  return { place: file, below: placesBeside(file, name).below };
}

/** The live conversation as who is asked. `delegated`: by another agent, which passes these options. */
export function askedOf(live: Live, session: Session, delegated?: Options): AskedAgent {
  const { template } = live;
  return {
    start: template?.start ?? [],
    ...(template?.file === undefined ? {} : { file: template.file }),
    ...(template?.workflow === undefined ? {} : { workflow: template.workflow }),
    ...(template?.knowledge === undefined ? {} : { knowledge: template.knowledge }),
    ...(delegated === undefined ? {} : { delegated: { options: delegated } }),
    own: (name) => (template?.workflow?.name === name ? template.workflow : session.own(name)),
    depth: live.depth,
    project: ({ job, messages }) => project(job, messages),
    async tools(caller) {
      const { delegationTools } = await import('./tools.ts');
      return delegationTools(live, caller, session);
    },
    async keep(messages) {
      live.messages = [...live.messages, ...messages];
      await saveLive(live, session);
    },
  };
}
