// What a run tells while it goes on. Types only.

import type { FinishReason, Inference, LogLine, RetryNotice } from '../../backends/types.ts';
import type { Endpoint } from '../../config/types.ts';
import type { Chat, Tokens, ToolCall } from '../../types.ts';

/** What arrived for one request. */
export interface Reply {
  readonly text: string;
  readonly thinking: string;
  readonly calls: readonly ToolCall[];
  readonly tokens: Tokens;
  readonly model?: string;
  readonly responseId?: string;
  /** Only of one that is recorded, or played again. */
  readonly inference?: Inference;
  readonly blocks?: readonly unknown[];
  readonly finish: FinishReason;
}

/** Told as it happens, in order. `round` carries messages that are complete and must be kept. */
export type AskEvent =
  | { readonly kind: 'request'; readonly round: number; readonly endpoint: Endpoint }
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'thinking'; readonly text: string }
  | {
      readonly kind: 'progress';
      readonly phase: 'load' | 'prompt' | 'generate';
      readonly done: number;
      readonly total: number;
    }
  | { readonly kind: 'retry'; readonly notice: RetryNotice }
  /** The stream broke after output: what was shown of this round is void, and the round starts again. */
  | { readonly kind: 'restart'; readonly reason: string }
  | { readonly kind: 'asked-again'; readonly reason: string }
  | { readonly kind: 'warning'; readonly message: string }
  /** How a request went, for those who look for what happened. */
  | { readonly kind: 'log'; readonly line: LogLine }
  /** Notes of the inbox were added to the prompt, by the names of their files. */
  | { readonly kind: 'inbox'; readonly names: readonly string[] }
  | { readonly kind: 'cached'; readonly messages: Chat }
  | {
      readonly kind: 'reply';
      readonly round: number;
      readonly reply: Reply;
      readonly seconds: number;
      /** Why the answer does not fit its format; it is asked for again. */
      readonly misfit?: string;
    }
  | {
      readonly kind: 'tool-start';
      readonly call: ToolCall;
      readonly index: number;
      readonly count: number;
    }
  /** How far a call is, or what its tool logs. */
  | {
      readonly kind: 'tool-progress';
      readonly call: ToolCall;
      readonly index: number;
      readonly text: string;
    }
  | {
      readonly kind: 'tool-end';
      readonly call: ToolCall;
      readonly index: number;
      readonly seconds: number;
      readonly failed: boolean;
      readonly reused: boolean;
    }
  | { readonly kind: 'round'; readonly messages: Chat }
  /** Text of a round that did not complete, as the one `skip` message that keeps it. */
  | { readonly kind: 'partial'; readonly messages: Chat };
