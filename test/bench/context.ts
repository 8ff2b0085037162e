// What a session of 200 tool calls costs with each context strategy: the run itself makes every prompt, a backend that counts stands where
// the provider does. The figures are the same on every machine.

import { run } from '../../src/ask/loop.ts';
import { promptStrategies } from '../../src/ask/strategies.ts';
import type { Plan } from '../../src/ask/types/run.ts';
import type { Backend, PromptRequest } from '../../src/backends/types.ts';
import type { Endpoint } from '../../src/config/types.ts';
import type { Message, Tool } from '../../src/types.ts';
import { nodeWorld } from '../../src/world/node.ts';
import type { Bench, Row } from './types.ts';

const CALLS = 200;
/** Of the price of a prompt token that is neither read from the cache nor written to it. */
const READ = 0.1;
const WRITE = 1.25;
/** With the most that each may cost in relation to sending everything. */
const STRATEGIES: Readonly<Record<string, number>> = {
  none: 1,
  shorten_tools: 2.5,
  shorten_tools_epoch: 0.6,
  shorten_tools_epoch_increment: 0.6,
};

export const contextBench: Bench = {
  name: 'context',
  async run() {
    const session = recording();
    const none = await measure('none', session);
    const rows: Row[] = [];
    const costs: Record<string, number> = {};
    for (const [name, bound] of Object.entries(STRATEGIES)) {
      const { tokens, share, cost, milliseconds } = await measure(name, session);
      process.stderr.write(`  ${CALLS} calls with ${name}: ${milliseconds.toFixed(0)} ms\n`);
      costs[name] = cost;
      rows.push({
        name: `context ${name}`,
        measured: `${millions(tokens)} tokens sent, ${(100 * share).toFixed(1)} % as before, cost ${millions(cost)}`,
        against: `none: cost ${millions(none.cost)}`,
        ratio: cost / none.cost,
        bound,
      });
      if (name === 'shorten_tools_epoch_increment')
        rows.push({
          name: 'context, changed beginnings',
          measured: `${millions(tokens * (1 - share))} tokens not sent before`,
          against: `${millions(tokens)} sent`,
          ratio: 1 - share,
          bound: 0.06,
        });
    }
    const { shorten_tools: other = 0, shorten_tools_epoch_increment: standard = 0 } = costs;
    rows.push({
      name: 'context, with and without epochs',
      measured: `the default: cost ${millions(standard)}`,
      against: `shorten_tools: cost ${millions(other)}`,
      ratio: standard / other,
      bound: 0.5,
    });
    return rows;
  },
};

const millions = (tokens: number): string => `${(tokens / 1e6).toFixed(2)} M`;

interface Step {
  readonly name: string;
  readonly args: Readonly<Record<string, unknown>>;
  readonly output: string;
}

/** Calls of an agent that reads, edits and runs: outputs of 1,000 to 2,000 tokens, some files read again. The same every time. */
function recording(): readonly Step[] {
  let state = 20_260_101;
  const random = () => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return state / 2_147_483_648;
  };
  return Array.from({ length: CALLS }, (_, index) => {
    const name = ['read', 'edit', 'run'][index % 3] ?? 'read';
    const again = name === 'read' && index > 30 && random() < 0.1;
    const file = again ? Math.floor(random() * (index / 3)) * 3 : index;
    const characters = 4 * (1000 + Math.floor(random() * 1000));
    const line = `${index}: ${random().toString(36)} value of the table\n`;
    return {
      name,
      args: {
        path: `src/part/file${file}.ts`,
        ...(name === 'edit' ? { text: `const value${index} = ${index};\n`.repeat(20) } : {}),
      },
      output: line.repeat(Math.ceil(characters / line.length)).slice(0, characters),
    };
  });
}

interface Measured {
  readonly tokens: number;
  /** Of the tokens: how many stood, in whole messages, at the same place of the request before. */
  readonly share: number;
  /** In tokens of the full price. */
  readonly cost: number;
  readonly milliseconds: number;
}

async function measure(strategy: string, session: readonly Step[]): Promise<Measured> {
  const world = nodeWorld({ signals: false });
  const endpoint: Endpoint = {
    name: 'counting',
    backend: 'counting',
    headers: {},
    settings: { prompt_strategies: [strategy], max_rounds: CALLS + 1 },
    source: 'built-in',
  };
  const sums = { tokens: 0, same: 0, cost: 0 };
  let before: readonly Message[] = [];
  const count = ({ messages }: PromptRequest) => {
    let same = 0;
    let all = 0;
    let isSame = true;
    for (const [index, message] of messages.entries()) {
      isSame &&= isEqual(message, before[index]);
      all += tokensOf(message);
      if (isSame) same += tokensOf(message);
    }
    before = messages;
    sums.tokens += all;
    sums.same += same;
    sums.cost += same * READ + (all - same) * WRITE;
  };
  const plan: Plan = {
    prompt: [
      { role: 'system', content: 'You work on a program with tools. '.repeat(100) },
      { role: 'user', content: 'Find out why the table is wrong, and mend it.' },
    ],
    strategies: await promptStrategies(
      {
        flags: {},
        chat: {},
        origins: {},
        configured: [],
        agent: {},
        agentFile: undefined,
        endpoint,
        saveFile: undefined,
      },
      world,
      () => {},
    ),
    endpoint,
    tools: ['read', 'edit', 'run'].map((name) => toolOf(name, session)),
    attachments: new Map(),
    budget: { rounds: CALLS + 1 },
    checkpoint: {},
    persist: false,
    sessionId: 'bench',
  };
  const started = performance.now();
  const going = run(plan, counting(session, count), {
    ...world,
    signal: new AbortController().signal,
    onRetry: () => {},
    warn: () => {},
    modelsFolder: '/nonexistent',
  });
  for await (const _ of going);
  const { tokens, same, cost } = sums;
  const milliseconds = performance.now() - started;
  return { tokens, share: same / tokens, cost, milliseconds };
}

/** Messages are shared between prompts as long as nothing changes them. */
const isEqual = (one: Message, other: Message | undefined): boolean =>
  one === other || (one.role === other?.role && one.content === other.content);

const counted = new WeakMap<Message, number>();

/** About four characters make a token; a message counts as it is written down for a provider. */
function tokensOf(message: Message): number {
  const found = counted.get(message);
  if (found !== undefined) return found;
  const { role, content } = message;
  const made = JSON.stringify({ role, content }).length / 4;
  counted.set(message, made);
  return made;
}

/** Answers with the next call of the session, and with a text after the last one. */
function counting(session: readonly Step[], count: (request: PromptRequest) => void): Backend {
  let next = 0;
  return {
    name: 'counting',
    wire: async () => ({}),
    models: async () => [],
    async *reply(request) {
      count(request);
      const step = session[next];
      next += 1;
      if (step === undefined) {
        yield { kind: 'text', text: 'The table is right now.' };
        yield { kind: 'finish', reason: { reason: 'stop' } };
        return;
      }
      yield { kind: 'text', text: `Step ${next}.` };
      yield {
        kind: 'tool-call',
        call: { id: `call_${next}`, name: step.name, arguments: step.args },
      };
      yield { kind: 'finish', reason: { reason: 'tool_calls' } };
    },
  };
}

function toolOf(name: string, session: readonly Step[]): Tool {
  return {
    name,
    description: `Does ${name}`,
    parameters: { type: 'object', properties: {} },
    call: async (_, { callId }) => ({
      content: session[Number(callId.replace('call_', '')) - 1]?.output,
    }),
  };
}
