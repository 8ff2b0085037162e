// Transcripts of the Chat Completions protocol, as scripts for the fake server.

import type { Piece, Script } from './fake-server.ts';

export interface OpenaiReply {
  /** Default `fake-mini`. */
  readonly model?: string;
  /** Default `chatcmpl-fake1`. */
  readonly id?: string;
  /** The provider's own object; left out of the stream when absent. */
  readonly usage?: Readonly<Record<string, unknown>>;
  /** Default `stop`; null leaves it out. */
  readonly finish?: string | null;
  readonly thinking?: string;
  /** Default true. */
  readonly done?: boolean;
}

/** One `data:` event that holds this value as JSON. */
export const event = (value: unknown): string => `data: ${JSON.stringify(value)}\n\n`;

/** `[DONE]`, the protocol's last event. */
export const DONE = 'data: [DONE]\n\n';

/** One chunk with this delta. */
export function chunk(
  delta: unknown,
  finish: string | null = null,
  rest: Readonly<Record<string, unknown>> = {},
): string {
  return event({
    id: 'chatcmpl-fake1',
    object: 'chat.completion.chunk',
    created: 1790000000,
    model: 'fake-mini',
    choices: [{ index: 0, delta, finish_reason: finish }],
    ...rest,
  });
}

/** The events of a whole streamed answer, one string each: role, texts, finish, usage, end mark. */
export function chatChunks(texts: string | readonly string[], reply: OpenaiReply = {}): string[] {
  const rest = { model: reply.model ?? 'fake-mini', id: reply.id ?? 'chatcmpl-fake1' };
  const finish = reply.finish === undefined ? 'stop' : reply.finish;
  return [
    chunk({ role: 'assistant', content: '' }, null, rest),
    ...(reply.thinking === undefined
      ? []
      : [chunk({ reasoning_content: reply.thinking }, null, rest)]),
    ...[texts].flat().map((content) => chunk({ content }, null, rest)),
    ...(finish === null ? [] : [chunk({}, finish, rest)]),
    ...(reply.usage === undefined
      ? []
      : [
          event({
            ...rest,
            object: 'chat.completion.chunk',
            created: 1790000000,
            choices: [],
            usage: reply.usage,
          }),
        ]),
    ...(reply.done === false ? [] : [DONE]),
  ];
}

/** Counts that fit a short answer. */
export const USAGE = { prompt_tokens: 21, completion_tokens: 3, total_tokens: 24 };

/** A streamed answer: each text is a chunk of its own. */
export function openaiStream(
  texts: string | readonly string[],
  reply: OpenaiReply = {},
  script: Partial<Script> = {},
): Script {
  const body: readonly Piece[] = chatChunks(texts, { usage: USAGE, ...reply });
  return { body, ...script };
}

/** The same answer as one JSON object. */
export function openaiWhole(text: string, reply: OpenaiReply = {}): Script {
  return {
    body: {
      id: reply.id ?? 'chatcmpl-fake1',
      object: 'chat.completion',
      created: 1790000000,
      model: reply.model ?? 'fake-mini',
      choices: [
        {
          index: 0,
          message: {
            role: 'assistant',
            content: text,
            ...(reply.thinking === undefined ? {} : { reasoning_content: reply.thinking }),
          },
          finish_reason: reply.finish === undefined ? 'stop' : reply.finish,
        },
      ],
      usage: reply.usage ?? USAGE,
    },
  };
}

/** An error answer in the protocol's usual form. */
export function openaiError(
  status: number,
  message: string,
  rest: Readonly<Record<string, unknown>> = {},
): Script {
  return {
    status,
    body: { error: { message, type: 'fake_error', param: null, code: null, ...rest } },
  };
}
