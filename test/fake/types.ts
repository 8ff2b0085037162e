// What a scenario says, and what one wire of a fake server is. Types only.

import type { Fields } from '../../src/json.ts';
import type { Piece, RecordedRequest } from '../helpers/fake-server.ts';
import type { Memory } from './memory.ts';

export type WireName = 'anthropic' | 'openai' | 'responses' | 'ollama';

/** A piece of an answer, in the order in which the model makes it. */
export type Part =
  /** `pieces`: as many deltas. */
  | { readonly kind: 'text'; readonly pieces: readonly string[] }
  | { readonly kind: 'thinking'; readonly pieces: readonly string[]; readonly signature?: string }
  /** Thinking that only the provider can read. */
  | { readonly kind: 'redacted'; readonly data: string }
  | {
      readonly kind: 'call';
      readonly name: string;
      readonly arguments: unknown;
      readonly id?: string;
      /** The argument text in exactly these fragments, in place of `arguments`. */
      readonly fragments?: readonly string[];
    };

/** How the bytes go out. */
export interface Delivery {
  /** Milliseconds before the head. */
  readonly delay?: number;
  /** Milliseconds between two events. */
  readonly pause?: number;
  /** Cuts the bytes again: every so many, or at these offsets. */
  readonly split?: number | readonly number[];
  /** Ends of lines. */
  readonly lines?: 'lf' | 'crlf' | 'cr';
  /** A comment before each event. */
  readonly comments?: boolean;
  /** False leaves out the `event:` lines. */
  readonly event_lines?: boolean;
  /** False answers with one JSON body, whatever was asked for. */
  readonly stream?: boolean;
  /** Nothing more after so many events. */
  readonly cut_after?: number;
  /** What comes after the last event, or after the cut: default `end`, after a cut `close`. */
  readonly ending?: 'end' | 'close' | 'reset' | 'hang';
  /** So many events, then `error` inside the 200. */
  readonly error_after?: number;
}

export interface ReplyError {
  readonly message: string;
  readonly type?: string;
  readonly code?: string | number;
  /** Other fields of the provider's error object. */
  readonly more?: Fields;
}

/** Which requests a reply is for; what is not said matches all. */
export interface When {
  readonly model?: RegExp;
  /** The text of the last message. */
  readonly last?: RegExp;
}

export interface Reply extends Delivery {
  readonly when?: When;
  /** How many requests it answers; the last that fits a request goes on for ever. */
  readonly times: number;
  readonly content: readonly Part[];
  /** Added to the counts of the toy tokenizer; false sends none. */
  readonly usage?: Fields | false;
  /** The wire's own word. */
  readonly finish?: string;
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** In place of everything the wire would write. */
  readonly body?: unknown;
  /** Events in place of the wire's own, each as it is or as an object. */
  readonly events?: readonly unknown[];
  readonly error?: ReplyError;
}

/** What the server refuses, as long as it is asked for. */
export interface Refusal {
  /** Path in the body, `*` for each entry of a list: `system.*.cache_control`. */
  readonly field: string;
  /** Only with this value. */
  readonly is?: unknown;
  /** Only above this number. */
  readonly above?: number;
  readonly model?: RegExp;
  readonly status?: number;
  readonly error: ReplyError;
}

export interface Scenario {
  /** The served model's name, when it is not that of the request. */
  readonly model?: string;
  readonly models: readonly string[];
  /** Tokens. */
  readonly context?: number;
  /** Which server it is like, where servers of one wire differ. */
  readonly profile?: string;
  /** The key that requests must bring; any when absent, none needed when false. */
  readonly key?: string | false;
  /** Whether a wrong request gets a 400 (it is noted in any case). */
  readonly strict: boolean;
  /** Whether each prompt must begin with the one before it. */
  readonly append_only: boolean;
  readonly refuse: readonly Refusal[];
  readonly replies: readonly Reply[];
}

/** One event on its way out. `data` that is a text goes out as it is. */
export interface WireEvent {
  readonly name?: string;
  readonly data: unknown;
}

/** What is wrong with a request, with the status it gets. */
export interface Violation extends ReplyError {
  readonly status?: number;
}

/** What the wire needs to write an answer. */
export interface Occasion {
  readonly reply: Reply;
  readonly body: Fields;
  /** The name of the model that answers. */
  readonly model: string;
  /** Counts from 1 over the life of the server. */
  readonly number: number;
  readonly tokens: Counts;
  readonly memory: Memory;
}

/** What the toy tokenizer counts. */
export interface Counts {
  readonly prompt: number;
  /** Of the prompt, read from the cache. */
  readonly cached: number;
  /** Of the prompt, written to it. */
  readonly written: number;
  readonly thinking: number;
  /** With the thinking. */
  readonly completion: number;
}

/** A prompt as a list of pieces that only ever grows, when the client keeps its history. */
export interface Prompt {
  readonly pieces: readonly string[];
  /** Numbers of pieces after which the client marked the prefix, where the cache wants marks; every prefix when absent. */
  readonly marks?: readonly number[];
  /** The text of the last message. */
  readonly last: string;
}

export interface Wire {
  readonly name: WireName;
  /** The fields of an endpoint file that leads here. */
  endpoint(url: string): Readonly<Record<string, string>>;
  /** The path that answers are asked from. */
  readonly path: string;
  /** What is wrong with a request for an answer. */
  check(request: RecordedRequest, scenario: Scenario, memory: Memory): Violation | undefined;
  prompt(body: Fields, memory: Memory): Prompt;
  /** Whether the request wants a stream. */
  streams(body: Fields): boolean;
  events(occasion: Occasion): readonly WireEvent[];
  whole(occasion: Occasion): unknown;
  error(error: ReplyError, status: number, number: number): unknown;
  /** The same inside a stream. */
  errorEvent(error: ReplyError, number: number): WireEvent;
  /** Answers to everything else than requests for answers; undefined when there is nothing at that path. */
  other(request: RecordedRequest, scenario: Scenario): unknown;
  /** Events to bytes. */
  encode(events: readonly WireEvent[], delivery: Delivery): readonly Piece[];
  readonly contentType: string;
}
