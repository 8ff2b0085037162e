// `chat ask --inline FILE`: answers each `# ask: …` comment of a source file in place, one after the other. Bytes that it could not
// write back as they were, and edits that are made while a model answers, are never lost.

import { loadBackend } from '../backends/index.ts';
import { decode } from '../chat/decode.ts';
import { fileMessage } from '../chat/file-message.ts';
import { answer } from '../chat/select.ts';
import { folders } from '../config/folders.ts';
import { EXIT, usageFailure, workFailure } from '../errors.ts';
import { asShown } from '../terminal/neutralise.ts';
import type { Chat } from '../types.ts';
import type { World } from '../world/types/world.ts';
import { backendContext } from './backend-context.ts';
import { answerCache } from './cache.ts';
import { checkWritable } from './conversation.ts';
import { type InlineQuestion, inlineQuestions, sameQuestion, withAnswer } from './inline-source.ts';
import { run } from './loop.ts';
import { prepare } from './prepare.ts';
import { recorded } from './recorded.ts';
import { resourcesOf } from './resources.ts';
import type { AskCommand } from './types/command.ts';
import type { Ledger } from './types/run.ts';
import { note, warner } from './warner.ts';

/**
 * Each answer is written, whole file and all, before the next question is asked: a failure keeps what was answered. Of a dry run
 * only the questions are printed. Fails (exit 2) before anything is asked when the file cannot be written or is no UTF-8.
 */
export async function answerInline(
  file: string,
  command: AskCommand,
  world: World,
): Promise<number> {
  refuseOthers(command);
  if (command.dryRun) {
    const lines = questionsOf(await readSource(file, world), file).map(
      ({ line, question }) => `${file}:${line + 1}: ${question}\n`,
    );
    await world.output.write(asShown(lines.join(''), world.output.stdout));
    return EXIT.ok;
  }
  await checkWritable(file, world.files, 'the answers go into that file');
  const lock = await world.locks.hold(file, { signal: world.signal });
  // One for all questions: limits hold for the whole command.
  const ledger: Ledger = { tokens: 0, cost: 0 };
  const release = resourcesOf(ledger).hold();
  try {
    let source = await readSource(file, world);
    for (
      let [asked] = questionsOf(source, file);
      asked !== undefined;
      [asked] = inlineQuestions(source)
    ) {
      const text = await answerOf(asked, source, file, { command, ledger }, world);
      source = withAnswer(...(await placeOf(asked, text, file, world)), text);
      await world.files.write(file, source);
      note(command, world, `${file}:${asked.line + 1}: answered "${asked.question}"`);
    }
    return EXIT.ok;
  } finally {
    await Promise.all([release(), lock.release()]);
  }
}

/** What else `chat ask` takes would be left aside without a word. */
function refuseOthers({ asked, json, events }: AskCommand): void {
  const given = [
    ...(asked.words.length > 0 ? ['a question'] : []),
    ...(asked.chatFile === undefined ? [] : ['--chat']),
    ...(asked.template === undefined ? [] : ['--template']),
    ...(asked.files.length === 0 ? [] : ['--file']),
    ...(asked.imports.length === 0 ? [] : ['--import']),
    ...(json ? ['--json'] : []),
    ...(events === undefined ? [] : ['--events']),
  ];
  if (given[0] !== undefined)
    throw usageFailure('options-conflict', `--inline and ${given[0]} cannot be used together`, {
      next: 'with --inline the questions are the comments of the file',
    });
}

async function readSource(file: string, { files }: World): Promise<string> {
  return decode(await files.read(file), {
    file,
    warn: ({ message, origin }) => {
      throw usageFailure('not-utf-8', message.replace(/;.*/s, ''), {
        at: origin ?? file,
        next: 'save it as UTF-8: the whole file is written again, and these bytes would be lost',
      });
    },
  });
}

function questionsOf(source: string, file: string): readonly InlineQuestion[] {
  const found = inlineQuestions(source);
  if (found.length > 0) return found;
  throw usageFailure('nothing-to-ask', `there is no comment like "# ask: …" in ${file}`, {
    at: file,
  });
}

/** The file as it is now, which an editor may have changed, and where the comment stands in it. */
async function placeOf(
  asked: InlineQuestion,
  text: string,
  file: string,
  world: World,
): Promise<[string, InlineQuestion]> {
  const now = await readSource(file, world);
  const place = sameQuestion(now, asked);
  if (place !== undefined) return [now, place];
  await world.output.write(`${asShown(text, world.output.stdout)}\n`);
  throw workFailure('question-gone', `"${asked.question}" is not asked in the file any more`, {
    at: file,
    next: 'the file is as it was saved meanwhile; the answer stands on standard output',
  });
}

async function answerOf(
  asked: InlineQuestion,
  source: string,
  file: string,
  { command, ledger }: { readonly command: AskCommand; readonly ledger: Ledger },
  world: World,
): Promise<string> {
  const warn = warner(command, world);
  const stored: Chat = [
    fileMessage(file, source, {}),
    {
      role: 'user',
      content: `Line ${asked.line + 1} of this file has a comment that asks: ${asked.question}\nAnswer it. Your answer is put right below that line: put code into a fenced block, everything else becomes a comment.`,
    },
  ];
  const settled = await prepare(stored, world, {
    flags: command.flags,
    warn,
    file,
    ledger,
    ...(command.agents === undefined ? {} : { agents: command.agents }),
  });
  const plan = await settled.plan();
  const { cache } = await folders(world.env, world.files);
  const going = run(
    plan,
    await recorded(await loadBackend(plan.endpoint.backend), command.flags.record, world.files),
    await backendContext(world),
    answerCache(plan, cache, world.files),
  );
  for (;;) {
    const next = await going.next();
    if (next.done === true) return (answer(next.value) ?? '').trim();
    if (next.value.kind === 'warning') warn({ code: 'backend', message: next.value.message });
  }
}
