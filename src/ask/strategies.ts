// Which context strategies a run has, and what they make of its prompt. Custom ones are code: they are loaded only on the word of whom
// the person at the keyboard trusts already.

import * as path from 'node:path';
import { turnStart } from '../chat/rounds.ts';
import { DEFAULT_STRATEGIES, strategyNamed } from '../chat/strategies/index.ts';
import type { Strategy, StrategyContext } from '../chat/strategies/types.ts';
import type { ConfigSetting } from '../chat/types.ts';
import { isForeign, isKnown } from '../config/definitions.ts';
import type { Endpoint } from '../config/types.ts';
import type { Chat, Options, Origin, Warn } from '../types.ts';
import type { World } from '../world/types/world.ts';
import type { Namer } from './strategy-file.ts';
import type { Plan, PromptStrategies } from './types/run.ts';

/** What says which strategies a run has, strongest first. */
export interface StrategySources {
  readonly flags: Options;
  readonly chat: Options;
  readonly origins: Readonly<Record<string, Origin>>;
  readonly configured: readonly ConfigSetting[];
  readonly agent: Options;
  /** Path of the agent's start chat. */
  readonly agentFile: string | undefined;
  readonly endpoint: Endpoint;
  readonly saveFile: string | undefined;
}

/** Loads what is custom. Rejects with a Failure (exit 2 or 3) when one is not there, may not be used here, or is broken. */
export async function promptStrategies(
  sources: StrategySources,
  world: World,
  warn: Warn,
): Promise<PromptStrategies> {
  const { endpoint, saveFile } = sources;
  const said = endpoint.settings.prompt_strategies;
  const names = Array.isArray(said) ? said.map(String) : DEFAULT_STRATEGIES;
  const context: StrategyContext = {
    settings: endpoint.settings,
    backend: endpoint.backend,
    ...(endpoint.model === undefined ? {} : { model: endpoint.model }),
    ...(saveFile === undefined ? {} : { saveFile }),
  };
  const steps: Strategy[] = [];
  const code: string[] = [];
  for (const name of names) {
    const own = strategyNamed(name);
    if (own !== undefined) {
      steps.push(own);
      continue;
    }
    const { customStrategy } = await import('./custom-strategy.ts');
    const custom = await customStrategy(name, await namerOf(sources, world), world, warn);
    steps.push(custom.strategy);
    code.push(custom.digest);
  }
  return {
    names,
    code,
    inbox: names.includes('inbox'),
    async apply(prompt) {
      let result = prompt;
      for (const step of steps) result = await step(result, context);
      return result;
    },
  };
}

const NAME = 'prompt_strategies';

async function namerOf(sources: StrategySources, world: World): Promise<Namer> {
  const { flags, chat, origins, configured, agent, agentFile, endpoint } = sources;
  if (isSaid(flags[NAME])) return { folder: world.cwd, at: 'command line' };
  const setting = configured.find(({ key }) => key === NAME);
  const inChat = isSaid(chat[NAME]) ? origins[NAME] : setting?.origin;
  if (isSaid(chat[NAME]) || setting !== undefined)
    return { folder: world.cwd, foreign: 'a chat', at: inChat ?? 'the chat' };
  if (isSaid(agent[NAME]))
    return {
      folder: agentFile === undefined ? world.cwd : path.dirname(agentFile),
      at: agentFile ?? 'the agent',
    };
  const variable = world.env.PROMPT_STRATEGIES;
  const list = endpoint.settings[NAME];
  if (isSaid(variable) && Array.isArray(list) && list.every((each) => variable.includes(each)))
    return { folder: world.cwd, at: 'PROMPT_STRATEGIES' };
  const folder = path.dirname(path.resolve(world.cwd, endpoint.source));
  // To name an endpoint that is known wherever one works is not to name the file that stands in its place.
  const named =
    (isSaid(flags.endpoint) || isSaid(flags.backend)) && !(await isKnown(endpoint.name, world));
  return {
    folder,
    at: endpoint.source,
    ...(named || !(await isForeign(endpoint.source, world))
      ? {}
      : { foreign: 'an endpoint file of this folder that nobody named' }),
  };
}

const isSaid = (value: string | undefined): value is string =>
  value !== undefined && !['', 'nil'].includes(value.trim());

/** A prompt as it goes out, and where the turn in progress begins in it. */
export interface Strategised {
  readonly messages: Chat;
  readonly turnStart: number;
}

/** What the plan's strategies make of its prompt with what the run added. The stored chat stays as it is. */
export async function strategised(
  plan: Pick<Plan, 'prompt' | 'strategies'>,
  added: Chat = [],
): Promise<Strategised> {
  const whole = [...plan.prompt, ...added];
  const messages = (await plan.strategies?.apply(whole)) ?? whole;
  const start = turnStart(plan.prompt);
  if (messages === whole) return { messages, turnStart: start };
  // Notes that strategies add are no question: the messages of the turn say themselves where it begins now.
  const turn = new Set(plan.prompt.slice(start));
  const found = messages.findIndex((message) => turn.has(message));
  return { messages, turnStart: found < 0 ? turnStart(messages) : found };
}

/** Whether a text names a strategy that is not the program's own. */
export const namesCustom = (text: string): boolean =>
  text.split(/[,[\]"\s]+/).some((word) => word !== '' && strategyNamed(word) === undefined);
