// `chat ask --inline FILE`: answers each `# ask: …` comment of a source file in place, one after the other.

import { loadBackend } from '../backends/index.ts';
import { decode } from '../chat/decode.ts';
import { answer } from '../chat/select.ts';
import { folders } from '../config/folders.ts';
import { EXIT, usageFailure } from '../errors.ts';
import type { Chat } from '../types.ts';
import type { World } from '../world/types.ts';
import { backendContext } from './backend-context.ts';
import { answerCache } from './cache.ts';
import { run } from './loop.ts';
import { prepare } from './prepare.ts';
import { createResources } from './resources.ts';
import type { AskCommand, Resources } from './types.ts';
import { warner } from './warner.ts';

/** A comment that asks: `# ask: why?`, in the comment style of the line. */
const ASKING = /^(\s*)(#|\/\/|--|;|%)\s*ask:\s*(\S.*?)\s*$/;

export interface InlineQuestion {
  /** Counted from 0. */
  readonly line: number;
  readonly indent: string;
  readonly marker: string;
  readonly question: string;
}

/** The comments of a source text that ask and are not answered yet. */
export function inlineQuestions(source: string): readonly InlineQuestion[] {
  return source.split('\n').flatMap((text, line) => {
    const [, indent = '', marker = '', question = ''] = ASKING.exec(text.replace(/\r$/, '')) ?? [];
    return question === '' ? [] : [{ line, indent, marker, question }];
  });
}

/**
 * The source with the answer below its comment, which now says `asked:` so that it is not asked again. Fenced code of the answer
 * becomes code at the comment's depth; everything else becomes comments.
 */
export function withAnswer(source: string, asked: InlineQuestion, text: string): string {
  const lines = source.split('\n');
  const end = lines[asked.line]?.endsWith('\r') ? '\r' : '';
  const comment = (line: string) =>
    `${asked.indent}${asked.marker}${line === '' ? '' : ` ${line}`}`;
  let fence = '';
  const answered = text.split('\n').flatMap((line) => {
    const opener = /^\s*(`{3,}|~{3,})/.exec(line)?.[1] ?? '';
    if (fence === '' && opener !== '') {
      fence = opener;
      return [];
    }
    if (fence !== '' && opener.startsWith(fence) && line.trim() === opener) {
      fence = '';
      return [];
    }
    if (fence !== '') return [line === '' ? '' : asked.indent + line];
    return [comment(line)];
  });
  lines.splice(
    asked.line,
    1,
    ...[comment(`asked: ${asked.question}`), ...answered].map((line) => line + end),
  );
  return lines.join('\n');
}

/** Each answer is written, whole file and all, before the next question is asked: a failure keeps what was answered. */
export async function answerInline(
  file: string,
  command: AskCommand,
  world: World,
): Promise<number> {
  if (!(await world.files.isWritable(file)))
    throw usageFailure('read-only', `cannot write to "${file}": permission denied`, {
      next: 'the answers go into that file',
    });
  const lock = await world.locks.hold(file, { signal: world.signal });
  const resources = createResources();
  const release = resources.hold();
  try {
    let source = decode(await world.files.read(file), { file });
    const count = inlineQuestions(source).length;
    if (count === 0)
      throw usageFailure('nothing-to-ask', `there is no comment like "# ask: …" in ${file}`, {
        at: file,
      });
    for (
      let [next] = inlineQuestions(source);
      next !== undefined;
      [next] = inlineQuestions(source)
    ) {
      source = withAnswer(
        source,
        next,
        await answerOf(next, source, file, { command, resources }, world),
      );
      await world.files.write(file, source);
      if (!command.quiet)
        world.output.note(`${file}:${next.line + 1}: answered "${next.question}"`);
    }
    return EXIT.ok;
  } finally {
    await Promise.all([release(), lock.release()]);
  }
}

async function answerOf(
  asked: InlineQuestion,
  source: string,
  file: string,
  { command, resources }: { readonly command: AskCommand; readonly resources: Resources },
  world: World,
): Promise<string> {
  const warn = warner(command, world);
  const stored: Chat = [
    {
      role: 'user',
      content: `<file name="${file.replaceAll('"', '&quot;')}">\n${source}\n</file>`,
    },
    {
      role: 'user',
      content: `Line ${asked.line + 1} of this file has a comment that asks: ${asked.question}\nAnswer it. Your answer is put right below that line: put code into a fenced block, everything else becomes a comment.`,
    },
  ];
  const plan = await (
    await prepare(stored, world, {
      flags: command.flags,
      warn,
      file,
      ledger: { tokens: 0, cost: 0, resources },
      ...(command.agents === undefined ? {} : { agents: command.agents }),
    })
  ).plan();
  const { cache } = await folders(world.env, world.files);
  const going = run(
    plan,
    await loadBackend(plan.endpoint.backend),
    await backendContext(world),
    answerCache(plan, cache, world.files),
  );
  for (;;) {
    const next = await going.next();
    if (next.done === true) return (answer(next.value) ?? '').trim();
    if (next.value.kind === 'warning') warn({ code: 'backend', message: next.value.message });
  }
}
