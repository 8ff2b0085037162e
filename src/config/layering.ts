// The options of the command line, the chat and the agent laid over each other and over what an endpoint file says.

import type { ConfigSetting } from '../chat/types.ts';
import { usageFailure } from '../errors.ts';
import type { Options, Origin } from '../types.ts';
import type { EndpointFields } from './builtin.ts';
import type { Sources } from './choice.ts';
import { addressOf, presetOf } from './definitions.ts';
import { address } from './kinds.ts';
import { kindOf, NOT_IN_CHATS } from './settings.ts';

/** Fails (exit 2) when a chat or an agent says where a key goes. */
export function refuseForeignAddresses({ chat = {}, agent = {}, origins = {} }: Sources): void {
  for (const [options, where] of [
    [chat, 'a chat'],
    [agent, 'the start chat of an agent'],
  ] as const)
    for (const name of NOT_IN_CHATS) {
      if (options[name] === undefined) continue;
      const at = where === 'a chat' ? origins[name] : undefined;
      throw usageFailure('option-not-allowed', `"${name}" cannot be set in ${where}`, {
        ...(at === undefined ? {} : { at }),
        next: `write it into an endpoint file (etc/AI/NAME.yaml), or give \`-o ${name}=…\``,
      });
    }
}

export interface Layered {
  readonly values: Options;
  where(name: string): Origin | string | undefined;
}

/** The sources with what the chat configured (`config:`) put below its options, without what is meant for another endpoint or something else. */
export function withConfigured(
  sources: Sources,
  configured: readonly ConfigSetting[],
  endpoint?: string,
): Sources {
  const fitting = configured.filter(
    ({ key, tokens }) =>
      (CHOOSING.has(key) || kindOf(key) !== undefined) &&
      (tokens.length === 0 || tokens.some((token) => ['ask', 'llm', endpoint].includes(token))),
  );
  const values = fitting.map(({ key, value }) => [key, value] as const);
  const places = fitting.flatMap(({ key, origin }) =>
    origin === undefined ? [] : [[key, origin] as const],
  );
  return {
    ...sources,
    chat: { ...Object.fromEntries(values), ...sources.chat },
    origins: { ...Object.fromEntries(places), ...sources.origins },
  };
}

const CHOOSING: ReadonlySet<string> = new Set(['endpoint', 'backend', 'model']);

/** The options of all sources as one, and where each came from. */
export function layered({ flags = {}, chat = {}, agent = {}, origins = {} }: Sources): Layered {
  const { backend: _backend, ...values } = { ...agent, ...chat, ...flags };
  // A backend belongs to the endpoint that is named beside it, and is no word about one that is named by a stronger source.
  const naming = [flags, chat, agent].find((each) => each.endpoint ?? each.backend);
  const all = Object.entries({ ...values, backend: naming?.backend ?? '' });
  return {
    // Nothing takes away what weaker sources say.
    values: Object.fromEntries(all.filter(([, value]) => !['', 'nil'].includes(value.trim()))),
    where: (name) => {
      if (Object.hasOwn(flags, name)) return 'command line';
      return Object.hasOwn(chat, name) ? origins[name] : 'agent';
    },
  };
}

/** What the file says, with the address, key and backend that were given instead. A key goes to the host that it was written down for, and so do headers, which may hold one. */
export function withFlags(fields: EndpointFields, flags: Options, values: Options): EndpointFields {
  const url = flags.url === undefined ? undefined : address.read(flags.url);
  if (flags.url !== undefined && typeof url !== 'string')
    throw usageFailure(
      'bad-option',
      `the option "url" takes ${address.expected}, not "${flags.url}"`,
      {
        at: 'command line',
      },
    );
  const { key, key_env, key_cmd, headers, ...rest } = fields;
  const given = flags.key !== undefined || flags.key_env !== undefined;
  const own = isElsewhere(url, fields.url) ? {} : { key, key_env, key_cmd, headers };
  const keys = given ? { ...own, key: flags.key, key_env: flags.key_env, key_cmd: undefined } : own;
  const backend = values.backend ?? rest.backend;
  const preset = backend === undefined ? undefined : presetOf(backend);
  const usual = backend === undefined ? undefined : (preset?.url ?? addressOf(backend));
  const changed = {
    ...keys,
    backend: preset?.backend ?? backend,
    url: typeof url === 'string' ? url : (rest.url ?? usual),
  };
  const set = Object.entries(changed).filter(([, value]) => value !== undefined);
  return { ...rest, ...Object.fromEntries(set) };
}

function isElsewhere(url: unknown, usual: string | undefined): boolean {
  if (typeof url !== 'string' || usual === undefined) return false;
  return new URL(url).origin !== new URL(usual).origin;
}
