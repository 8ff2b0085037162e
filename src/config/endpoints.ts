// Resolves the endpoint of a run: chosen by the rules, its file read, options laid over it, its key looked up.

import type { ConfigSetting } from '../chat/types.ts';
import { configFailure } from '../errors.ts';
import { didYouMean } from '../nearest.ts';
import type { Price, Warn, Warning } from '../types.ts';
import type { World } from '../world/types/world.ts';
import { BACKEND_NAMES, BACKENDS } from './builtin.ts';
import { type Choice, chooseEndpoint, isBackend, type Sources } from './choice.ts';
import { bareDefinition, builtIn, type Definition, definition, fileOf } from './definitions.ts';
import { resolveKey } from './key.ts';
import { layered, refuseForeignAddresses, withConfigured, withFlags } from './layering.ts';
import { servedModel } from './served-model.ts';
import { coerceSettings, environmentSettings } from './settings.ts';
import { keptBack, type Trust, trustIn } from './trust.ts';
import type { Endpoint, Secret } from './types.ts';

export type EndpointWorld = Pick<
  World,
  'files' | 'env' | 'cwd' | 'packageFolder' | 'platform' | 'http' | 'processes' | 'signal'
>;

export interface EndpointRequest extends Sources {
  /** What the chat configured (`config:`); weaker than its options. */
  readonly configured?: readonly ConfigSetting[];
  /** `false`: an endpoint without a model is no failure, and no server is asked for one. */
  readonly withModel?: boolean;
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
  const { configured = [] } = request;
  const choice = await chooseEndpoint(withConfigured(request, configured), world);
  const chosen = await chosenDefinition(choice, world, warn);
  const { name, source } = chosen;
  const { values, where } = layered(withConfigured(request, configured, name));
  const { headers = {}, price, ...fields } = withFlags(chosen.fields, request.flags ?? {}, values);
  const { url } = fields;
  const backend = checkBackend(fields.backend, chosen, choice);
  const trust = trustIn(
    { ...chosen, fields },
    choice.named || request.flags?.key_env !== undefined,
  );
  const key = await keyOf({ ...chosen, fields }, backend, request, trust, world);
  const named = values.model ?? fields.model ?? choice.model;
  const model =
    named === undefined && request.withModel !== false
      ? await servedModel({ name, source, backend, url, key }, world)
      : named;
  const said = coerceSettings(values, where, warn);
  const settings = { ...environmentSettings(world.env), ...chosen.settings, ...said };
  if (settings.dialect !== undefined && backend !== 'anthropic') warn(noDialect(name));
  return {
    name,
    backend,
    headers: request.withKey === false ? headers : headersOf(headers, chosen, trust, world),
    settings,
    origins: {
      ...chosen.origins,
      ...Object.fromEntries(Object.keys(values).map((each) => [each, where(each)])),
    },
    source,
    ...(url === undefined ? {} : { url }),
    ...(model === undefined ? {} : { model }),
    ...(key === undefined ? {} : { key }),
    ...priceFor(model, chosen, price),
  };
}

const noDialect = (name: string): Warning => ({
  code: 'no-dialect',
  message: `"dialect" of endpoint ${name} has no effect: only the backend anthropic has dialects`,
});

/** Backends that send nothing anywhere. */
const KEYLESS: ReadonlySet<string> = new Set(['local', 'replay']);

function keyOf(
  { name, source, fields }: Definition,
  backend: string,
  { withKey }: EndpointRequest,
  trust: Trust,
  world: EndpointWorld,
): Promise<Secret | undefined> {
  if (withKey === false || KEYLESS.has(backend)) return Promise.resolve(undefined);
  return resolveKey({ name, source, fields, ...trust }, world);
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

function checkBackend(
  backend: string | undefined,
  { name, source }: Definition,
  { at }: Choice,
): string {
  if (backend === undefined)
    throw configFailure('bad-endpoint', `endpoint "${name}" says neither backend nor url`, {
      at: source,
      next: `add \`backend:\` with one of ${BACKENDS.join(', ')}`,
    });
  if (isBackend(backend)) return backend;
  // A backend that is named alone is an endpoint of that name.
  const place = name === backend ? '' : ` (endpoint "${name}")`;
  throw configFailure('unknown-backend', `there is no backend "${backend}"${place}`, {
    at: source === 'built-in' ? (at ?? source) : source,
    detail: [`backends are ${BACKEND_NAMES.join(', ')}`],
    next:
      didYouMean(backend, BACKEND_NAMES) ??
      'choose another endpoint with -e (`chat endpoint list` shows them)',
  });
}

/** A header value `$NAME` is read from the environment, as a key is. */
function headersOf(
  headers: Readonly<Record<string, string>>,
  { name, source }: Definition,
  { mayRead, shadows }: Trust,
  { env }: EndpointWorld,
): Endpoint['headers'] {
  return Object.fromEntries(
    Object.entries(headers).map(([header, value]) => {
      const variable = /^\$\{?([A-Za-z_][A-Za-z0-9_]*)\}?$/.exec(value)?.[1];
      if (variable !== undefined && !mayRead(variable))
        throw keptBack(`${variable} is not sent`, { name, source, shadows });
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

/** A price stands for the model of its file: for another one it would make wrong numbers. */
function priceFor(
  model: string | undefined,
  { fields }: Definition,
  price: Price | undefined,
): { price?: Price } {
  if (price === undefined || (fields.model !== undefined && fields.model !== model)) return {};
  return { price };
}
