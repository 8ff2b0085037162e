// Gives the commands that ask their agents, without loading anything of those before one is named.

import type { OpenAgent } from '../../src/ask/types.ts';
import type { World } from '../../src/world/types.ts';

/** Opens agents; what does it is loaded when a chat or a command line names one. */
export function openAgent(world: World): OpenAgent {
  return async (request) => {
    const { agentOpener } = await import('../../src/agents/open.ts');
    return agentOpener(world)(request);
  };
}
