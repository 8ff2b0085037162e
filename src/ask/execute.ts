// Runs a settled ask: requests go out, rounds are kept, the answer is shown, events are written.

import { loadBackend } from '../backends/index.ts';
import { parseMeta, tokensOf } from '../chat/meta.ts';
import { answer } from '../chat/select.ts';
import { folders } from '../config/folders.ts';
import { advise, EXIT, Failure } from '../errors.ts';
import { harmlessJson } from '../terminal/neutralise.ts';
import type { Chat } from '../types.ts';
import type { World } from '../world/types/world.ts';
import { backendContext } from './backend-context.ts';
import { answerCache } from './cache.ts';
import type { Conversation } from './conversation.ts';
import { delegatedTokens } from './delegated.ts';
import { eventSink } from './event-sink.ts';
import { keeper } from './keep.ts';
import { run } from './loop.ts';
import type { Settled } from './prepare.ts';
import { recorded } from './recorded.ts';
import { show } from './show.ts';
import { addTokens } from './totals.ts';
import type { AskCommand } from './types/command.ts';
import type { AskEvent } from './types/events.ts';
import type { Plan } from './types/run.ts';

export interface Kept {
  readonly conversation: Conversation | undefined;
  /** What goes into the file before the answer. */
  readonly question: Chat;
}

/** Resolves with 0 when an answer was produced. Rejects with what ended the run, after everything that can be kept is kept. */
export async function execute(
  settled: Settled,
  command: AskCommand,
  world: World,
  kept: Kept,
): Promise<number> {
  const plan = await settled.plan();
  const { cache } = await folders(world.env, world.files);
  const backend = await recorded(
    await loadBackend(plan.endpoint.backend),
    command.flags.record,
    world.files,
  );
  const stop = new AbortController();
  const context = await backendContext(world, stop.signal);
  const events = await eventSink(command.events, world);
  const display = await show(world.output, world.clock, {
    answer: command.json || events.ownsOutput ? 'none' : 'text',
    raw: command.raw,
    quiet: command.quiet,
    verbose: command.verbose,
    hold: plan.format !== undefined || (plan.tools.length > 0 && !world.output.stdout.terminal),
  });
  const keep = keeper(kept.conversation, kept.question);
  const failures: unknown[] = [];
  /** A closed or full standard output ends the showing, and the run too when nothing else would keep its answer. */
  const shown = async (event: AskEvent) => {
    if (failures.length > 0) return;
    try {
      await display.handle(event);
    } catch (error) {
      failures.push(error);
    }
    if ((failures.length > 0 || world.output.closed) && kept.conversation === undefined)
      stop.abort(CLOSED);
  };
  await events.start(plan);
  let messages: Chat = [];
  try {
    const going = run(plan, backend, context, answerCache(plan, cache, world.files));
    for (;;) {
      const next = await going.next();
      if (next.done === true) {
        messages = next.value;
        break;
      }
      await keep.handle(next.value);
      if (next.value.kind === 'round' || next.value.kind === 'partial')
        await plan.keep?.(next.value.messages);
      await events.write(next.value);
      await shown(next.value);
    }
    await events.end();
  } catch (error) {
    await events.end(error);
    // Before anything is told: the last row of the answer may still be open.
    await endShow(display, failures);
    if (error === CLOSED && failures.length === 0) return EXIT.ok;
    if (failures.length > 0) throw failures[0];
    throw withKept(error, keep.summary(), command, world);
  } finally {
    await endShow(display, failures);
  }
  if (failures.length > 0) throw failures[0];
  if (command.json) await world.output.write(`${harmlessJson(resultObject(messages, plan), 2)}\n`);
  return EXIT.ok;
}

/** Why a run stopped whose answer nobody would see or keep. */
const CLOSED = new Error('standard output was closed');

async function endShow(display: { end(): Promise<void> }, failures: unknown[]): Promise<void> {
  try {
    await display.end();
  } catch (error) {
    failures.push(error);
  }
}

/** The failure with what was kept before what to do next; an interruption is told at once. */
function withKept(
  error: unknown,
  summary: string | undefined,
  command: AskCommand,
  world: World,
): unknown {
  if (summary === undefined) return error;
  if (error instanceof Failure)
    return advise(error, error.next === undefined ? summary : `${summary}; ${error.next}`);
  if (!command.quiet) world.output.note(`${summary}; ask it again to go on`);
  return error;
}

function resultObject(messages: Chat, plan: Plan) {
  const delegated = delegatedTokens(messages);
  const metas = messages
    .filter(({ role }) => role === 'meta')
    .map(({ content }) => parseMeta(content));
  return {
    answer: answer(messages) ?? '',
    endpoint: plan.endpoint.name,
    // Where none was named the one that answered.
    model: plan.endpoint.model ?? metas.findLast(({ model }) => model !== undefined)?.model ?? null,
    // Under their names in a meta message.
    tokens: metas
      .map((meta) => tokensOf(meta))
      .reduce((sums: Record<string, number>, tokens) => addTokens(sums, tokens), {}),
    ...(delegated === undefined ? {} : { delegated }),
    messages: messages.map(({ role, content }) => ({ role, content })),
  };
}
