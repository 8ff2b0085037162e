// From a stored chat to everything that is settled before the first request: compiled, options out, endpoint resolved, prompt made.

import { compile } from '../chat/compile.ts';
import { answerFormat } from '../chat/format.ts';
import { attachments } from '../chat/media-file.ts';
import { currentMeta } from '../chat/meta.ts';
import { options as chatOptions } from '../chat/options.ts';
import { prompt } from '../chat/prompt.ts';
import { resolveEndpoint } from '../config/endpoints.ts';
import { type Compiling, compilePorts } from '../config/ports.ts';
import type { JobEvent } from '../store/types.ts';
import type { Chat, Warn } from '../types.ts';
import type { World } from '../world/types/world.ts';
import { answering, toolsOf } from './answering.ts';
import {
  choosing,
  flagsFor,
  formatOrigin,
  openAgent,
  passedTo,
  withoutDelegation,
} from './asked-agent.ts';
import { checkFormat } from './fitting.ts';
import { flagOptions } from './flags.ts';
import { resourcesOf } from './resources.ts';
import { promptStrategies } from './strategies.ts';
import { imageKeeper } from './tool-images.ts';
import type { AgentsPort, AskedAgent } from './types/agents.ts';
import type { AskFlags } from './types/flags.ts';
import type { Budget, Ledger, Plan } from './types/run.ts';
import { workParts } from './work.ts';

export interface PrepareOptions {
  readonly flags: AskFlags;
  readonly warn: Warn;
  /** Path of the chat: names in it are relative to it. */
  readonly file?: string;
  /** Where the conversation is kept: notes for its run come from beside it. */
  readonly saveFile?: string;
  /** Tasks are listed through `warn` and not run. */
  readonly noRun?: boolean;
  /** `false`: servers of tools are left out. */
  readonly servers?: boolean;
  /** `false`: the key is not looked up, and nothing can be asked. */
  readonly withKey?: boolean;
  /** Told while tasks of the chat and calls of the model run. */
  readonly onJobEvent?: (event: JobEvent) => void;
  /** Opens the agent that the flags or the chat name. */
  readonly agents?: AgentsPort;
  /** Who is asked, whatever the chat says. */
  readonly agent?: AskedAgent;
  /** What the run takes from; a new one when absent. */
  readonly ledger?: Ledger;
}

export interface Settled {
  /** The chat after compiling, options still in it. */
  readonly compiled: Chat;
  /** Settles the endpoint and the prompt; rejects when there is nothing to ask or no way to ask it. */
  plan(): Promise<Plan>;
}

const DEFAULT_ROUNDS = 100;
/** Backends that refuse a chat with an image: one that a tool made would end the conversation. */
const BLIND: ReadonlySet<string> = new Set(['local']);

/** Compiles the chat. The stored chat is never changed. Rejects with a Failure that names file and line. */
export async function prepare(stored: Chat, world: World, given: PrepareOptions): Promise<Settled> {
  const { flags, warn, file } = given;
  // What is typed wrong is told also where it is not used.
  const typed = flagOptions(flags);
  const compiling = compilePorts(world, {
    warn,
    allowRemote: flags.allowRemote === true,
    noRun: given.noRun === true,
  });
  const ledger: Ledger = given.ledger ?? { tokens: 0, cost: 0 };
  let agent = given.agent;
  const own = (name: string) => agent?.own(name);
  const work = workParts(world, {
    workflows: flags.workflows,
    jobs: flags.jobs,
    onEvent: given.onJobEvent,
    own,
    host: given.agents?.host({
      flags,
      ledger,
      warn,
      depth: () => agent?.depth ?? 0,
      own,
    }),
  });
  const ports = { ...compiling.ports, jobs: work.port };
  const compiled = await compile(stored, ports, file === undefined ? {} : { file });
  const found = chatOptions(compiled);
  agent ??= await openAgent(found, stored, ledger, given);
  const start =
    agent === undefined
      ? []
      : await compile(agent.start, ports, agent.file === undefined ? {} : { file: agent.file });
  return {
    compiled: [...start, ...compiled],
    async plan() {
      const begun = chatOptions(start);
      const said = { ...begun.options, ...found.options };
      const asked = flagsFor(agent, begun.options, typed);
      const endpoint = await resolveEndpoint(
        {
          flags: asked,
          chat: found.options,
          agent: { ...passedTo(agent, begun.options), ...begun.options },
          origins: found.origins,
          configured: compiling.configured,
          withKey: given.withKey !== false,
        },
        world,
        warn,
      );
      let length = 0;
      const delegation =
        (await agent?.tools({
          start: begun.chat,
          conversation: found.chat,
          options: { ...passedTo(agent, begun.options), ...choosing(said) },
          settings: endpoint.settings,
          added: (seen) => seen.slice(length),
        })) ?? [];
      const producing = answering(agent, [...start, ...compiled], flags, work);
      const answered = producing.produce !== undefined;
      const { chat, tools, isChanging } = await work.collect([...begun.chat, ...found.chat], warn, {
        own: toolsOf(agent?.workflow),
        knowledge: agent?.knowledge,
        taken: delegation.map(({ name }) => name),
        ...(answered || given.servers === false
          ? {}
          : {
              servers: {
                resources: resourcesOf(ledger),
                settings: endpoint.settings,
                mayStart: given.noRun !== true,
              },
            }),
      });
      const messages = prompt(agent === undefined ? chat : withoutDelegation(chat), {
        backend: endpoint.backend,
        warn,
        onlyShown: given.withKey === false,
      });
      tellGrants(compiling.grants, warn);
      length = messages.length;
      const wanted = flags.format ?? said.format;
      const origin = flags.format === undefined ? formatOrigin(found, begun) : undefined;
      const format =
        wanted === undefined
          ? undefined
          : await answerFormat(wanted, ports, {
              ...(origin === undefined ? {} : { origin }),
              ...(file === undefined ? {} : { file }),
            });
      await checkFormat(format);
      const { saveFile } = given;
      return {
        prompt: messages,
        ...(answered
          ? {}
          : {
              strategies: await promptStrategies(
                {
                  flags: asked,
                  chat: found.options,
                  origins: found.origins,
                  configured: compiling.configured,
                  agent: begun.options,
                  agentFile: agent?.file,
                  endpoint,
                  saveFile,
                },
                world,
                warn,
              ),
            }),
        ...(saveFile === undefined ? {} : { saveFile }),
        ...(BLIND.has(endpoint.backend)
          ? {}
          : { keepImage: imageKeeper({ saveFile, relative: file !== undefined }, world) }),
        endpoint,
        // A job that answers has tools and a format of its own.
        tools: answered ? [] : [...tools, ...delegation],
        attachments: await attachments(messages, world.files),
        budget: budgetOf(flags, endpoint.settings),
        ledger,
        checkpoint: runningTotals(stored),
        // What other agents say depends on what they were asked before; what servers and tables say may be another thing next time.
        persist:
          mayPersist(flags, endpoint.settings) &&
          ((delegation.length === 0 && !isChanging) || endpoint.settings.persist === true),
        sessionId: world.clock.id(),
        ...producing,
        ...(agent === undefined ? {} : { keep: agent.keep }),
        ...(format === undefined || answered ? {} : { format }),
      };
    },
  };
}

/** No tool of this version asks for them: what they would allow is not allowed. */
function tellGrants(grants: Compiling['grants'], warn: Warn): void {
  for (const { access, path, origin } of grants)
    warn({
      code: 'role-not-served',
      message: `"${access === 'read' ? 'allow_read_path' : 'allow_path'}: ${path}" has no effect: this version does not serve the role`,
      ...(origin === undefined ? {} : { origin }),
    });
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
