// Which endpoint is used when: the first rule that applies, with the reason, and why the rules before it did not.

import type { Options, Origin } from '../types.ts';
import type { Http } from '../world/types/network.ts';
import type { World } from '../world/types/world.ts';
import { ADDRESSES, BACKENDS, KEY_RULES } from './builtin.ts';
import { type DefinitionWorld, fileOf, modelsAddress } from './definitions.ts';
import { isSet } from './key.ts';

export type ChoiceWorld = DefinitionWorld & Pick<World, 'http' | 'signal'>;

/** What the command line, the chat and the agent say, each as text. */
export interface Sources {
  readonly flags?: Options;
  readonly chat?: Options;
  readonly agent?: Options;
  /** Where the chat's options stand. */
  readonly origins?: Readonly<Record<string, Origin>>;
}

export interface Choice {
  readonly name: string;
  /** A backend was named and no endpoint: the name is the backend's. */
  readonly backendOnly: boolean;
  /** Completes "NAME is used because …". */
  readonly why: string;
  /** The person at the keyboard named it, not a file. */
  readonly named: boolean;
  readonly at?: Origin | string;
  /** Told by the server that was looked for. */
  readonly model?: string;
  /** The rules that were looked at, in order; the last one applied. */
  readonly steps: readonly Step[];
}

export interface Step {
  readonly rule: string;
  readonly outcome: string;
}

type Applied = Omit<Choice, 'steps'>;
type Rule = { readonly rule: string; apply(): Promise<Applied | string> | Applied | string };

/** The endpoint by the first rule that applies. Looks for a server on this machine only when no rule before that does. */
export async function chooseEndpoint(sources: Sources, world: ChoiceWorld): Promise<Choice> {
  const steps: Step[] = [];
  for (const { rule, apply } of rules(sources, world)) {
    const applied = await apply();
    if (typeof applied !== 'string')
      return { ...applied, steps: [...steps, { rule, outcome: `used: ${applied.name}` }] };
    steps.push({ rule, outcome: applied });
  }
  throw new Error('the last rule always applies');
}

function rules(sources: Sources, world: ChoiceWorld): readonly Rule[] {
  const { flags, chat, agent, origins } = sources;
  return [
    {
      rule: '-e, -b',
      apply: () => fromOptions(flags, 'the command line names it', true, () => 'command line'),
    },
    {
      rule: 'the chat',
      apply: () => fromOptions(chat, 'the chat names it', false, (key) => origins?.[key]),
    },
    {
      rule: 'the agent',
      apply: () => fromOptions(agent, 'the agent names it', false, () => 'agent'),
    },
    ...['ASK_ENDPOINT', 'LLM_ENDPOINT'].map((name) => ({
      rule: name,
      apply: () => fromVariable(name, world),
    })),
    { rule: 'etc/AI/default.yaml', apply: () => fromDefaultFile(world) },
    ...KEY_RULES.map((row) => ({
      rule: `${row.variable} → ${row.endpoint}`,
      apply: () => fromKey(row, world),
    })),
    { rule: 'Ollama on this machine', apply: () => fromOllama(world) },
    { rule: 'the embedded model', apply: () => plain('local', 'nothing else is configured') },
  ];
}

const plain = (name: string, why: string): Applied => ({
  name,
  why,
  named: false,
  backendOnly: false,
});

function fromOptions(
  options: Options | undefined,
  why: string,
  named: boolean,
  where: (key: 'endpoint' | 'backend') => Origin | string | undefined,
): Applied | string {
  const { endpoint, backend } = options ?? {};
  const name = endpoint ?? backend;
  if (name === undefined) return 'names none';
  const at = where(endpoint === undefined ? 'backend' : 'endpoint');
  return {
    name,
    why,
    named,
    backendOnly: endpoint === undefined,
    ...(at === undefined ? {} : { at }),
  };
}

function fromVariable(variable: string, { env }: ChoiceWorld): Applied | string {
  const value = env[variable];
  if (!isSet(value)) return 'not set';
  return {
    ...plain(value.trim(), `${variable} names it`),
    named: true,
    at: `environment ${variable}`,
  };
}

async function fromDefaultFile(world: ChoiceWorld): Promise<Applied | string> {
  const found = await fileOf('default', world);
  return 'path' in found ? plain('default', `${found.path} is there`) : 'not there';
}

function fromKey(row: (typeof KEY_RULES)[number], { env }: ChoiceWorld): Applied | string {
  if (!isSet(env[row.variable])) return 'not set';
  return plain(row.endpoint, `${row.variable} is set`);
}

export const isBackend = (name: string | undefined): boolean =>
  BACKENDS.some((backend) => backend === name);

async function fromOllama(world: ChoiceWorld): Promise<Applied | string> {
  const url = ADDRESSES.ollama ?? '';
  const models = await listModels(modelsAddress('ollama', url), world.http, {
    signal: world.signal,
    patience: 400,
  });
  if (models === undefined) return 'does not answer';
  const [model] = models;
  if (model === undefined) return 'answers, but has no model';
  return { ...plain('ollama', 'an Ollama answers on its default port'), model };
}

/** Names of the models that a server lists at this address; undefined when it does not answer in time or with something else. */
export async function listModels(
  url: string,
  http: Http,
  options: { readonly signal: AbortSignal; readonly patience: number; readonly key?: string },
): Promise<readonly string[] | undefined> {
  try {
    const response = await http.send({
      method: 'GET',
      url,
      headers: {
        accept: 'application/json',
        ...(options.key === undefined ? {} : { authorization: `Bearer ${options.key}` }),
      },
      signal: AbortSignal.any([options.signal, AbortSignal.timeout(options.patience * 4)]),
      connectTimeout: options.patience,
      readTimeout: options.patience * 4,
    });
    const pieces: Uint8Array[] = [];
    for await (const piece of response.body) pieces.push(piece);
    if (response.status !== 200) return undefined;
    return idsIn(JSON.parse(Buffer.concat(pieces).toString()));
  } catch {
    options.signal.throwIfAborted();
    return undefined;
  }
}

/** `data` with ids, or Ollama's `models` with names. */
function idsIn(listed: unknown): readonly string[] | undefined {
  if (typeof listed !== 'object' || listed === null) return undefined;
  const entries = 'data' in listed ? listed.data : 'models' in listed ? listed.models : undefined;
  if (!Array.isArray(entries)) return entries === null ? [] : undefined;
  return entries.flatMap((each: unknown) => {
    if (typeof each !== 'object' || each === null) return [];
    const name = 'id' in each ? each.id : 'name' in each ? each.name : undefined;
    return typeof name === 'string' && name !== '' ? [name] : [];
  });
}
