// Opens the agents that chats and command lines name, and lets tasks use agents.

import type { AgentsPort } from '../ask/types/agents.ts';
import type { World } from '../world/types/world.ts';
import { askedOf } from './asked.ts';
import { jobHost } from './job-host.ts';
import { createLive, placesBeside } from './live.ts';
import { createSession } from './session.ts';

/** An agent's own chat goes beside the chat that is asked; an ask that is not saved saves nothing of its agents either. */
export function agentsPort(world: World): AgentsPort {
  const port: AgentsPort = {
    async open(request) {
      const session = createSession(world, request, port);
      const template = request.name === undefined ? undefined : await session.load(request.name);
      const places =
        request.file === undefined
          ? undefined
          : placesBeside(request.file, template?.name ?? 'agent');
      const live = createLive({
        template,
        messages: request.stored,
        below: places?.below,
        // Without a start chat it would be the same text again.
        ...(template === undefined ? {} : { place: places?.place }),
      });
      return askedOf(live, session);
    },
    host: (run) =>
      jobHost(run, (ledger) => createSession(world, { ...run, ledger }, port, run.own)),
  };
  return port;
}
