// Settings that go to a server as they are (temperature, seed …), as the types that it expects. Everything else in an endpoint's settings
// is for this program and stays here.

import type { Endpoint } from '../config/types.ts';
import { configFailure } from '../errors.ts';
import { type Fields, isObject, parseJson } from '../json.ts';

type Kind = 'number' | 'flag' | 'text' | 'json';

const named = (kind: Kind, names: string): readonly (readonly [string, Kind])[] =>
  names.split(' ').map((name) => [name, kind] as const);

/** Fields that servers of the Chat Completions family take. */
const FIELDS: ReadonlyMap<string, Kind> = new Map([
  ...named('number', 'temperature top_p top_k min_p top_a typical_p tfs_z seed top_logprobs'),
  ...named('number', 'presence_penalty frequency_penalty repetition_penalty repeat_penalty'),
  ...named('number', 'repeat_last_n mirostat mirostat_tau mirostat_eta xtc_probability'),
  ...named('number', 'xtc_threshold dry_multiplier dry_base dry_allowed_length'),
  ...named('number', 'dynatemp_range dynatemp_exponent min_tokens'),
  ...named('flag', 'logprobs ignore_eos store'),
  ...named('text', 'stop reasoning_effort service_tier verbosity user grammar'),
  ...named('json', 'chat_template_kwargs logit_bias metadata provider reasoning extra_body'),
]);

/** Fields of the body that are made from the chat, never from a setting. */
const RESERVED: ReadonlySet<string> = new Set(
  'model messages prompt stream stream_options tools tool_choice n_predict max_tokens max_completion_tokens n parallel_tool_calls response_format cache_prompt id_slot'.split(
    ' ',
  ),
);

/** Settings that carry a reserved name but mean something to this program. */
const OURS: ReadonlySet<string> = new Set([
  'stream',
  'max_tokens',
  'max_completion_tokens',
  'tool_choice',
]);

/** The fields that the endpoint sets; those of `extra_body`, an object, go out untouched. A null says "do not send" and stays null. */
export function samplingFields(endpoint: Endpoint): Fields {
  const result = new Map<string, unknown>();
  for (const [name, value] of Object.entries(endpoint.settings)) {
    const kind = FIELDS.get(name);
    if (kind === undefined || value === undefined || value === '') continue;
    const converted = convert(endpoint, name, kind, value);
    if (name !== 'extra_body') result.set(name, converted);
    else
      for (const [key, entry] of Object.entries(isObject(converted) ? converted : {}))
        if (!RESERVED.has(key)) result.set(key, entry);
  }
  // Also a field of the name __proto__ is one.
  return Object.fromEntries(result);
}

/** Names that are set but must not be, for a warning. */
export function reservedNames(endpoint: Endpoint): readonly string[] {
  const extra = endpoint.settings.extra_body;
  const inner = isObject(extra) ? extra : {};
  return [
    ...Object.keys(endpoint.settings).filter((name) => RESERVED.has(name) && !OURS.has(name)),
    ...Object.keys(inner).filter((name) => RESERVED.has(name)),
  ];
}

export const reservedWarnings = (
  { name: endpoint }: Endpoint,
  names: readonly string[],
): string[] => names.map((name) => `"${name}" cannot be set for endpoint ${endpoint}; left out`);

function convert(endpoint: Endpoint, name: string, kind: Kind, value: unknown): unknown {
  if (value === null || typeof value !== 'string' || kind === 'text') return value;
  const converted = fromText(kind, value.trim());
  if (converted !== undefined) return converted;
  throw configFailure('bad-setting', `"${name}" must be ${WANTED[kind]}, not "${value}"`, {
    at: `endpoint ${endpoint.name} (${endpoint.source}), or an option of the chat`,
    facts: { kind: 'configuration' },
  });
}

const WANTED = { number: 'a number', flag: 'true or false', json: 'a JSON object' } as const;

function fromText(kind: Exclude<Kind, 'text'>, value: string): unknown {
  if (kind === 'number')
    return value !== '' && Number.isFinite(Number(value)) ? Number(value) : undefined;
  const parsed = parseJson(value);
  if (kind === 'flag') return typeof parsed === 'boolean' ? parsed : undefined;
  return isObject(parsed) ? parsed : undefined;
}
