// A Chat Completions answer, streamed or whole, as reply events. Trusts no field to be there.

import { type Fields, fields, isObject, list, text } from '../../json.ts';
import { countsOf, lastEvents } from '../ending.ts';
import { finishReason, givenUp } from '../finish.ts';
import { type Recogniser, recogniser } from '../http/foreign.ts';
import { badReply, unreachable } from '../http/problems.ts';
import type { Answer } from '../http/types.ts';
import { throwError, type Value } from '../http/values.ts';
import { addEvent } from '../joined.ts';
import { type WireNames, wireNames } from '../tool-names.ts';
import type { BackendContext, FinishReason, ReplyEvent } from '../types.ts';
import { mergeUsage } from '../usage.ts';
import { collectCalls } from './calls.ts';
import { endCalls } from './ending.ts';

export interface ReadOptions {
  readonly names: WireNames;
  /** Whether the reasoning is to go back with later requests. */
  readonly keepReasoning: boolean;
}

/** The events of one answer; `finish` is last. Throws a Failure of kind `protocol` when the answer was not there to its end. */
export async function* readReply(
  answer: Answer,
  context: Pick<BackendContext, 'clock' | 'warn'>,
  options: ReadOptions = { names: wireNames([]), keepReasoning: false },
): AsyncGenerator<ReplyEvent> {
  const state = emptyState();
  try {
    for await (const values of answer.batches) {
      for (const event of takeAll(values, state)) {
        if (isOutput(event)) answer.begun();
        if (event.kind === 'thinking' && options.keepReasoning) state.thoughts.push(event.text);
        yield event;
      }
      if (state.calling) answer.begun();
      if (state.done || state.failed !== undefined) break;
      answer.ended(state.reason !== undefined && !state.early);
    }
  } catch (error) {
    // What comes after the finish is of no weight; a connection that breaks there has brought the whole answer.
    if (state.reason === undefined || unreachable(answer.site, error) === undefined) throw error;
  }
  throwError(state.failed, answer.site);
  const problem = state.protocol.problem(answer.site) ?? givenUp(answer.site, state.reason);
  if (problem !== undefined) throw problem;
  if (state.reason === undefined && !state.done)
    throw badReply(answer.site, 'closed the connection before the answer ended');
  yield* ending(state, context, options);
}

interface State {
  done: boolean;
  /** The provider's own word. */
  reason: string | undefined;
  /** More came behind it: some servers put it into each chunk. */
  early: boolean;
  /** Visible text has begun. */
  speaking: boolean;
  calling: boolean;
  refusal: string;
  /** An error inside a choice, as the value of an event. */
  failed: Fields | undefined;
  readonly protocol: Recogniser;
  readonly thoughts: string[];
  usage: Fields;
  id: string | undefined;
  model: string | undefined;
  provider: string | undefined;
  readonly calls: ReturnType<typeof collectCalls>;
}

const emptyState = (): State => ({
  done: false,
  reason: undefined,
  early: false,
  speaking: false,
  calling: false,
  refusal: '',
  failed: undefined,
  protocol: recogniser(isOwn),
  thoughts: [],
  usage: {},
  id: undefined,
  model: undefined,
  provider: undefined,
  calls: collectCalls(),
});

/** Gateways send other objects before the first chunk, to keep the connection. */
const isOwn = ({ choices, usage, type }: Fields): boolean =>
  Array.isArray(choices) || (isObject(usage) && type === undefined) || type === 'ping';

const isOutput = ({ kind }: ReplyEvent): boolean => kind === 'text' || kind === 'thinking';

/** The events of what arrived together, up to the end mark. */
function takeAll(values: readonly Value[], state: State): readonly ReplyEvent[] {
  const events: ReplyEvent[] = [];
  for (const value of values) {
    if (state.done) break;
    if (value.kind === 'done') state.done = true;
    else take(value, state, events);
  }
  return events;
}

function take(
  { value, whole }: Extract<Value, { kind: 'value' }>,
  state: State,
  events: ReplyEvent[],
): void {
  const chunk = fields(value);
  if (whole || isObject(value)) state.protocol.look(chunk);
  serve(chunk, state, events);
  const choice = fields(list(chunk.choices).find((each) => (fields(each).index ?? 0) === 0));
  const usage = usageIn(chunk, choice);
  if (isObject(usage)) state.usage = mergeUsage(state.usage, usage);
  if (isObject(choice.error)) state.failed = { error: choice.error };
  // A whole answer has `message` where a stream has `delta`; some servers put either into the other's place.
  const delta = fields(choice.delta ?? choice.message);
  const thinking = thoughtIn(delta);
  if (thinking !== '') addEvent(events, { kind: 'thinking', text: thinking });
  const visible = spokenIn(delta, state);
  if (visible !== '') addEvent(events, { kind: 'text', text: visible });
  if (state.reason !== undefined && visible + thinking !== '') state.early = true;
  if (state.calls.add(delta.tool_calls)) state.calling = true;
  state.refusal += text(delta.refusal) ?? '';
  state.reason = wordIn(choice) ?? state.reason;
  if (whole && Array.isArray(chunk.choices)) state.done = true;
}

/** Some servers write "null" for null. */
const wordIn = ({ finish_reason: word }: Fields): string | undefined =>
  word === 'null' ? undefined : text(word);

/** Some servers count inside the choice, or in a corner of their own. */
const usageIn = ({ usage, x_groq: corner }: Fields, choice: Fields): unknown =>
  usage ?? choice.usage ?? fields(corner).usage;

/** Who answers, under which id, where that is news. */
function serve(chunk: Fields, state: State, events: ReplyEvent[]): void {
  const id = text(chunk.id);
  if (id !== undefined && state.id === undefined) events.push({ kind: 'response-id', id });
  state.id ??= id;
  const model = text(chunk.model) ?? state.model;
  const provider = text(chunk.provider) ?? state.provider;
  if (model === state.model && provider === state.provider) return;
  state.model = model;
  state.provider = provider;
  events.push({
    kind: 'served',
    ...(model === undefined ? {} : { model }),
    ...(provider === undefined ? {} : { provider }),
  });
}

const thoughtIn = (delta: Fields): string =>
  text(delta.reasoning_content) ?? text(delta.reasoning) ?? partsOf(delta, 'thinking');

/** Line ends before the first visible text are left out: templates put them after the thinking. */
function spokenIn(delta: Fields, state: State): string {
  const content = text(delta.content) ?? partsOf(delta, 'text');
  const visible = state.speaking ? content : content.replace(/^[\r\n]+/, '');
  if (visible !== '') state.speaking = true;
  return visible;
}

/** Text of content that is a list of parts. Thinking parts hold text or text parts of their own. */
function partsOf({ content }: Fields, type: 'text' | 'thinking'): string {
  if (!Array.isArray(content)) return '';
  return content
    .map(fields)
    .filter((part) => part.type === type)
    .map(
      (part) =>
        text(part[type]) ??
        list(part[type])
          .map((each) => text(fields(each).text))
          .join(''),
    )
    .join('');
}

function* ending(
  state: State,
  context: Pick<BackendContext, 'clock' | 'warn'>,
  { names }: ReadOptions,
): Generator<ReplyEvent> {
  const reasonFor = (called: boolean) => reasonOf(state, called);
  const reason = yield* endCalls(state, reasonFor, context, names);
  yield* lastEvents(countsOf(state.usage, context), reason);
}

/** A refusal in words counts more than the reason. */
function reasonOf({ reason = 'stop', refusal }: State, called: boolean): FinishReason {
  return refusal === '' ? finishReason(reason, called) : { reason: 'refusal', detail: refusal };
}
