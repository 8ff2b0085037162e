// A Messages answer, streamed or whole, as reply events.

import { type Fields, fields, isObject, list, text } from '../../json.ts';
import { areUsable, countsOf, lastEvents } from '../ending.ts';
import { finishReason, givenUp } from '../finish.ts';
import { shorten } from '../http/error-text.ts';
import { type Recogniser, recogniser } from '../http/foreign.ts';
import { badReply, unreachable } from '../http/problems.ts';
import type { Answer } from '../http/types.ts';
import type { Value } from '../http/values.ts';
import { addEvent } from '../joined.ts';
import type { WireNames } from '../tool-names.ts';
import type { BackendContext, FinishReason, ReplyEvent } from '../types.ts';
import { mergeUsage } from '../usage.ts';
import { type Assembly, assembly } from './assembly.ts';
import { type Block, mustBeKept } from './blocks.ts';
import type { Paused } from './pause.ts';

type Context = Pick<BackendContext, 'clock' | 'warn'>;

/**
 * The events of one answer; `finish` is last. `earlier` are the blocks that the answer goes on from. Throws a Failure of kind `protocol` when
 * the answer was not there to its end.
 */
export async function* readReply(
  answer: Answer,
  context: Context,
  names: WireNames,
  earlier: readonly Block[] = [],
): AsyncGenerator<ReplyEvent | Paused> {
  const state: State = {
    content: assembly(earlier),
    usage: {},
    reason: undefined,
    details: {},
    done: false,
    protocol: recogniser(({ type }) => KNOWN.test(text(type) ?? '')),
  };
  try {
    for await (const values of answer.batches) {
      for (const event of takenAll(values, state, answer)) yield event;
      if (state.done) break;
      answer.ended(state.reason !== undefined);
    }
  } catch (error) {
    // What comes after the stop reason is of no weight; a connection that breaks there has brought the whole answer.
    if (state.reason === undefined || unreachable(answer.site, error) === undefined) throw error;
  }
  const problem = state.protocol.problem(answer.site) ?? givenUp(answer.site, state.reason);
  if (problem !== undefined) throw problem;
  if (state.reason === undefined && !state.done)
    throw badReply(answer.site, 'closed the connection before the answer ended');
  yield* ending(state, context, names);
}

interface State {
  readonly content: Assembly;
  usage: Fields;
  /** The provider's own word. */
  reason: string | undefined;
  /** More about it. */
  details: Fields;
  done: boolean;
  readonly protocol: Recogniser;
}

/** A whole message that does not say what it is tells it by its content. */
function eventOf({ value, whole }: Extract<Value, { kind: 'value' }>): Fields {
  const event = fields(value);
  const isMessage =
    whole &&
    event.type === undefined &&
    (Array.isArray(event.content) || typeof event.content === 'string');
  return isMessage ? { ...event, type: 'message' } : event;
}

/** The events of what arrived together, up to the last of the answer. */
function takenAll(values: readonly Value[], state: State, answer: Answer): readonly ReplyEvent[] {
  const events: ReplyEvent[] = [];
  for (const value of values) {
    if (state.done) break;
    if (value.kind === 'done') continue;
    for (const event of taken(eventOf(value), state, answer)) addEvent(events, event);
  }
  return events;
}

/** The JSON says what it is; the name of the event, which some gateways drop, is not looked at. */
function taken(event: Fields, state: State, answer: Answer): readonly ReplyEvent[] {
  state.protocol.look(event);
  switch (event.type) {
    case 'message_start':
      return opening(fields(event.message), state);
    case 'content_block_start':
      answer.begun();
      return state.content.start(event.index, event.content_block);
    case 'content_block_delta':
      answer.begun();
      return state.content.delta(event.index, event.delta);
    case 'message_delta':
      state.usage = counted(state.usage, event.usage);
      ended(fields(event.delta), state);
      return [];
    case 'message_stop':
      state.done = true;
      return [];
    case 'message':
      return whole(event, state, answer);
    default:
      return [];
  }
}

const KNOWN = /^(?:message|content_block|ping)/;

function opening(message: Fields, state: State): ReplyEvent[] {
  const id = text(message.id);
  const model = text(message.model);
  state.usage = counted(state.usage, message.usage);
  return [
    ...(id === undefined ? [] : [{ kind: 'response-id', id } as const]),
    ...(model === undefined ? [] : [{ kind: 'served', model } as const]),
  ];
}

/** The answer of a host that does not stream, or was not asked to. */
function whole(message: Fields, state: State, answer: Answer): readonly ReplyEvent[] {
  const events = opening(message, state);
  answer.begun();
  const { content } = message;
  const blocks = typeof content === 'string' ? [{ type: 'text', text: content }] : list(content);
  for (const [index, block] of blocks.entries()) events.push(...state.content.start(index, block));
  ended(message, state);
  state.done = true;
  return events;
}

function ended({ stop_reason: reason, stop_details: details }: Fields, state: State): void {
  state.reason = text(reason) ?? state.reason;
  if (isObject(details)) state.details = details;
}

/** Running totals: later counts replace earlier ones. Some hosts send zeros where they have no counts, of the answer or of the prompt. */
function counted(before: Fields, usage: unknown): Fields {
  const given = Object.entries(fields(usage));
  const isNone = (side: RegExp) =>
    given.every(([name, count]) => !side.test(name) || Number(count) === 0);
  if (isNone(/tokens$/)) return before;
  const news = isNone(PROMPT) ? given.filter(([name]) => !PROMPT.test(name)) : given;
  return mergeUsage(before, Object.fromEntries(news));
}

/** A prompt has tokens, read from the cache or not. */
const PROMPT = /input_tokens$/;

function* ending(state: State, context: Context, names: WireNames): Generator<ReplyEvent | Paused> {
  const found = state.content.finish(() => `toolu_${context.clock.id()}`);
  const { blocks, calls } = found;
  const reason = reasonOf(state, calls.length > 0);
  const usable = areUsable(found, reason, context);
  if (usable)
    for (const call of calls)
      yield { kind: 'tool-call', call: { ...call, name: names.fromWire(call.name) } };
  const isWhole = usable || calls.length === 0;
  if (isWhole && reason.reason !== 'refusal' && mustBeKept(blocks))
    yield { kind: 'provider-content', blocks };
  if (reason.detail === 'pause_turn' && reason.reason === 'other') yield { kind: 'paused', blocks };
  yield* lastEvents(countsOf(state.usage, context), reason);
}

const reasonOf = ({ reason = 'end_turn', details }: State, called: boolean): FinishReason =>
  reason === 'refusal' ? refusal(details) : finishReason(reason, called);

/** The category, and what the provider says about it. */
function refusal({ category, explanation }: Fields): FinishReason {
  const detail = [text(category), text(explanation)].filter((word) => word !== undefined);
  if (detail.length === 0) return { reason: 'refusal' };
  return { reason: 'refusal', detail: shorten(detail.join(': ')) };
}
