// What a named agent, or the use of agents, changes for the chat that is asked: who is opened, and whose options count.

import type { ChatOptions } from '../chat/options.ts';
import { locate } from '../errors.ts';
import type { Chat, Options, Origin, Warn } from '../types.ts';
import type { AgentsPort, AskedAgent } from './types/agents.ts';
import type { AskFlags } from './types/flags.ts';
import type { Ledger } from './types/run.ts';

export interface OpeningOptions {
  readonly flags: AskFlags;
  readonly warn: Warn;
  readonly file?: string;
  readonly agents?: AgentsPort;
}

/** Roles that let a chat use agents. */
const DELEGATION: ReadonlySet<string> = new Set(['socialize', 'delegate']);

/** The chat without what says which agents it uses. */
export const withoutDelegation = (chat: Chat): Chat =>
  chat.filter(({ role }) => !DELEGATION.has(role));

/** The agent of the flags or of the chat; undefined when neither names one and the chat uses none. Rejects at the line that names it. */
export async function openAgent(
  { chat, options, origins }: ChatOptions,
  stored: Chat,
  ledger: Ledger,
  { flags, agents, warn, file }: OpeningOptions,
): Promise<AskedAgent | undefined> {
  const name = flags.agent ?? options.agent;
  const origin = flags.agent === undefined ? origins.agent : undefined;
  if (agents === undefined) return undefined;
  if (name === undefined && !chat.some(({ role }) => DELEGATION.has(role))) return undefined;
  try {
    return await agents.open({
      name,
      stored,
      flags,
      ledger,
      warn,
      ...(file === undefined ? {} : { file }),
    });
  } catch (error) {
    throw origin === undefined ? error : locate(error, origin);
  }
}

/** Where the format that counts was set. */
export const formatOrigin = (found: ChatOptions, own: ChatOptions): Origin | undefined =>
  found.options.format === undefined ? own.origins.format : found.origins.format;

const CHOOSING = ['endpoint', 'backend', 'model'] as const;

/** The options that choose what is asked. */
export const choosing = (options: Options): Options =>
  Object.fromEntries(
    CHOOSING.flatMap((name) => (options[name] === undefined ? [] : [[name, options[name]]])),
  );

const choosesItself = (own: Options): boolean => Object.keys(choosing(own)).length > 0;

/** What the one that asks an agent says about endpoint and model; nothing when the agent says something itself. */
export function passedTo(agent: AskedAgent | undefined, own: Options): Options {
  return agent?.delegated === undefined || choosesItself(own) ? {} : agent.delegated.options;
}

/** The command line is about the agent it names, and about those that it asks as long as they do not say something themselves. */
export function flagsFor(agent: AskedAgent | undefined, own: Options, flags: Options): Options {
  return agent?.delegated !== undefined && choosesItself(own) ? {} : flags;
}
