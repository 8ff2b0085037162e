// Asks one live conversation: prepares it, runs it, and keeps each round as soon as it is complete.

import { backendContext } from '../ask/backend-context.ts';
import { answerCache } from '../ask/cache.ts';
import { run } from '../ask/loop.ts';
import { prepare } from '../ask/prepare.ts';
import { recorded } from '../ask/recorded.ts';
import { loadBackend } from '../backends/index.ts';
import { folders } from '../config/folders.ts';
import type { Chat } from '../types.ts';
import { askedOf } from './asked.ts';
import { type Spent, spentBy } from './spent.ts';
import type { Live, Question, Session, Spoken } from './types.ts';

/** Never rejects: a failure, also the signal's reason, is told beside what was kept. */
export async function askLive(live: Live, session: Session, asked: Question): Promise<Spoken> {
  const { signal, delegated, flags = session.flags } = asked;
  const world = { ...session.world, signal };
  const agent = askedOf(live, { ...session, world }, delegated);
  let waiting = asked.question;
  let added: Chat = [];
  let spent: Spent | undefined;
  const keep = async (messages: Chat) => {
    added = [...added, ...messages];
    const all = [...waiting, ...messages];
    waiting = [];
    await agent.keep(all);
  };
  try {
    const stored = [...live.messages, ...asked.question];
    const { warn, ledger } = session;
    const plan = await (
      await prepare(stored, world, {
        flags,
        warn,
        ledger,
        agent,
        agents: session.agents,
        ...(live.place === undefined ? {} : { saveFile: live.place }),
      })
    ).plan();
    const backend = await recorded(
      await loadBackend(plan.endpoint.backend),
      flags.record,
      world.files,
    );
    spent = spentBy(plan.endpoint.name, world.clock);
    const { cache } = await folders(world.env, world.files);
    const going = run(
      plan,
      backend,
      await backendContext(world),
      answerCache(plan, cache, world.files),
    );
    for await (const event of going) {
      spent.see(event);
      if (event.kind === 'round' || event.kind === 'partial') await keep(event.messages);
      if (event.kind === 'warning')
        warn({ code: 'agent-warning', message: `${live.name}: ${event.message}` });
      asked.onEvent?.(event);
    }
    return { added };
  } catch (failure) {
    return { added, failure, spent: spent?.metas() ?? [] };
  }
}
