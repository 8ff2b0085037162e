// What the agents of one run share: the world, the budget, the agents that were loaded, and how each of them is asked.

import type { AgentRequest, AgentsPort } from '../ask/types/agents.ts';
import type { Workflow } from '../workflows/types.ts';
import type { World } from '../world/types/world.ts';
import { listAgents } from './find.ts';
import { loadTemplate } from './load.ts';
import type { Session, Template } from './types.ts';

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
  const session: Session = {
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
    async ask(live, asked) {
      const { askLive } = await import('./ask.ts');
      return askLive(live, session, asked);
    },
  };
  return session;
}
