// `chat ask` from its parsed arguments to an exit code: what is asked, where it is kept, how it is shown.

import { print } from '../chat/print.ts';
import { checkTarget } from '../config/target.ts';
import { EXIT, usageFailure } from '../errors.ts';
import type { JobEvent } from '../store/types.ts';
import { asShown, harmlessJson } from '../terminal/neutralise.ts';
import type { Chat } from '../types.ts';
import type { World } from '../world/types/world.ts';
import { readAsked } from './asked.ts';
import { openConversation } from './conversation.ts';
import { execute } from './execute.ts';
import { prepare } from './prepare.ts';
import { resourcesOf } from './resources.ts';
import type { AskCommand } from './types/command.ts';
import type { Ledger } from './types/run.ts';
import { note, warner } from './warner.ts';

/** Runs one ask. Resolves with the exit code; rejects with a Failure, or with the Interruption that stopped it. */
export async function askCommand(command: AskCommand, world: World): Promise<number> {
  await checkTarget(command.events, '--events', world.files);
  await checkTarget(command.flags.record, '--record', world.files);
  if (command.inline !== undefined) {
    const { answerInline } = await import('./inline.ts');
    return answerInline(command.inline, command, world);
  }
  if (command.json && command.events === '-')
    throw usageFailure('options-conflict', '--json cannot share standard output with --events -', {
      next: 'leave one of them out, or write the events to a file: --events FILE',
    });
  const warn = warner(command, world);
  const asked = await readAsked(command.asked, world, warn);
  const conversation =
    asked.file === undefined
      ? undefined
      : await openConversation(asked.file, world, {
          create: asked.create,
          signal: world.signal,
          warn,
          onWait: (holder) =>
            note(command, world, `waiting for ${asked.file}: ${holder} is asking it`),
          readOnly: command.dryRun,
        });
  const ledger: Ledger = { tokens: 0, cost: 0 };
  const release = resourcesOf(ledger).hold();
  try {
    const stored = [...(conversation?.chat ?? []), ...asked.added];
    const settled = await prepare(stored, world, {
      flags: command.flags,
      warn,
      ledger,
      noRun: command.dryRun,
      onJobEvent: (event) => tellJob(event, command, world),
      ...(command.agents === undefined ? {} : { agents: command.agents }),
      ...(asked.file === undefined ? {} : { file: asked.file, saveFile: asked.file }),
    });
    if (command.dryRun) {
      const text = command.json
        ? messagesJson(settled.compiled)
        : asShown(print(settled.compiled), world.output.stdout);
      await world.output.write(text);
      return EXIT.ok;
    }
    return await execute(settled, command, world, { conversation, question: asked.added });
  } finally {
    await Promise.all([release(), conversation?.close()]);
  }
}

/** As `chat compile --json` prints them. */
const messagesJson = (chat: Chat): string =>
  `${harmlessJson(
    chat.map(({ role, content }) => ({ role, content })),
    2,
  )}\n`;

/** A line for each task of the chat that was computed now; one that was there already is no news. */
function tellJob(event: JobEvent, command: AskCommand, world: World): void {
  const { workflow, name } = event.job.task;
  if (event.kind === 'start' && world.output.stderr.terminal)
    note(command, world, `running ${workflow}/${name}`);
  if (event.kind === 'end' && event.seconds !== undefined)
    note(
      command,
      world,
      `${event.status === 'done' ? 'ran' : 'failed'} ${workflow}/${name} in ${event.seconds.toFixed(1)} s`,
    );
}
