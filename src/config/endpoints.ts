// Resolves the endpoint of a run: chosen by the rules, its file read, options laid over it, its key looked up.

import type { ConfigSetting } from '../chat/types.ts';
import { configFailure, usageFailure } from '../errors.ts';
import type { Options, Origin, Price, Warn } from '../types.ts';
import type { World } from '../world/types.ts';
import { BACKENDS, PRESETS } from './builtin.ts';
import { type Choice, chooseEndpoint, isBackend, listModels, type Sources } from './choice.ts';
import { bareDefinition, builtIn, type Definition, definition, fileOf } from './definitions.ts';
import { resolveKey } from './key.ts';
import { address } from './kinds.ts';
import { didYouMean } from './nearest.ts';
import { coerceSettings, environmentSettings, kindOf } from './settings.ts';
import type { Endpoint, Secret } from './types.ts';

export type EndpointWorld = Pick<
  World,
  'files' | 'env' | 'cwd' | 'packageFolder' | 'platform' | 'http' | 'processes' | 'signal'
>;

export interface EndpointRequest extends Sources {
  /** What the chat configured (`config:`); weaker than its options. */
  readonly configured?: readonly ConfigSetting[];
  /** `false`: the key is not looked up, no command is run for it, and a missing one is no failure. Nothing can be asked then. */
  readonly withKey?: boolean;
}

/**
 * Command line over chat over agent over endpoint file over environment over defaults. Rejects with a configuration Failure
 * (exit 3) when there is no such endpoint, its file is wrong, its backend is not in this version, or its key is missing; with
 * a usage Failure (exit 2) when an option does not fit.
 */
export async function resolveEndpoint(
  request: EndpointRequest,
  world: EndpointWorld,
  warn: Warn,
): Promise<Endpoint> {
  refuseForeignAddresses(request);
  const choice = await chooseEndpoint(request, world);
  const chosen = await chosenDefinition(choice, world, warn);
  const options = layered(request, chosen.name);
  const { headers = {}, price, ...fields } = withFlags(chosen, request.flags ?? {}, options.values);
  const backend = await checkBackend(fields.backend, chosen, choice);
  const key =
    request.withKey === false || KEYLESS.has(backend)
      ? undefined
      : await resolveKey(
          {
            name: chosen.name,
            source: chosen.source,
            fields,
            mayRun: choice.named || !chosen.foreign,
          },
          world,
        );
  const settings = {
    ...environmentSettings(world.env),
    ...chosen.settings,
    ...(await coerceSettings(options.values, options.where, warn)),
  };
  const endpoint = {
    name: chosen.name,
    backend,
    headers: headersOf(headers, chosen, world),
    settings,
    source: chosen.source,
  };
  const model =
    options.values.model ??
    fields.model ??
    choice.model ??
    (await servedModel(backend, fields.url, chosen, key, world));
  return {
    ...endpoint,
    ...(fields.url === undefined ? {} : { url: fields.url }),
    ...(model === undefined ? {} : { model }),
    ...(key === undefined ? {} : { key }),
    ...priceFor(model, chosen, price),
  };
}

/** Backends that send nothing anywhere. */
const KEYLESS: ReadonlySet<string> = new Set(['local', 'replay']);

/** A chat or an agent says what is asked, never where a key goes. */
function refuseForeignAddresses({ chat = {}, agent = {}, origins = {} }: EndpointRequest): void {
  for (const [options, where] of [
    [chat, 'a chat'],
    [agent, 'an agent'],
  ] as const)
    for (const name of ['url', 'key', 'key_env', 'key_cmd', 'headers']) {
      if (options[name] === undefined) continue;
      const at = where === 'a chat' ? origins[name] : where;
      throw usageFailure('option-not-allowed', `"${name}" cannot be set in ${where}`, {
        ...(at === undefined ? {} : { at }),
        next: `write it into an endpoint file (etc/AI/NAME.yaml), or give \`-o ${name}=…\``,
      });
    }
}

async function chosenDefinition(
  choice: Choice,
  world: EndpointWorld,
  warn: Warn,
): Promise<Definition> {
  const { name, at } = choice;
  const isBare = choice.backendOnly && builtIn(name) === undefined;
  if (isBare && !('path' in (await fileOf(name, world)))) return bareDefinition(name);
  return definition(name, world, warn, at);
}

interface Layered {
  readonly values: Options;
  where(name: string): Origin | string | undefined;
}

/** The options of all sources as one, and where each came from. */
function layered(request: EndpointRequest, endpoint: string): Layered {
  const { flags = {}, chat = {}, agent = {}, origins = {}, configured = [] } = request;
  const fitting = configured.filter(
    ({ key, tokens }) =>
      kindOf(key) !== undefined &&
      (tokens.length === 0 || tokens.some((token) => [endpoint, 'ask', 'llm'].includes(token))),
  );
  const set = Object.fromEntries(fitting.map(({ key, value }) => [key, value]));
  const setAt = Object.fromEntries(fitting.map(({ key, origin }) => [key, origin]));
  const all = Object.entries({ ...agent, ...set, ...chat, ...flags });
  return {
    // Nothing takes away what weaker sources say.
    values: Object.fromEntries(all.filter(([, value]) => !['', 'nil'].includes(value.trim()))),
    where: (name) => {
      if (name in flags) return 'command line';
      if (name in chat) return origins[name];
      return name in set ? setAt[name] : 'agent';
    },
  };
}

function withFlags({ fields }: Definition, flags: Options, values: Options): Definition['fields'] {
  const url = flags.url === undefined ? undefined : address.read(flags.url);
  if (flags.url !== undefined && typeof url !== 'string')
    throw usageFailure(
      'bad-option',
      `the option "url" takes ${address.expected}, not "${flags.url}"`,
      {
        at: 'command line',
      },
    );
  const { key, key_env, key_cmd, ...rest } = fields;
  const given = flags.key !== undefined || flags.key_env !== undefined;
  const keys = given ? { key: flags.key, key_env: flags.key_env } : { key, key_env, key_cmd };
  const backend = values.backend ?? rest.backend;
  const preset =
    backend !== undefined && Object.hasOwn(PRESETS, backend) ? PRESETS[backend] : undefined;
  const changed = {
    ...keys,
    backend: preset?.backend ?? backend,
    url: typeof url === 'string' ? url : (rest.url ?? preset?.url),
  };
  const set = Object.entries(changed).filter(([, value]) => value !== undefined);
  return { ...rest, ...Object.fromEntries(set) };
}

async function checkBackend(
  backend: string | undefined,
  { name, source }: Definition,
  { at }: Choice,
): Promise<string> {
  if (backend === undefined)
    throw configFailure('bad-endpoint', `endpoint "${name}" says neither backend nor url`, {
      at: source,
      next: `add \`backend:\` with one of ${BACKENDS.join(', ')}`,
    });
  if (isBackend(backend)) return backend;
  const known = [...BACKENDS, ...Object.keys(PRESETS)];
  throw configFailure(
    'unknown-backend',
    `this version has no backend "${backend}" (endpoint "${name}")`,
    {
      at: source === 'built-in' ? (at ?? source) : source,
      detail: [`backends are ${known.join(', ')}`],
      next:
        (await didYouMean(backend, known)) ??
        'choose another endpoint with -e (`chat endpoint list` shows them)',
    },
  );
}

/** A header value `$NAME` is read from the environment, as a key is. */
function headersOf(
  headers: Readonly<Record<string, string>>,
  { name, source }: Definition,
  { env }: EndpointWorld,
): Endpoint['headers'] {
  return Object.fromEntries(
    Object.entries(headers).map(([header, value]) => {
      const variable = /^\$\{?([A-Za-z_][A-Za-z0-9_]*)\}?$/.exec(value)?.[1];
      const text = variable === undefined ? value : env[variable];
      if (text === undefined || /[\r\n\0]/.test(text))
        throw configFailure(
          'bad-header',
          `the header "${header}" of endpoint "${name}" ${text === undefined ? `needs ${variable}, which is not set` : 'has a line end in it'}`,
          { at: source },
        );
      return [header, text];
    }),
  );
}

const LOOPBACK = /^(localhost|127(\.\d+){3}|\[::1\])$/;

/** A server on this machine is asked what it serves; elsewhere the model has to be said. */
async function servedModel(
  backend: string,
  url: string | undefined,
  { name, source }: Definition,
  key: Secret | undefined,
  { http, signal }: EndpointWorld,
): Promise<string | undefined> {
  if (backend !== 'openai' || url === undefined) return undefined;
  const models = LOOPBACK.test(new URL(url).hostname)
    ? await listModels(url, http, {
        signal,
        patience: 2000,
        ...(key === undefined ? {} : { key: key.reveal() }),
      })
    : undefined;
  const [model] = models ?? [];
  if (model !== undefined) return model;
  throw configFailure(
    'no-model',
    `endpoint "${name}" has no model${models === undefined ? '' : ', and its server serves none'}`,
    {
      at: source,
      next: 'give -m MODEL, write `model:` into the endpoint file, or `model: …` into the chat',
    },
  );
}

/** A price stands for the model of its file: for another one it would make wrong numbers. */
function priceFor(
  model: string | undefined,
  { fields }: Definition,
  price: Price | undefined,
): { price?: Price } {
  if (price === undefined || (fields.model !== undefined && fields.model !== model)) return {};
  return { price };
}
