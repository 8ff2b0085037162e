// A live conversation as the ask sees it that asks in its name: what it begins with, its tools, and where each round is kept.

import type { AskedAgent } from '../ask/types/agents.ts';
import { project } from '../prov/project.ts';
import type { Options } from '../types.ts';
import { saveLive } from './save.ts';
import type { Live, Session } from './types.ts';

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
