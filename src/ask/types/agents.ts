// What asking knows of agents; who opens them puts this in. Types only.

import type { Endpoint } from '../../config/types.ts';
import type { JobAnswer, JobHost } from '../../store/types.ts';
import type { Chat, Options, Tool, Warn } from '../../types.ts';
import type { Workflow } from '../../workflows/types.ts';
import type { AskFlags } from './flags.ts';
import type { Ledger } from './run.ts';

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
