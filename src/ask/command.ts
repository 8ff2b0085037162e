// `chat ask` from its parsed arguments to an exit code: what is asked, where it is kept, how it is shown.

import { print } from '../chat/print.ts';
import type { Call } from '../cli/spec.ts';
import { EXIT } from '../errors.ts';
import type { Warn } from '../types.ts';
import type { World } from '../world/types.ts';
import { readAsked } from './asked.ts';
import { openConversation } from './conversation.ts';
import { execute } from './execute.ts';
import { type AskFlags, prepare } from './prepare.ts';

/** Runs one ask. Resolves with the exit code; rejects with a Failure, or with the Interruption that stopped it. */
export async function askCommand(call: Call, world: World): Promise<number> {
  const inline = call.text('inline');
  if (inline !== undefined) {
    const { answerInline } = await import('./inline.ts');
    return answerInline(inline, call, world);
  }
  const warn = warner(call, world);
  const asked = await readAsked(
    {
      words: call.arguments,
      chatFile: call.text('chat'),
      template: call.text('template'),
      files: call.list('file'),
      imports: call.list('import'),
      literal: call.flag('plain'),
    },
    world,
    warn,
  );
  const dry = call.flag('dry-run');
  const conversation =
    asked.file === undefined
      ? undefined
      : await openConversation(asked.file, world, {
          create: asked.create,
          signal: world.signal,
          warn,
          onWait: (holder) =>
            note(call, world, `waiting for ${asked.file}: ${holder} is asking it`),
          readOnly: dry,
        });
  try {
    const stored = [...(conversation?.chat ?? []), ...asked.added];
    const settled = await prepare(stored, world, {
      flags: askFlags(call),
      warn,
      noRun: dry,
      ...(asked.file === undefined ? {} : { file: asked.file }),
    });
    if (dry) {
      await world.output.write(print(settled.compiled));
      return EXIT.ok;
    }
    return await execute(settled, call, world, { conversation, question: asked.added, warn });
  } finally {
    await conversation?.close();
  }
}

/** The settings that the command line gives, as `prepare` takes them. */
export function askFlags(call: Call): AskFlags {
  return {
    endpoint: call.text('endpoint'),
    model: call.text('model'),
    backend: call.text('backend'),
    options: call.list('option'),
    format: call.text('format'),
    cache: !call.flag('no-cache'),
    allowRemote: call.flag('allow-remote'),
    budget: { tokens: call.value<number>('max-tokens'), cost: call.value<number>('max-cost') },
  };
}

/** Warnings go to standard error with their place, each once. */
export function warner(call: Call, world: World): Warn {
  const told = new Set<string>();
  return ({ message, origin }) => {
    const place = origin === undefined ? '' : `${origin.file ?? 'the chat'}:${origin.line}: `;
    const line = `${place}warning: ${message}`;
    if (told.has(line)) return;
    told.add(line);
    note(call, world, line);
  };
}

function note(call: Call, world: World, text: string): void {
  if (!call.flag('quiet')) world.output.note(text);
}
