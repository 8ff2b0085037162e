// `chat ask` from its parsed arguments to an exit code: what is asked, where it is kept, how it is shown.

import { print } from '../chat/print.ts';
import { EXIT } from '../errors.ts';
import { neutralise } from '../terminal/neutralise.ts';
import type { Warn } from '../types.ts';
import type { World } from '../world/types.ts';
import { type AskArguments, readAsked } from './asked.ts';
import { openConversation } from './conversation.ts';
import { execute } from './execute.ts';
import { type AskFlags, prepare } from './prepare.ts';

/** One ask as the command line says it. */
export interface AskCommand {
  readonly asked: AskArguments;
  /** A source file whose `# ask:` comments are answered; nothing else is asked then. */
  readonly inline: string | undefined;
  readonly flags: AskFlags;
  /** Print the compiled chat and send nothing. */
  readonly dryRun: boolean;
  readonly raw: boolean;
  readonly json: boolean;
  readonly quiet: boolean;
  readonly verbose: boolean;
  /** Where `--events` and `--record` go. */
  readonly events: string | undefined;
  readonly record: string | undefined;
}

/** Runs one ask. Resolves with the exit code; rejects with a Failure, or with the Interruption that stopped it. */
export async function askCommand(command: AskCommand, world: World): Promise<number> {
  if (command.inline !== undefined) {
    const { answerInline } = await import('./inline.ts');
    return answerInline(command.inline, command, world);
  }
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
  try {
    const stored = [...(conversation?.chat ?? []), ...asked.added];
    const settled = await prepare(stored, world, {
      flags: command.flags,
      warn,
      noRun: command.dryRun,
      ...(asked.file === undefined ? {} : { file: asked.file }),
    });
    if (command.dryRun) {
      await world.output.write(print(settled.compiled));
      return EXIT.ok;
    }
    return await execute(settled, command, world, { conversation, question: asked.added });
  } finally {
    await conversation?.close();
  }
}

/** Warnings go to standard error with their place, each once; nothing with `quiet`. */
export function warner(command: { readonly quiet: boolean }, world: World): Warn {
  const told = new Set<string>();
  return ({ message, origin }) => {
    const place = origin === undefined ? '' : `${origin.file ?? 'the chat'}:${origin.line}: `;
    const line = `${place}warning: ${message}`;
    if (told.has(line)) return;
    told.add(line);
    note(command, world, line);
  };
}

function note({ quiet }: { readonly quiet: boolean }, world: World, text: string): void {
  if (!quiet) world.output.note(neutralise(text));
}
