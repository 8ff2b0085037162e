// The library: the chat format as functions over plain arrays, and agents. What is exported here is public; everything else may change.
// Importing it loads little: what asks a model is loaded when one is asked first.

import { Agent as AgentOf } from './agents/agent.ts';
import type { AgentOptions } from './agents/agent-options.ts';
import type { Opened } from './agents/types.ts';
import type { ProvPorts } from './prov/types/ports.ts';
import type { Chat } from './types.ts';

export type { AgentOptions, AnswerSchema } from './agents/agent-options.ts';
export type { AskEvent } from './ask/types/events.ts';
export {
  type Appender,
  type AppendOptions,
  append,
  appender,
  type OpenBlock,
  openBlock,
} from './chat/append.ts';
export { type DecodeOptions, decode } from './chat/decode.ts';
export { normalise } from './chat/normalise.ts';
export { type ParseOptions, parse } from './chat/parse.ts';
export { print } from './chat/print.ts';
export type { Strategy, StrategyContext } from './chat/strategies/types.ts';
export { EXIT, type ExitCode, Failure } from './errors.ts';
export { type CollectOptions, edges, provenance } from './prov/collect.ts';
export { type EventOptions, tokenEvents } from './prov/events.ts';
export { lineage } from './prov/lineage.ts';
export { nodeTotals } from './prov/node-totals.ts';
export { type ProjectOptions, project } from './prov/project.ts';
export { receiptsIn as receipts } from './prov/receipts.ts';
export { type Segment, segments } from './prov/segments.ts';
export {
  type ToolCallRecord,
  type ToolCallStatus,
  toolCallStatus,
  toolCalls,
} from './prov/tool-calls.ts';
export { totals } from './prov/totals.ts';
export type * from './prov/types/facts.ts';
export type * from './prov/types/graph.ts';
export type * from './prov/types/places.ts';
export type * from './prov/types/ports.ts';
export type * from './prov/types/tokens.ts';
export type * from './prov/types/warnings.ts';
export { type WalkOptions, walk } from './prov/walk.ts';
export type { Chat, Message, MessageInput, Origin, Tokens, Warn, Warning } from './types.ts';
export {
  type ChatJob,
  type ChatResult,
  type ChatTaskDefinition,
  chatTask,
  type DependencyDefinition,
  defineWorkflow,
  type InputShape,
  type InputType,
  type InputValues,
  input,
  type JobAgentOptions,
  type ResultType,
  type TaskDefinition,
  type WorkflowDefinition,
  type WorkflowJob,
  z,
} from './workflows/public.ts';

/** An agent on this machine: a conversation that is asked, goes on and is saved. */
export class Agent extends AgentOf {
  constructor(options: AgentOptions = {}) {
    super(options, openHere);
  }
}

/** The agent of that name, or at that path, loaded. Rejects with a Failure (exit code 3) when there is none, or it cannot be used. */
export function loadAgent(name: string, options: Omit<AgentOptions, 'agent'> = {}): Promise<Agent> {
  return new Agent({ ...options, agent: name }).load();
}

/** Asks once and returns the answer's text: a question, which is never read as chat text, or messages. Rejects with a Failure. */
export async function chat(asked: string | Chat, options: AgentOptions = {}): Promise<string> {
  const agent = new Agent(options);
  if (typeof asked === 'string') agent.user(asked);
  else agent.add(...asked);
  return agent.chat();
}

async function openHere(options: AgentOptions): Promise<Opened> {
  const { nodeWorld } = await import('./world/node.ts');
  const { openAgent } = await import('./agents/opening.ts');
  return openAgent(options, nodeWorld({ signals: false }));
}

/** What `walk` and `provenance` read with on this machine: files, who holds locks, and where job references are looked for. */
export async function provPorts(): Promise<ProvPorts> {
  const { nodeWorld } = await import('./world/node.ts');
  const { jobReferenceFolders } = await import('./prov/roots.ts');
  const world = nodeWorld({ signals: false });
  const { files, locks, cwd, workers } = world;
  return { files, locks, cwd, workers, jobFolders: await jobReferenceFolders(world) };
}
