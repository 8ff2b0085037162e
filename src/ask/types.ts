// What an ask is made of, and what it tells while it runs. Types only.

import type { FinishReason, LogLine, RetryNotice } from '../backends/types.ts';
import type { Endpoint } from '../config/types.ts';
import type { Failure } from '../errors.ts';
import type { JobHost } from '../store/types.ts';
import type {
  Attachment,
  Chat,
  Message,
  Options,
  Tokens,
  Tool,
  ToolCall,
  ToolImage,
  Warn,
} from '../types.ts';
import type { Workflow } from '../workflows/types.ts';

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

/** An agent that is asked: what it brings to the chat that is asked in its name. */
export interface AskedAgent {
  /** As written; it goes before the chat. */
  readonly start: Chat;
  /** Path of the start chat. */
  readonly file?: string;
  /** Its tasks are tools. */
  readonly workflow?: Workflow;
  /** Folder of tables: its databases are tools. */
  readonly knowledge?: string;
  /** The workflow of that name, when it is its own or that of an agent that its run has used. */
  own(name: string): Workflow | undefined;
  /** 0 is the one that a person asks. */
  readonly depth: number;
  /** Another agent asks it. What it says about endpoint and model then wins over what the command line and the other one say. */
  readonly delegated?: { readonly options: Options };
  /** Tools that ask other agents. */
  tools(caller: Caller): Promise<readonly Tool[]>;
  /** What a job that answers in its name made, as it stands in the conversation. */
  project(answer: JobAnswer): Chat;
  /** Told each round and partial text of the run that is asked in its name. */
  keep(messages: Chat): Promise<void>;
}

/** Who uses other agents: its messages as compiled, without options, what declares tools still among them. */
export interface Caller {
  readonly start: Chat;
  readonly conversation: Chat;
  /** Endpoint, backend and model as its chat and its start chat say. */
  readonly options: Options;
  readonly settings: Endpoint['settings'];
  /** Of the chat that a tool sees, what this run has added. */
  added(seen: Chat): Chat;
}

/** What an ask tells about itself to those that open agents for it. */
export interface AgentRequest {
  /** Undefined: the chat itself uses other agents. */
  readonly name: string | undefined;
  /** The chat that is asked, as stored, the question with it. */
  readonly stored: Chat;
  /** Its path, absent when it is not saved. */
  readonly file?: string;
  readonly flags: AskFlags;
  readonly ledger: Ledger;
  readonly warn: Warn;
}

/** The messages of a job that answers, or why it has none. */
export interface JobAnswer {
  /** Path of the job. */
  readonly job: string;
  readonly messages: Chat;
  readonly failure?: Failure;
}

export interface AgentsPort {
  /** Opens the agent that a chat or a command line names. Rejects with a configuration Failure when there is none. */
  open(request: AgentRequest): Promise<AskedAgent>;
  /** Lets tasks use agents, within the same limits. */
  host(run: HostRequest): JobHost;
}

export interface HostRequest extends Pick<AgentRequest, 'flags' | 'ledger' | 'warn'> {
  /** Of the one whose tasks they are. */
  readonly depth: () => number;
  readonly own?: AskedAgent['own'];
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

/** What the command line says about how to ask; each wins over the chat. */
export interface AskFlags {
  /** Asks in the name of this agent. */
  readonly agent?: string | undefined;
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
  /** Where requests and replies are recorded, those of delegated work too. */
  readonly record?: string | undefined;
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
  readonly agents?: AgentsPort;
  /** Where `--events` go. */
  readonly events: string | undefined;
}
