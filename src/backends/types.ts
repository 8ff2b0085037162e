// What a backend is. Types only.

import type { Endpoint } from '../config/types.ts';
import type { Attachment, Chat, Tokens, ToolCall, ToolSpec } from '../types.ts';
import type { Clock } from '../world/types/clock.ts';
import type { Files } from '../world/types/files.ts';
import type { Http } from '../world/types/network.ts';
import type { Environment } from '../world/types/world.ts';

/** One request, ready to be put into a wire form. Nothing in it changes any more. */
export interface PromptRequest {
  /** Only roles that reach a provider: system, developer, user, assistant, function_call, function_call_output, image, pdf, provider_content. */
  readonly messages: Chat;
  readonly tools: readonly ToolSpec[];
  /** With command line, chat and environment already merged into its settings. */
  readonly endpoint: Endpoint;
  /** A JSON Schema for the answer, or 'json' for any JSON. */
  readonly format?: 'json' | Readonly<Record<string, unknown>>;
  /** By the path or URL in the message. */
  readonly attachments: ReadonlyMap<string, Attachment>;
  /** A note at the tail of the prompt that is not part of the chat (asked again after an empty answer). */
  readonly note?: string;
  /**
   * Where the turn in progress begins in `messages`: the first of the last question's messages. Reasoning of what stands before it
   * may be left out. 0 when no question is there.
   */
  readonly turnStart: number;
  /** Same for every request of one run. */
  readonly sessionId: string;
}

/** What arrives while a reply is read, in order. `finish` is last. */
export type ReplyEvent =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'thinking'; readonly text: string }
  /** Only when the call is complete: name known, all argument fragments joined, the stream past it. */
  | { readonly kind: 'tool-call'; readonly call: ToolCall }
  | { readonly kind: 'usage'; readonly tokens: Tokens }
  | { readonly kind: 'served'; readonly model?: string; readonly provider?: string }
  | { readonly kind: 'response-id'; readonly id: string }
  /** Only of recorded replies: which request it was, so that it is the same one, and counts once, when it is played again. */
  | ({ readonly kind: 'inference' } & Inference)
  /** What the provider must get back verbatim. */
  | { readonly kind: 'provider-content'; readonly blocks: readonly unknown[] }
  /** Only from the embedded model: loading, reading the prompt, generating. */
  | {
      readonly kind: 'progress';
      readonly phase: 'load' | 'prompt' | 'generate';
      readonly done: number;
      readonly total: number;
    }
  | { readonly kind: 'finish'; readonly reason: FinishReason };

/** What tells a request from all others, and when and where it was asked. */
export interface Inference {
  /** A UUID. */
  readonly id: string;
  /** UTC, ISO 8601. */
  readonly sent: string;
  /** Name of the endpoint. */
  readonly endpoint: string;
}

/** `other` carries the provider's own word in `detail`; `length` has `context` there when the model's context is full. */
export interface FinishReason {
  readonly reason: 'stop' | 'length' | 'tool_calls' | 'refusal' | 'content_filter' | 'other';
  readonly detail?: string;
}

export interface RetryNotice {
  readonly attempt: number;
  readonly maxRetries: number;
  /** Milliseconds. */
  readonly delay: number;
  readonly kind: string;
  readonly message: string;
}

/** What is told about requests, for those who look for what happened. Never a body, a header or a key. */
export type LogLine =
  /** One request with all its attempts. Times are seconds. */
  | {
      readonly kind: 'http';
      readonly method: string;
      readonly host: string;
      /** Without user, password and query. */
      readonly url: string;
      readonly purpose: Purpose;
      readonly model?: string;
      /** Of the last attempt that was answered. */
      readonly status?: number;
      /** Until the model began to speak. */
      readonly firstToken?: number;
      readonly total: number;
      readonly attempts: number;
      /** What was asked of the provider's prompt cache: `on`, `1h`, `session`. */
      readonly cache?: string;
      /** The kind of failure that it ended in. */
      readonly error?: string;
    }
  /** The server took the request in another form only. */
  | { readonly kind: 'refused'; readonly what: string; readonly fields?: readonly string[] };

export type Purpose = 'chat' | 'models' | 'probe';

/** What a backend may use of the world. */
export interface BackendContext {
  readonly http: Http;
  readonly clock: Clock;
  readonly files: Files;
  readonly env: Environment;
  readonly signal: AbortSignal;
  /** Called before each wait; `RetryNotice.delay` is what is waited for. */
  readonly onRetry: (notice: RetryNotice) => void;
  /** Text warnings for standard error (something was left out of the request, a relay's odd line …). */
  readonly warn: (message: string) => void;
  readonly log?: (line: LogLine) => void;
  /** Folder for the embedded models, absolute. */
  readonly modelsFolder: string;
  /** Folder for what may be lost, absolute; nothing is kept between processes without one. */
  readonly cacheFolder?: string;
}

/** Where lessons lie. */
export type Place = Pick<BackendContext, 'files' | 'clock' | 'cacheFolder'>;

export interface ModelInfo {
  readonly id: string;
  /** Tokens; absent when the provider does not say. */
  readonly contextWindow?: number;
}

export interface Backend {
  readonly name: string;
  /** The exact body that `reply` would send first, with what was learned from refusals before; keys are not in it. */
  wire(request: PromptRequest, place: Place): Promise<unknown>;
  /**
   * Sends and reads. Rejects with a Failure whose `facts.kind` is one of C9 of the error kinds (`connection`, `rate_limited`,
   * `auth`, `bad_request`, `protocol`, `stream_dropped`, `first_token_timeout`, `retry_exhausted` …), or with the signal's reason.
   * HTTP retries happen inside, only while nothing was shown.
   */
  reply(request: PromptRequest, context: BackendContext): AsyncIterable<ReplyEvent>;
  models(endpoint: Endpoint, context: BackendContext): Promise<readonly ModelInfo[]>;
}
