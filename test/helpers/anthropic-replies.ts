// Transcripts of the Messages protocol, as scripts for the fake server.

import type { Script } from './fake-server.ts';

/** One event as the protocol sends it: its name is its type. */
export const event = (
  value: { readonly type: string } & Readonly<Record<string, unknown>>,
): string => `event: ${value.type}\ndata: ${JSON.stringify(value)}\n\n`;

export interface AnthropicReply {
  /** Default `claude-fake-1`. */
  readonly model?: string;
  readonly id?: string;
  /** Of `message_start`; default 12 tokens in, 1 out. */
  readonly usage?: Readonly<Record<string, unknown>>;
  /** Of `message_delta`; default 6 tokens out. */
  readonly endUsage?: Readonly<Record<string, unknown>>;
  /** Default `tool_use` with a call, else `end_turn`; null leaves `message_delta` out. */
  readonly stop?: string | null;
  readonly details?: unknown;
  /** Default true. */
  readonly done?: boolean;
}

export const start = ({ model = 'claude-fake-1', id = 'msg_fake_1', usage }: AnthropicReply = {}) =>
  event({
    type: 'message_start',
    message: {
      id,
      type: 'message',
      role: 'assistant',
      model,
      content: [],
      stop_reason: null,
      stop_sequence: null,
      usage: usage ?? { input_tokens: 12, output_tokens: 1 },
    },
  });

export const blockStart = (index: number, block: unknown): string =>
  event({ type: 'content_block_start', index, content_block: block });
export const delta = (index: number, value: unknown): string =>
  event({ type: 'content_block_delta', index, delta: value });
export const blockStop = (index: number): string => event({ type: 'content_block_stop', index });

/** A block as text, or as the protocol's own object. */
export type Content = string | Readonly<Record<string, unknown>>;

/** The events of one block; what has a length comes in two pieces. */
export function blockEvents(content: Content, index: number): string[] {
  const block = typeof content === 'string' ? { type: 'text', text: content } : content;
  const [open, deltas] = inPieces(block);
  return [blockStart(index, open), ...deltas.map((each) => delta(index, each)), blockStop(index)];
}

function inPieces(block: Readonly<Record<string, unknown>>): [unknown, unknown[]] {
  switch (block.type) {
    case 'text':
      return [
        { ...block, text: '' },
        halves(block.text).map((text) => ({ type: 'text_delta', text })),
      ];
    case 'thinking':
      return [
        { type: 'thinking', thinking: '', signature: '' },
        [
          ...halves(block.thinking).map((thinking) => ({ type: 'thinking_delta', thinking })),
          ...(block.signature === undefined
            ? []
            : [{ type: 'signature_delta', signature: block.signature }]),
        ],
      ];
    case 'tool_use':
      return [
        { ...block, input: {} },
        halves(JSON.stringify(block.input ?? {})).map((partial_json) => ({
          type: 'input_json_delta',
          partial_json,
        })),
      ];
    default:
      return [block, []];
  }
}

function halves(value: unknown): string[] {
  const text = String(value);
  const middle = Math.ceil(text.length / 2);
  return [text.slice(0, middle), text.slice(middle)];
}

export function ending(reply: AnthropicReply = {}): string[] {
  const { stop = 'end_turn', endUsage, details, done = true } = reply;
  return [
    ...(stop === null
      ? []
      : [
          event({
            type: 'message_delta',
            delta: {
              stop_reason: stop,
              stop_sequence: null,
              ...(details === undefined ? {} : { stop_details: details }),
            },
            usage: endUsage ?? { output_tokens: 6 },
          }),
        ]),
    ...(done ? [event({ type: 'message_stop' })] : []),
  ];
}

/** The events of a whole answer. */
export function messageEvents(content: readonly Content[], reply: AnthropicReply = {}): string[] {
  const calls = content.some((each) => typeof each !== 'string' && each.type === 'tool_use');
  const stop = reply.stop === undefined ? (calls ? 'tool_use' : 'end_turn') : reply.stop;
  return [start(reply), ...content.flatMap(blockEvents), ...ending({ ...reply, stop })];
}

/** A streamed answer of these blocks. */
export function anthropicStream(
  content: Content | readonly Content[],
  reply: AnthropicReply = {},
  script: Partial<Script> = {},
): Script {
  const blocks = Array.isArray(content) ? content : [content];
  return { body: messageEvents(blocks as readonly Content[], reply), ...script };
}

/** A refusal in the protocol's form. */
export function anthropicError(
  status: number,
  message: string,
  type = 'invalid_request_error',
): Script {
  return { status, body: { type: 'error', error: { type, message }, request_id: 'req_fake_1' } };
}
