// A strategy of the user's own: loaded as workflow files are, and held to what a prompt may be.

import { pairCalls } from '../chat/pairs.ts';
import { withFates } from '../chat/strategies/fates.ts';
import { thresholds } from '../chat/strategies/thresholds.ts';
import { type Fate, toolPairs, trafficOf } from '../chat/strategies/traffic.ts';
import type { Strategy } from '../chat/strategies/types.ts';
import { configFailure, Failure } from '../errors.ts';
import type { Chat, Message, Origin, Warn } from '../types.ts';
import { type LoadedModule, loadDefault } from '../workflows/typescript.ts';
import type { World } from '../world/types/world.ts';
import { type Namer, strategyFile } from './strategy-file.ts';

export interface CustomStrategy {
  readonly strategy: Strategy;
  /** Of its code. */
  readonly digest: string;
}

/** Rejects before anything is asked: a usage Failure when whoever named it may not, a configuration Failure when it is not there or broken. */
export async function customStrategy(
  name: string,
  namer: Namer,
  world: World,
  warn: Warn,
): Promise<CustomStrategy> {
  const file = await strategyFile(name, namer, world);
  let module: LoadedModule;
  try {
    module = await loadDefault(file, world);
  } catch (error) {
    throw broken(name, error);
  }
  const given = module.definition;
  if (typeof given !== 'function')
    throw configFailure('bad-strategy', `the strategy "${name}" exports no function as default`, {
      at: { file, line: 1 },
      next: 'write `export default (prompt, context) => prompt` there',
    });
  const strategy: Strategy = async (prompt, context) => {
    let result: unknown;
    try {
      // Messages and settings are shared with everything else that holds them.
      const messages = Object.freeze(prompt.map(frozen));
      result = await stoppable(given(messages, structuredClone(context)), world.signal);
    } catch (error) {
      world.signal.throwIfAborted();
      const at = module.placeOf(error) ?? { file, line: 1 };
      throw broken(name, module.relocated(error), at);
    }
    return checked(result, prompt, name, file, warn);
  };
  return { strategy, digest: module.digest };
}

const frozen = (message: Message): Message => Object.freeze(message);

/** The result, or the reason of the signal: one that never comes to an end can be stopped. */
async function stoppable(result: unknown, signal: AbortSignal): Promise<unknown> {
  let stop = () => {};
  const stopped = new Promise((_, reject) => {
    stop = () => reject(signal.reason);
    signal.addEventListener('abort', stop, { once: true });
  });
  try {
    return await Promise.race([result, stopped]);
  } finally {
    signal.removeEventListener('abort', stop);
  }
}

function broken(name: string, error: unknown, at?: Origin): unknown {
  if (!(error instanceof Failure)) {
    const text = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
    return configFailure(
      'bad-strategy',
      `the strategy "${name}" failed: ${text.split('\n', 1)[0]}`,
      {
        ...(at === undefined ? {} : { at }),
        cause: error,
      },
    );
  }
  // What is told of a workflow file is told of this one.
  const text = error.message.replace(/^(?:cannot read )?the workflow:? /, '');
  return configFailure('bad-strategy', `cannot load the strategy "${name}": ${text}`, {
    detail: error.detail,
    cause: error,
    ...(error.at === undefined ? {} : { at: error.at }),
    ...(error.next === undefined ? {} : { next: error.next }),
  });
}

const ROLES: ReadonlySet<string> = new Set(
  'system developer user assistant function_call function_call_output image pdf provider_content'.split(
    ' ',
  ),
);

/** What came back as a prompt: messages of roles that a provider knows, and calls beside their outputs. */
function checked(result: unknown, prompt: Chat, name: string, file: string, warn: Warn): Chat {
  if (!Array.isArray(result) || result.length === 0 || !result.every(isMessage))
    throw configFailure(
      'bad-strategy',
      `the strategy "${name}" gave no prompt: it has to give a list of messages, each with a role that a model knows and a text`,
      { at: { file, line: 1 } },
    );
  if (result.length === prompt.length && result.every((each, index) => each === prompt[index]))
    return prompt;
  const paired = new Set(toolPairs(result).flatMap(({ call, output }) => [call, output]));
  const halves = new Map<number, Fate>();
  for (const [index, message] of result.entries())
    if (trafficOf(message) !== undefined && !paired.has(index)) halves.set(index, 'drop');
  if (halves.size > 0)
    warn({
      code: 'strategy-split',
      message: `the strategy "${name}" left calls without their outputs, or the other way round; these are left out`,
    });
  return pairCalls(withFates(result, halves, thresholds({})).chat, () => {});
}

const isMessage = (value: unknown): value is Message => {
  const { role, content } = Object(value);
  return typeof content === 'string' && ROLES.has(role);
};
