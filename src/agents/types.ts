// What an agent is on disk and while it is asked. Types only.

import type { AgentsPort } from '../ask/types/agents.ts';
import type { AskEvent } from '../ask/types/events.ts';
import type { AskFlags } from '../ask/types/flags.ts';
import type { Ledger } from '../ask/types/run.ts';
import type { Chat, Options, Warn } from '../types.ts';
import type { Workflow } from '../workflows/types.ts';
import type { World } from '../world/types/world.ts';

/** A folder that holds an agent. */
export interface AgentPlace {
  readonly name: string;
  /** Absolute. */
  readonly folder: string;
}

/** An agent as its folder says, loaded once and shared by all its conversations: nothing in it changes. */
export interface Template extends AgentPlace {
  /** Path of the start chat as messages show it; undefined when it is in no file. */
  readonly file: string | undefined;
  readonly start: Chat;
  readonly workflow?: Workflow;
  /** Folder of its knowledge base. */
  readonly knowledge?: string;
}

/** What all agents of one run share. */
export interface Session {
  readonly world: World;
  readonly warn: Warn;
  /** The command line. */
  readonly flags: AskFlags;
  readonly ledger: Ledger;
  readonly agents: AgentsPort;
  /** Loads an agent, once. Rejects with a configuration Failure. */
  load(name: string): Promise<Template>;
  /** The workflow of an agent that was loaded. */
  own(name: string): Workflow | undefined;
  /** Of all agents, sorted; looked up once. */
  names(): Promise<readonly string[]>;
  /** Asks one of its conversations. Never rejects: a failure is told beside what was kept. */
  ask(live: Live, asked: Question): Promise<Spoken>;
}

/** One conversation of one agent while it lives. */
export interface Live {
  /** Its agent's, `agent` when it has none; fit for a file name. */
  readonly name: string;
  readonly template: Template | undefined;
  /** What the one that delegates calls it. */
  readonly conversation: string;
  /** Everything after the start chat. */
  messages: Chat;
  /** 0 is the one that a person asks. */
  readonly depth: number;
  /** Set with the first ask of the one at depth 0, and passed on. */
  maxDepth: number | undefined;
  /** Where its full chat goes; undefined: nowhere. */
  place: string | undefined;
  /** Where the conversations go that it delegates to; undefined: nowhere. */
  below: string | undefined;
  /** What stands at the place, as far as this process knows. */
  written: string | undefined;
  /** By agent and conversation. */
  readonly society: Map<string, Member>;
  /** Delegations that run now, and those that wait for their turn. */
  readonly turns: Turns;
  /** By agent, the number of the conversation that handing over goes on with. */
  readonly handOffs: Map<string, number>;
}

/** A conversation that a live one delegates to. Calls of it run one after the other. */
export interface Member {
  last: Promise<unknown>;
  live: Live | undefined;
}

export interface Turns {
  /** Runs the work when fewer than so many run. */
  take<T>(most: number, work: () => Promise<T>): Promise<T>;
}

/** An agent of the library while it is used. */
export interface Opened {
  readonly session: Session;
  readonly live: Live;
  /** How many messages it began with. */
  readonly begun: number;
  /** Options that it has from who uses it, below its own. */
  readonly passed?: Options;
}

/** What a live conversation is asked. */
export interface Question {
  /** Kept with the first thing that is worth keeping. */
  readonly question: Chat;
  readonly signal: AbortSignal;
  /** Who asks is another agent, and passes these options. */
  readonly delegated?: Options;
  readonly flags?: AskFlags;
  readonly onEvent?: (event: AskEvent) => void;
}

/** How it ended. What completed before a failure is kept and stands in `added`. */
export interface Spoken {
  /** The new messages, without the question. */
  readonly added: Chat;
  readonly failure?: unknown;
  /** Metas of requests that were answered, and of which nothing was kept. */
  readonly spent?: Chat;
}
