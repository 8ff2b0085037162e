// A Responses answer, streamed or whole, as reply events. Trusts no field to be there.

import { type Fields, fields, list, text } from '../../json.ts';
import { areUsable, countsOf, lastEvents } from '../ending.ts';
import { finishReason, givenUp } from '../finish.ts';
import { foreign, type Recogniser, recogniser } from '../http/foreign.ts';
import { badReply, unreachable } from '../http/problems.ts';
import type { Answer } from '../http/types.ts';
import type { Value } from '../http/values.ts';
import { addEvent } from '../joined.ts';
import type { WireNames } from '../tool-names.ts';
import type { BackendContext, FinishReason, ReplyEvent } from '../types.ts';
import type { Keeps } from './body.ts';
import { failed, ignored } from './failures.ts';
import { keptBlocks } from './keep.ts';
import { callsOf, collectOutput, type Output } from './output.ts';

export interface ReadOptions {
  readonly names: WireNames;
  readonly keeps: Keeps;
  /** The response that the request goes on from. */
  readonly continues?: string;
}

/** The events of one answer; `finish` is last. Throws a Failure of kind `protocol` when the answer was not there to its end. */
export async function* readReply(
  answer: Answer,
  context: Pick<BackendContext, 'clock' | 'warn'>,
  options: ReadOptions,
): AsyncGenerator<ReplyEvent> {
  const state: State = {
    begun: false,
    id: undefined,
    model: undefined,
    final: undefined,
    marked: false,
    protocol: recogniser(({ type }) => KNOWN.test(text(type) ?? '')),
    output: collectOutput(),
  };
  try {
    yield* readEvents(answer, state, options);
  } catch (error) {
    // What comes after the end is of no weight; a connection that breaks there has brought the whole answer.
    if (state.final === undefined || unreachable(answer.site, error) === undefined) throw error;
  }
  const problem = state.protocol.problem(answer.site);
  if (problem !== undefined) throw problem;
  const whole = state.final !== undefined || (state.marked && state.output.slots.some(isDone));
  if (!whole) throw badReply(answer.site, 'closed the connection before the answer ended');
  yield* ending(state, context, options);
}

const KNOWN = /^(?:response\.|ping$|keepalive$)/;

const isDone = ({ done }: { readonly done: boolean }): boolean => done;

interface State {
  begun: boolean;
  id: string | undefined;
  model: string | undefined;
  /** The response as the last event tells it. */
  final: Fields | undefined;
  /** The end mark was there. */
  marked: boolean;
  readonly protocol: Recogniser;
  readonly output: Output;
}

async function* readEvents(
  answer: Answer,
  state: State,
  options: ReadOptions,
): AsyncGenerator<ReplyEvent> {
  for await (const values of answer.batches) {
    const events: ReplyEvent[] = [];
    let failure: { readonly error: unknown } | undefined;
    try {
      for (const value of values) {
        if (state.marked || state.final !== undefined) break;
        if (value.kind === 'done') state.marked = true;
        else for (const event of taken(value, state, answer, options)) addEvent(events, event);
      }
    } catch (error) {
      failure = { error };
    }
    // What came before a failure is handed on all the same.
    for (const event of events) yield event;
    if (failure !== undefined) throw failure.error;
    if (state.marked || state.final !== undefined) return;
  }
}

function taken(
  value: Extract<Value, { kind: 'value' }>,
  state: State,
  answer: Answer,
  options: ReadOptions,
): Iterable<ReplyEvent> {
  const event = eventOf(value, answer);
  state.protocol.look(event);
  if (!state.begun && isOutput(event)) {
    state.begun = true;
    answer.begun();
  }
  if (event.type !== 'response.output_text.delta') return take(event, state, answer, options);
  // Nearly all events of a long answer are of this kind: they take the short way.
  const said = state.output.said(event.output_index, text(event.delta) ?? '');
  return said === '' ? [] : [{ kind: 'text', text: said }];
}

/** A whole answer is like the last event of a stream. */
function eventOf({ value, whole }: Extract<Value, { kind: 'value' }>, answer: Answer): Fields {
  const event = fields(value);
  if (!whole || event.type !== undefined) return event;
  if (Array.isArray(event.output) || text(event.status) !== undefined)
    return { type: `response.${text(event.status) ?? 'completed'}`, response: event };
  throw foreign(answer.site, JSON.stringify(value));
}

/** The model is at work: an item of its own began, or grows. */
function isOutput({ type }: Fields): boolean {
  return type === 'response.output_item.added' || /\.delta$/.test(text(type) ?? '');
}

function* take(
  event: Fields,
  state: State,
  answer: Answer,
  options: ReadOptions,
): Generator<ReplyEvent> {
  const { output } = state;
  const { output_index: index } = event;
  const delta = text(event.delta) ?? '';
  if (event.response !== undefined) yield* served(fields(event.response), state, answer, options);
  switch (event.type) {
    case 'response.output_item.added':
      output.began(index, event.item);
      return;
    case 'response.reasoning_summary_text.delta':
      yield* texts('', output.thought(index, event.summary_index, delta));
      return;
    case 'response.reasoning_text.delta':
      yield* texts('', output.thought(index, event.content_index, delta));
      return;
    case 'response.output_text.done':
      yield* texts(output.saidWhole(index, text(event.text) ?? ''), '');
      return;
    case 'response.refusal.delta':
      output.refused(index, delta);
      return;
    case 'response.function_call_arguments.delta':
      output.argued(index, delta);
      return;
    case 'response.function_call_arguments.done':
      if (text(event.arguments) !== undefined) output.arguedWhole(index, String(event.arguments));
      return;
    case 'response.output_item.done':
      yield* ended(output, index, event.item);
      return;
    case 'response.completed':
    case 'response.incomplete':
      yield* rest(output, list(fields(event.response).output));
      state.final = { ...fields(event.response), type: event.type };
      return;
    case 'response.cancelled':
      throw givenUp(answer.site, 'cancelled');
    case 'response.failed':
      throw failed(fields(event.response), answer);
  }
}

function* texts(said: string, thought: string): Generator<ReplyEvent> {
  if (thought !== '') yield { kind: 'thinking', text: thought };
  if (said !== '') yield { kind: 'text', text: said };
}

function* ended(output: Output, index: unknown, item: unknown): Generator<ReplyEvent> {
  const more = output.ended(index, item);
  yield* texts(more.text, more.thought);
}

/** Items of the last event that no other event brought. */
function* rest(output: Output, items: readonly unknown[]): Generator<ReplyEvent> {
  const seen = output.slots.length;
  if (items.length < seen) return;
  for (const [index, item] of items.entries())
    if (output.slots[index]?.done !== true) yield* ended(output, index, item);
}

function* served(
  response: Fields,
  state: State,
  answer: Answer,
  { continues }: ReadOptions,
): Generator<ReplyEvent> {
  const before = response.previous_response_id;
  // A server that knows nothing of earlier answers, and does not refuse either, has seen the end of the conversation alone.
  if (continues !== undefined && before !== undefined && before !== continues)
    throw ignored(answer);
  const id = text(response.id);
  if (id !== undefined && state.id === undefined) yield { kind: 'response-id', id };
  state.id ??= id;
  const model = text(response.model);
  if (model !== undefined && model !== state.model) yield { kind: 'served', model };
  state.model = model ?? state.model;
}

function* ending(
  state: State,
  context: Pick<BackendContext, 'clock' | 'warn'>,
  { names, keeps }: ReadOptions,
): Generator<ReplyEvent> {
  const { output, id, final = {} } = state;
  const found = callsOf(output.slots, names, () => `call_${context.clock.id()}`);
  const { calls } = found;
  const reason = reasonOf(state, calls.length > 0);
  const usable = areUsable(found, reason, context);
  if (usable) for (const { call } of calls) yield { kind: 'tool-call', call };
  const answered = { id, slots: output.slots, text: output.spoken(), calls };
  const whole = usable || (calls.length === 0 && reason.reason !== 'refusal');
  const blocks = whole ? keptBlocks(answered, keepsOf(keeps, reason)) : undefined;
  if (blocks !== undefined) yield { kind: 'provider-content', blocks };
  yield* lastEvents(countsOf(final.usage, context), reason);
}

/** An answer that was cut is none to go on from. */
function keepsOf({ history, ...keeps }: Keeps, { reason }: FinishReason): Keeps {
  const ended = reason === 'stop' || reason === 'tool_calls';
  return ended && history !== undefined ? { ...keeps, history } : keeps;
}

/** A refusal in words counts more than the status. */
function reasonOf({ output, final = {} }: State, called: boolean): FinishReason {
  const refusal = output.slots.map((slot) => slot.refusal).join('');
  if (refusal !== '') return { reason: 'refusal', detail: refusal };
  if (final.type !== 'response.incomplete') return { reason: called ? 'tool_calls' : 'stop' };
  return finishReason(text(fields(final.incomplete_details).reason) ?? 'incomplete', false);
}
