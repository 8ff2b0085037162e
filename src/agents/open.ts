// Opens the agent that a chat or a command line names, for the ask that asks it.

import type { OpenAgent } from '../ask/types.ts';
import type { World } from '../world/types.ts';
import { askedOf, createLive, createSession, placesBeside } from './live.ts';

/** Its own chat goes beside the chat that is asked; an ask that is not saved saves nothing of its agents either. */
export function agentOpener(world: World): OpenAgent {
  return async (request) => {
    const session = createSession(world, request);
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
  };
}
