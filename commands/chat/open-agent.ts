// Gives the commands that ask their agents, and tasks theirs, without loading anything of those before one is named.

import type { AgentsPort } from '../../src/ask/types/agents.ts';
import { warner } from '../../src/ask/warner.ts';
import type { JobHost } from '../../src/store/types.ts';
import type { World } from '../../src/world/types/world.ts';

/** Opens agents. */
export function openAgent(world: World): AgentsPort {
  const real = async () => {
    const { agentsPort } = await import('../../src/agents/open.ts');
    return agentsPort(world);
  };
  return {
    open: async (request) => (await real()).open(request),
    host: (run) => lazyHost(async () => (await real()).host(run)),
  };
}

/** Lets tasks that a command runs use agents; what they warn about is noted. */
export function agentHost(world: World): JobHost {
  return openAgent(world).host({
    flags: {},
    ledger: { tokens: 0, cost: 0 },
    warn: warner({ quiet: false }, world),
    depth: () => 0,
  });
}

/** Each job has a function under the key of chat tasks; what that does is loaded when a task calls it. */
function lazyHost(open: () => Promise<JobHost>): JobHost {
  return (job, context) =>
    Object.assign(context, {
      [CHAT_TASK]: async (...given: readonly unknown[]) => {
        const running = (await open())(job, context);
        return Reflect.apply(Reflect.get(running, CHAT_TASK), undefined, given);
      },
    });
}

/** As src/workflows/chat-task.ts has it, whose types of inputs are not needed here. */
const CHAT_TASK = Symbol.for('scout-chat.chat-task');
