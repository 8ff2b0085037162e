// An answer of Ollama's /api/chat, in lines or whole, as reply events. Trusts no field to be there.

import { type Fields, fields, list, text } from '../../json.ts';
import { countsOf, lastEvents } from '../ending.ts';
import { finishReason, givenUp } from '../finish.ts';
import { type Recogniser, recogniser } from '../http/foreign.ts';
import { badReply, unreachable } from '../http/problems.ts';
import type { Answer } from '../http/types.ts';
import { addEvent } from '../joined.ts';
import { collectCalls } from '../openai/calls.ts';
import { endCalls } from '../openai/ending.ts';
import type { ReadOptions } from '../openai/stream.ts';
import type { BackendContext, ReplyEvent } from '../types.ts';

type Context = Pick<BackendContext, 'clock' | 'warn'>;

export interface OllamaReadOptions extends ReadOptions {
  /** Told the count of the prompt when the answer is whole, undefined when the server gives none. */
  readonly onPrompt: (tokens: number | undefined) => Promise<void>;
}

interface State {
  model: string | undefined;
  speaking: boolean;
  last: Fields | undefined;
  readonly protocol: Recogniser;
  readonly thoughts: string[];
  readonly calls: ReturnType<typeof collectCalls>;
}

/** The events of one answer; `finish` is last. Throws a Failure of kind `protocol` when the answer was not there to its end. */
export async function* readOllama(
  answer: Answer,
  context: Context,
  options: OllamaReadOptions,
): AsyncGenerator<ReplyEvent> {
  const state: State = {
    model: undefined,
    speaking: false,
    last: undefined,
    protocol: recogniser(({ done, message }) => done !== undefined || message !== undefined),
    thoughts: [],
    calls: collectCalls(),
  };
  try {
    yield* readLines(answer, state, options);
  } catch (error) {
    // What comes after the last line is of no weight; a connection that breaks there has brought the whole answer.
    if (state.last === undefined || unreachable(answer.site, error) === undefined) throw error;
  }
  const problem =
    state.protocol.problem(answer.site) ?? givenUp(answer.site, text(state.last?.done_reason));
  if (problem !== undefined) throw problem;
  if (state.last === undefined)
    throw badReply(answer.site, 'closed the connection before the answer ended');
  yield* ending(state, state.last, context, options);
}

async function* readLines(
  answer: Answer,
  state: State,
  { keepReasoning }: OllamaReadOptions,
): AsyncGenerator<ReplyEvent> {
  for await (const values of answer.batches) {
    const events: ReplyEvent[] = [];
    for (const value of values) {
      if (value.kind !== 'value' || state.last !== undefined) continue;
      const line = fields(value.value);
      state.protocol.look(line);
      for (const event of take(line, state)) addEvent(events, event);
      const { tool_calls: calls } = fields(line.message);
      if (calls !== undefined && state.calls.add(numbered(calls, state))) answer.begun();
      if (line.done === true) state.last = line;
    }
    for (const event of events) {
      if (event.kind !== 'served') answer.begun();
      if (event.kind === 'thinking' && keepReasoning) state.thoughts.push(event.text);
      yield event;
    }
    if (state.last !== undefined) return;
  }
}

function take(line: Fields, state: State): readonly ReplyEvent[] {
  const events: ReplyEvent[] = [];
  const model = text(line.model);
  if (model !== undefined && model !== state.model) {
    state.model = model;
    events.push({ kind: 'served', model });
  }
  const { content, thinking } = fields(line.message);
  const thought = text(thinking);
  if (thought !== undefined) events.push({ kind: 'thinking', text: thought });
  const words = text(content) ?? '';
  const visible = state.speaking ? words : words.replace(/^[\r\n]+/, '');
  if (visible === '') return events;
  state.speaking = true;
  events.push({ kind: 'text', text: visible });
  return events;
}

/** Each call comes whole, so each is one of its own, whatever its index: servers count anew in each line. */
function numbered(calls: unknown, state: State): readonly unknown[] {
  const before = state.calls.size();
  return list(calls).map((call, place) => {
    const { id, function: made } = fields(call);
    return { index: before + place, id, function: made };
  });
}

async function* ending(
  state: State,
  last: Fields,
  context: Context,
  { names, onPrompt }: OllamaReadOptions,
): AsyncGenerator<ReplyEvent> {
  // The server says `stop` also when it calls tools.
  const reasonFor = (called: boolean) => finishReason(text(last.done_reason) ?? 'stop', called);
  const reason = yield* endCalls(state, reasonFor, context, names);
  const counts = { prompt_tokens: last.prompt_eval_count, completion_tokens: last.eval_count };
  const tokens = countsOf(counts, context);
  await onPrompt(tokens.pt);
  yield* lastEvents(tokens, reason);
}
