// What a program says of an agent that it makes. Types only.

import type { AskEvent } from '../ask/types/events.ts';
import type { Chat, Warn } from '../types.ts';

/** What an agent is made of. Everything may be left out. */
export interface AgentOptions {
  /** Name of an agent that is kept in a folder, or the path of the folder. */
  readonly agent?: string;
  /** Names its files; default: that of the folder, else `agent`. */
  readonly name?: string;
  /** Chat text, or messages, that go before every conversation; behind those of the folder. */
  readonly start?: string | Chat;
  /** `endpoint`, `model`, `temperature` … They win over the start chat and the conversation. */
  readonly options?: Readonly<Record<string, string | number | boolean | undefined>>;
  /** Where its chat lives; without it nothing is saved. */
  readonly saveFile?: string;
  /** For everything that it and those it asks use as long as it lives: tokens, and money in the currency of the endpoint's price. */
  readonly budget?: { readonly tokens?: number; readonly cost?: number };
  /** `false`: no answer from the cache, and none into it. */
  readonly cache?: boolean;
  /** A file that gets requests and replies for the backend `replay`. */
  readonly record?: string;
  /** The folder for new jobs. */
  readonly jobs?: string;
  /** Stops what it does. */
  readonly signal?: AbortSignal;
  readonly onWarning?: Warn;
  /** Told while it is asked: text as it arrives, calls of tools, rounds. */
  readonly onEvent?: (event: AskEvent) => void;
  /** Whether to try again after this failure; `attempt` counts from 1. */
  readonly onError?: (error: unknown, attempt: number) => boolean | Promise<boolean>;
}

/** A JSON Schema, or its short form `{"name": "string"}`. */
export type AnswerSchema = Readonly<Record<string, unknown>>;
