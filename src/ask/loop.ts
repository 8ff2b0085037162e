// The run: request, reply, tools, again, until an answer without calls. Hands over each round's messages when the round is complete.

import type { Backend, BackendContext, PromptRequest } from '../backends/types.ts';
import { answer } from '../chat/select.ts';
import { addAll } from '../lists.ts';
import type { Attachment, Chat, Message } from '../types.ts';
import type { Cache } from './cache.ts';
import { emptyAnswer, misfitFailure, reasonOf, settle } from './endings.ts';
import { correction, misfit } from './fitting.ts';
import { type Inbox, inboxOf } from './inbox.ts';
import { metaMessage, partialMessage, replyMessages, spokenMessages } from './messages.ts';
import { BrokenRound, requestReply } from './round.ts';
import { strategised } from './strategies.ts';
import { runCalls, withOwnIds } from './tools.ts';
import { addTokens, addToProcess, estimateTokens, limited, type Meter, meter } from './totals.ts';
import type { AskEvent, Reply } from './types/events.ts';
import type { Plan } from './types/run.ts';

/** What is said to a model that answered nothing, at the tail of the prompt, once. */
const EMPTY_ANSWER_NOTE =
  'Your last reply was empty. Please answer the last message now, in visible text.';

const DEFAULT_CONCURRENCY = 4;
const DEFAULT_MAX_CONTENT = 100_000;

/**
 * Runs the plan. Yields events as they happen; every `round` event holds complete messages, in order, that the caller keeps at once.
 * Returns all new messages. Rejects with a Failure (limits, provider) or the Interruption, after a `partial` event when text had arrived.
 */
export async function* run(
  plan: Plan,
  backend: Backend,
  context: BackendContext,
  cache?: Cache,
): AsyncGenerator<AskEvent, Chat> {
  if (plan.produce !== undefined) return yield* produced(plan.produce, context.signal);
  if (plan.persist) {
    const stored = await cache?.get();
    if (stored !== undefined) {
      yield { kind: 'cached', messages: stored };
      yield { kind: 'round', messages: stored };
      return stored;
    }
  }
  const attachments = new Map(plan.attachments);
  const run: Run = {
    plan: { ...plan, attachments },
    attachments,
    backend,
    context,
    meter: meter(plan.budget, plan.endpoint.price, plan.endpoint.name, plan.ledger),
    totals: plan.checkpoint,
    added: [],
    spoken: [],
    inbox: inboxOf(plan, context.files),
    noted: false,
    toolFailed: false,
    corrected: false,
    note: undefined,
  };
  for (let round = 1; ; round++) {
    const reply = yield* oneRound(run, round);
    if (reply.calls.length > 0) continue;
    settle(reply);
    const problem = await misfit(reply.text, plan.format);
    if (problem !== undefined) {
      if (run.corrected) throw misfitFailure(problem);
      run.corrected = true;
      run.note = correction(problem);
      continue;
    }
    if (plan.persist && attachments.size === plan.attachments.size && !run.toolFailed && !run.noted)
      await cache?.put(run.added);
    return run.added;
  }
}

/** The answer of a job is handed over as one round; what a failed one cost is kept with what it said. */
async function* produced(
  produce: NonNullable<Plan['produce']>,
  signal: AbortSignal,
): AsyncGenerator<AskEvent, Chat> {
  const { messages, failure } = await produce(signal);
  if (failure !== undefined) {
    yield { kind: 'partial', messages: [...messages, partialMessage(failure.message, 'failed')] };
    throw failure;
  }
  yield { kind: 'text', text: answer(messages) ?? '' };
  yield { kind: 'round', messages };
  return messages;
}

interface Run {
  readonly plan: Plan;
  readonly backend: Backend;
  readonly context: BackendContext;
  readonly meter: Meter;
  /** The plan's, with what tools add on the way. */
  readonly attachments: Map<string, Attachment>;
  totals: Readonly<Record<string, number>>;
  added: Chat;
  /** The same as a provider gets it, with the notes of the inbox where they were delivered. It only grows. */
  spoken: Chat;
  readonly inbox: Inbox | undefined;
  /** A note was delivered: the answer is one to more than what is stored. */
  noted: boolean;
  toolFailed: boolean;
  /** The answer did not fit its format, and is asked for again. */
  corrected: boolean;
  /** What is said at the tail of the prompts from now on. */
  note: string | undefined;
}

/** One request with its tool batch; an empty reply is asked again once within the round. */
async function* oneRound(run: Run, round: number): AsyncGenerator<AskEvent, Reply> {
  const orphans: Message[] = [];
  let first = yield* oneRequest(run, round, run.note);
  if (isEmpty(first.reply)) {
    if (first.reply.finish.reason === 'refusal' || first.reply.finish.reason === 'content_filter')
      settle(first.reply);
    orphans.push(metaMessage(first.reply, first.book, true));
    yield { kind: 'asked-again', reason: 'the answer was empty' };
    first = yield* oneRequest(run, round, EMPTY_ANSWER_NOTE);
    if (isEmpty(first.reply)) throw emptyAnswer(run.plan.endpoint.name, first.reply);
  }
  const { reply, book } = first;
  const messages: Message[] = [
    ...orphans,
    ...replyMessages(reply, metaMessage(reply, book), run.plan.endpoint.backend),
  ];
  if (reply.calls.length > 0) {
    addAll(messages, yield* toolBatch(run, first, messages));
  }
  run.added = [...run.added, ...messages];
  run.spoken = [...run.spoken, ...spokenMessages(messages)];
  yield { kind: 'round', messages };
  return reply;
}

type Book = Parameters<typeof metaMessage>[1];

/** The pairs of one reply's calls. When it is stopped, the reply's text and what it cost are kept; its calls are not. */
async function* toolBatch(
  run: Run,
  { reply, book }: { reply: Reply; book: Book },
  before: Chat,
): AsyncGenerator<AskEvent, Chat> {
  try {
    const batch = yield* runCalls(withOwnIds(reply.calls, run.context.clock.id), run.plan.tools, {
      chat: [...run.plan.prompt, ...run.added, ...before],
      signal: run.context.signal,
      clock: run.context.clock,
      concurrency: numberSetting(run, 'tool_concurrency', DEFAULT_CONCURRENCY),
      maxLength: numberSetting(run, 'max_content_length', DEFAULT_MAX_CONTENT),
      keepImage: run.plan.keepImage,
      ...toolTimeout(run),
    });
    run.toolFailed ||= batch.failed;
    for (const [name, attachment] of batch.attachments) run.attachments.set(name, attachment);
    return batch.messages;
  } catch (error) {
    if (reply.text.trim() !== '')
      yield {
        kind: 'partial',
        messages: [metaMessage(reply, book, true), partialMessage(reply.text, reasonOf(error))],
      };
    throw error;
  }
}

async function* oneRequest(
  run: Run,
  round: number,
  note: string | undefined,
): AsyncGenerator<AskEvent, { reply: Reply; book: Book }> {
  const { plan, context } = run;
  let { messages, turnStart } = await strategised(plan, run.spoken);
  // Before the inbox: what is taken from there is not delivered again.
  run.meter.check(round, estimateTokens(messages));
  if (yield* delivered(run)) ({ messages, turnStart } = await strategised(plan, run.spoken));
  const estimate = estimateTokens(messages);
  const request: PromptRequest = {
    messages,
    tools: plan.tools,
    endpoint: limited(plan.endpoint, run.meter, estimate),
    attachments: plan.attachments,
    turnStart,
    sessionId: plan.sessionId,
    ...(plan.format === undefined ? {} : { format: plan.format }),
    ...(note === undefined ? {} : { note }),
  };
  const sent = context.clock.now();
  const started = context.clock.monotonic();
  yield { kind: 'request', round, endpoint: plan.endpoint };
  let reply: Reply;
  try {
    reply = yield* requestReply(run.backend, request, context);
  } catch (error) {
    if (!(error instanceof BrokenRound)) throw error;
    if (error.text.trim() !== '')
      yield { kind: 'partial', messages: [partialMessage(error.text, reasonOf(error.reason))] };
    throw error.reason;
  }
  const seconds = (context.clock.monotonic() - started) / 1000;
  run.meter.add(reply.tokens);
  run.totals = addTokens(run.totals, reply.tokens, '_c');
  const problem =
    reply.calls.length > 0 || run.corrected ? undefined : await misfit(reply.text, plan.format);
  const again = problem !== undefined && !isEmpty(reply) ? { misfit: problem } : {};
  yield { kind: 'reply', round, reply, seconds, ...again };
  return {
    reply,
    book: {
      inferenceId: context.clock.id(),
      sent,
      seconds,
      endpoint: plan.endpoint.name,
      model: plan.endpoint.model,
      chatTotals: run.totals,
      processTotals: addToProcess(reply.tokens),
    },
  };
}

/** Adds what the inbox holds at the end of what was said. Whether there was something. */
async function* delivered(run: Run): AsyncGenerator<AskEvent, boolean> {
  if (run.inbox === undefined) return false;
  const { messages, names, warnings } = await run.inbox.take();
  for (const message of warnings) yield { kind: 'warning', message };
  if (messages.length === 0) return false;
  run.spoken = [...run.spoken, ...messages];
  run.noted = true;
  yield { kind: 'inbox', names };
  return true;
}

const isEmpty = (reply: Reply): boolean => reply.text.trim() === '' && reply.calls.length === 0;

function toolTimeout({ plan }: Run): { timeout?: number } {
  const seconds = plan.endpoint.settings.tool_timeout;
  return typeof seconds === 'number' && seconds > 0 ? { timeout: seconds * 1000 } : {};
}

function numberSetting(run: Run, name: string, standard: number): number {
  const value = run.plan.endpoint.settings[name];
  return typeof value === 'number' && value >= 1 ? value : standard;
}
