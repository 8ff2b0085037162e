// From a stored chat to everything that is settled before the first request: compiled, options out, endpoint resolved, prompt made.

import { compile } from '../chat/compile.ts';
import { answerFormat } from '../chat/format.ts';
import { attachments } from '../chat/media-file.ts';
import { currentMeta } from '../chat/meta.ts';
import { options as chatOptions } from '../chat/options.ts';
import { prompt } from '../chat/prompt.ts';
import { resolveEndpoint } from '../config/endpoints.ts';
import { compilePorts } from '../config/ports.ts';
import { configFailure, usageFailure } from '../errors.ts';
import type { JobEvent } from '../store/types.ts';
import type { Chat, Options, Origin, Warn } from '../types.ts';
import type { World } from '../world/types.ts';
import type { AskFlags, Budget, Plan } from './types.ts';
import { workParts } from './work.ts';

export interface PrepareOptions {
  readonly flags: AskFlags;
  readonly warn: Warn;
  /** Path of the chat: names in it are relative to it. */
  readonly file?: string;
  /** Tasks are listed through `warn` and not run. */
  readonly noRun?: boolean;
  /** `false`: the key is not looked up, and nothing can be asked. */
  readonly withKey?: boolean;
  /** Told while tasks of the chat and calls of the model run. */
  readonly onJobEvent?: (event: JobEvent) => void;
}

export interface Settled {
  /** The chat after compiling, options still in it. */
  readonly compiled: Chat;
  /** Settles the endpoint and the prompt; rejects when there is nothing to ask or no way to ask it. */
  plan(): Promise<Plan>;
}

const DEFAULT_ROUNDS = 100;

/** Compiles the chat. The stored chat is never changed. Rejects with a Failure that names file and line. */
export async function prepare(stored: Chat, world: World, given: PrepareOptions): Promise<Settled> {
  const { flags, warn, file } = given;
  const compiling = compilePorts(world, {
    warn,
    allowRemote: flags.allowRemote === true,
    noRun: given.noRun === true,
  });
  const work = workParts(world, {
    workflows: flags.workflows,
    jobs: flags.jobs,
    onEvent: given.onJobEvent,
  });
  const ports = { ...compiling.ports, jobs: work.port };
  const compiled = await compile(stored, ports, file === undefined ? {} : { file });
  return {
    compiled,
    async plan() {
      const found = chatOptions(compiled);
      refuseAgent(found.options.agent, found.origins.agent);
      const endpoint = await resolveEndpoint(
        {
          flags: flagOptions(flags),
          chat: found.options,
          origins: found.origins,
          configured: compiling.configured,
          withKey: given.withKey !== false,
        },
        world,
        warn,
      );
      const { chat, tools } = await work.collect(found.chat, warn);
      const messages = prompt(chat, { backend: endpoint.backend, warn });
      const format = flags.format ?? found.options.format;
      const origin = flags.format === undefined ? found.origins.format : undefined;
      return {
        prompt: messages,
        endpoint,
        tools,
        attachments: await attachments(messages, world.files),
        budget: budgetOf(flags, endpoint.settings),
        checkpoint: runningTotals(stored),
        persist: mayPersist(flags, endpoint.settings),
        sessionId: world.clock.id(),
        ...(format === undefined
          ? {}
          : {
              format: await answerFormat(format, ports, {
                ...(origin === undefined ? {} : { origin }),
                ...(file === undefined ? {} : { file }),
              }),
            }),
      };
    },
  };
}

function refuseAgent(agent: string | undefined, origin: Origin | undefined): void {
  if (agent === undefined) return;
  throw configFailure('no-agents', `this version has no agents: "agent: ${agent}"`, {
    ...(origin === undefined ? {} : { at: origin }),
    next: 'take the line out, or `import:` the start chat of the agent',
  });
}

/** The flags as options: `-o key=value`, and the ones that have a name of their own. */
export function flagOptions(flags: AskFlags): Options {
  const pairs = (flags.options ?? []).map((text) => {
    const at = text.indexOf('=');
    if (at > 0) return [text.slice(0, at).trim(), text.slice(at + 1)] as const;
    throw usageFailure('bad-option', `-o takes key=value, not "${text}"`, { at: 'command line' });
  });
  const named = { endpoint: flags.endpoint, model: flags.model, backend: flags.backend };
  return Object.fromEntries([
    ...pairs,
    ...Object.entries(named).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, value] as const],
    ),
  ]);
}

function budgetOf(flags: AskFlags, settings: Readonly<Record<string, unknown>>): Budget {
  const { tokens, cost } = flags.budget ?? {};
  return {
    rounds: typeof settings.max_rounds === 'number' ? settings.max_rounds : DEFAULT_ROUNDS,
    ...(tokens === undefined ? {} : { tokens }),
    ...(cost === undefined ? {} : { cost }),
  };
}

/** `pt_c` … as the stored chat has them last. */
function runningTotals(stored: Chat): Record<string, number> {
  const fields = currentMeta(stored) ?? {};
  return Object.fromEntries(
    Object.entries(fields).flatMap(([name, value]) =>
      name.endsWith('_c') && typeof value === 'number' ? [[name, value] as const] : [],
    ),
  );
}

/** On unless the chat says otherwise; an answer that is meant to vary is not kept without being asked for. */
function mayPersist(flags: AskFlags, settings: Readonly<Record<string, unknown>>): boolean {
  if (flags.cache === false) return false;
  if (typeof settings.persist === 'boolean') return settings.persist;
  return !(typeof settings.temperature === 'number' && settings.temperature > 0);
}
