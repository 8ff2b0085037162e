// One request: sends it, passes on what arrives, and returns the whole reply. A stream that breaks after output is asked again once.

import type {
  Backend,
  BackendContext,
  FinishReason,
  Inference,
  PromptRequest,
  ReplyEvent,
} from '../backends/types.ts';
import { Failure } from '../errors.ts';
import type { Tokens, ToolCall } from '../types.ts';
import type { AskEvent, Reply } from './types/events.ts';
import { type WholeText, wholeText } from './whole-text.ts';

/** How often one round starts again after its stream broke. */
const RESTARTS = 1;

/** Thrown when a round ends without completing; `text` is what had arrived. */
export class BrokenRound extends Error {
  readonly text: string;
  readonly reason: unknown;

  constructor(text: string, reason: unknown) {
    super('a round did not complete', { cause: reason });
    this.name = 'BrokenRound';
    this.text = text;
    this.reason = reason;
  }
}

/** Yields text, thinking, progress, retries and restarts; returns the reply. Rejects with a BrokenRound. */
export async function* requestReply(
  backend: Backend,
  request: PromptRequest,
  context: BackendContext,
): AsyncGenerator<AskEvent, Reply> {
  for (let restarts = 0; ; restarts++) {
    const state = emptyState();
    try {
      yield* read(backend, request, context, state);
      return finished(state);
    } catch (error) {
      if (context.signal.aborted) throw new BrokenRound(state.text, context.signal.reason);
      if (restarts === RESTARTS || !isDroppedStream(error))
        throw new BrokenRound(state.text, error);
      yield { kind: 'restart', reason: error.message };
    }
  }
}

interface State {
  text: string;
  thinking: string;
  /** What is told of text and thinking; it may be half a character behind. */
  readonly told: Readonly<Record<'text' | 'thinking', WholeText>>;
  calls: ToolCall[];
  tokens: Tokens;
  model: string | undefined;
  responseId: string | undefined;
  inference: Inference | undefined;
  blocks: readonly unknown[] | undefined;
  finish: FinishReason | undefined;
}

const emptyState = (): State => ({
  text: '',
  thinking: '',
  told: { text: wholeText(), thinking: wholeText() },
  calls: [],
  tokens: {},
  model: undefined,
  responseId: undefined,
  inference: undefined,
  blocks: undefined,
  finish: undefined,
});

/** Retries are told by a callback while the reader waits; they are handed on as events through a small queue. */
async function* read(
  backend: Backend,
  request: PromptRequest,
  context: BackendContext,
  state: State,
): AsyncGenerator<AskEvent, void> {
  const queue: AskEvent[] = [];
  let wake: () => void = () => {};
  const tell = (event: AskEvent) => {
    queue.push(event);
    wake();
  };
  const events = backend
    .reply(request, {
      ...context,
      onRetry: (notice) => tell({ kind: 'retry', notice }),
      warn: (message) => tell({ kind: 'warning', message }),
      log: (line) => tell({ kind: 'log', line }),
    })
    [Symbol.asyncIterator]();
  try {
    for (;;) {
      const next = settled(events.next(), () => wake());
      for (;;) {
        for (let event = queue.shift(); event !== undefined; event = queue.shift()) yield event;
        if (next.result !== undefined || next.failed) break;
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
      if (next.failed) throw next.error;
      if (next.result === undefined || next.result.done) {
        yield* remains(state);
        return;
      }
      const told = take(next.result.value, state);
      if (told !== undefined) yield told;
    }
  } finally {
    await events.return?.();
  }
}

interface Settled<Value> {
  result?: Value;
  failed?: true;
  error?: unknown;
}

/** What becomes of a promise, to be looked at; a race with another one would cost more for each of many events. */
function settled<Value>(promise: Promise<Value>, then: () => void): Settled<Value> {
  const fate: Settled<Value> = {};
  promise.then(
    (result) => {
      fate.result = result;
      then();
    },
    (error) => {
      fate.failed = true;
      fate.error = error;
      then();
    },
  );
  return fate;
}

/** Keeps what arrived; returns what is told of it. */
function take(event: ReplyEvent, state: State): AskEvent | undefined {
  switch (event.kind) {
    case 'text':
    case 'thinking': {
      state[event.kind] += event.text;
      const text = state.told[event.kind].push(event.text);
      if (text === event.text) return event;
      return text === '' ? undefined : { kind: event.kind, text };
    }
    case 'progress':
      return event;
    case 'tool-call':
      state.calls.push(event.call);
      return undefined;
    case 'usage':
      state.tokens = { ...state.tokens, ...event.tokens };
      return undefined;
    case 'served':
      state.model = event.model ?? state.model;
      return undefined;
    case 'response-id':
      state.responseId = event.id;
      return undefined;
    case 'inference':
      state.inference = event;
      return undefined;
    case 'provider-content':
      state.blocks = event.blocks;
      return undefined;
    case 'finish':
      state.finish = event.reason;
      return undefined;
  }
}

/** Half a character at the end of a reply: its other half did not come. */
function* remains({ told }: State): Generator<AskEvent, void> {
  for (const kind of ['thinking', 'text'] as const) {
    const text = told[kind].end();
    if (text !== '') yield { kind, text };
  }
}

function finished(state: State): Reply {
  return {
    text: state.text,
    thinking: state.thinking,
    calls: state.calls,
    tokens: state.tokens,
    finish: state.finish ?? { reason: 'stop' },
    ...(state.model === undefined ? {} : { model: state.model }),
    ...(state.responseId === undefined ? {} : { responseId: state.responseId }),
    ...(state.inference === undefined ? {} : { inference: state.inference }),
    ...(state.blocks === undefined ? {} : { blocks: state.blocks }),
  };
}

function isDroppedStream(error: unknown): error is Failure {
  return error instanceof Failure && error.facts.kind === 'stream_dropped';
}
