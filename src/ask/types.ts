// What an ask is made of, and what it tells while it runs. Types only.

import type { FinishReason, RetryNotice } from '../backends/types.ts';
import type { Endpoint } from '../config/types.ts';
import type { Attachment, Chat, Tokens, Tool, ToolCall } from '../types.ts';

/** Limits of one run, delegated work included. */
export interface Budget {
  /** Prompt and completion tokens of all requests together. */
  readonly tokens?: number;
  /** In the currency of the endpoint's price. */
  readonly cost?: number;
  /** Requests, each with its tool batch; default 100. */
  readonly rounds: number;
}

/** Everything that is settled before the first request. */
export interface Plan {
  /** What the provider will see. */
  readonly prompt: Chat;
  readonly endpoint: Endpoint;
  readonly tools: readonly Tool[];
  readonly format?: 'json' | Readonly<Record<string, unknown>>;
  readonly attachments: ReadonlyMap<string, Attachment>;
  readonly budget: Budget;
  /** Running totals of the stored chat so far (`pt_c` …). */
  readonly checkpoint: Readonly<Record<string, number>>;
  /** Whether an answer may come from, and go into, the cache. */
  readonly persist: boolean;
  readonly sessionId: string;
}

/** What arrived for one request. */
export interface Reply {
  readonly text: string;
  readonly thinking: string;
  readonly calls: readonly ToolCall[];
  readonly tokens: Tokens;
  readonly model?: string;
  readonly responseId?: string;
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
  | { readonly kind: 'cached'; readonly messages: Chat }
  | {
      readonly kind: 'reply';
      readonly round: number;
      readonly reply: Reply;
      readonly seconds: number;
    }
  | {
      readonly kind: 'tool-start';
      readonly call: ToolCall;
      readonly index: number;
      readonly count: number;
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

/** What the command line says about how to ask; each wins over the chat. */
export interface AskFlags {
  readonly endpoint?: string | undefined;
  readonly model?: string | undefined;
  readonly backend?: string | undefined;
  /** `key=value` each. */
  readonly options?: readonly string[];
  readonly format?: string | undefined;
  /** `false`: no answer from the cache, and none into it. */
  readonly cache?: boolean;
  readonly allowRemote?: boolean;
  /** Workflows whose tasks are tools. */
  readonly workflows?: readonly string[];
  /** Where new jobs go. */
  readonly jobs?: string | undefined;
  readonly budget?: { readonly tokens?: number | undefined; readonly cost?: number | undefined };
}

/** What the command line says about the question. */
export interface AskArguments {
  readonly words: readonly string[];
  readonly chatFile: string | undefined;
  readonly template: string | undefined;
  readonly files: readonly string[];
  readonly imports: readonly string[];
  readonly literal: boolean;
}

/** One ask as the command line says it. */
export interface AskCommand {
  readonly asked: AskArguments;
  /** A source file whose `# ask:` comments are answered; nothing else is asked then. */
  readonly inline: string | undefined;
  readonly flags: AskFlags;
  /** Print the compiled chat and send nothing. */
  readonly dryRun: boolean;
  readonly raw: boolean;
  readonly json: boolean;
  readonly quiet: boolean;
  readonly verbose: boolean;
  /** Where `--events` and `--record` go. */
  readonly events: string | undefined;
  readonly record: string | undefined;
}
