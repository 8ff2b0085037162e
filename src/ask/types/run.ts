// What a run is made of, settled before its first request, and what it shares with those it asks. Types only.

import type { Endpoint } from '../../config/types.ts';
import type { JobAnswer } from '../../store/types.ts';
import type { Attachment, Chat, Message, Tool, ToolImage } from '../../types.ts';

/** Limits of one run, delegated work included. */
export interface Budget {
  /** Prompt and completion tokens of all requests together. */
  readonly tokens?: number;
  /** In the currency of the endpoint's price. */
  readonly cost?: number;
  /** Requests, each with its tool batch; default 100. */
  readonly rounds: number;
}

/** What is done to a prompt on its way to the model, in order. */
export interface PromptStrategies {
  readonly names: readonly string[];
  /** Digests of those that are not the program's own. */
  readonly code: readonly string[];
  /** Whether notes in the inbox of the chat are delivered. */
  readonly inbox: boolean;
  /** The prompt as it goes out; the same array when nothing changes. Rejects with a Failure when a custom one fails. */
  apply(prompt: Chat): Promise<Chat>;
}

/** Everything that is settled before the first request. */
export interface Plan {
  /** What the provider will see, before strategies. */
  readonly prompt: Chat;
  /** Absent: prompts go out as they are. */
  readonly strategies?: PromptStrategies;
  /** Where the conversation is kept; nothing is delivered to a run without it. */
  readonly saveFile?: string;
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
  /** What the run and those it delegates to have used; of its own when absent. */
  readonly ledger?: Ledger;
  /** Keeps images that tools make. */
  readonly keepImage?: KeepImage;
  /** Answers in place of the model. */
  readonly produce?: (signal: AbortSignal) => Promise<JobAnswer>;
  /** Told the messages of each round and of partial text, after they are kept. */
  readonly keep?: (messages: Chat) => Promise<void>;
}

/** A message that names an image, and its bytes for the requests of this run, under what the message says. */
export interface KeptImage {
  readonly message: Message;
  readonly attachment: Attachment;
}

/** Rejects with words for people when the image cannot be sent or kept. */
export type KeepImage = (image: ToolImage) => Promise<KeptImage>;

/** What was used so far, over several runs. Counted up in place. */
export interface Ledger {
  tokens: number;
  cost: number;
  /** What those who take from it have opened together. */
  resources?: Resources;
}

/** Things that are opened once for a run and all that it asks. */
export interface Resources {
  /** The one of that name, made when it is asked for first. */
  obtain<T extends { close(): Promise<void> }>(name: string, make: () => T): T;
  /** Keeps everything open until the function that it returns is called; the last of these calls ends it all. */
  hold(): () => Promise<void>;
}
