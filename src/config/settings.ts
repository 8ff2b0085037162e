// Every setting by name, with the kind of its value. The same table checks endpoint files, chats, the command line and the environment.

import { configFailure, usageFailure } from '../errors.ts';
import { didYouMean } from '../nearest.ts';
import type { Options, Origin, Warn } from '../types.ts';
import type { Environment } from '../world/types/world.ts';
import {
  either,
  flag,
  mapping,
  number,
  text,
  texts,
  type ValueKind,
  whole,
  word,
  words,
} from './kinds.ts';
import type { Settings } from './types.ts';

/** Sent to the model. */
const SAMPLING: Readonly<Record<string, ValueKind>> = {
  temperature: number(0),
  top_p: number(0, 1),
  top_k: whole(-1),
  min_p: number(0, 1),
  typical_p: number(0, 1),
  top_a: number(),
  tfs_z: number(),
  frequency_penalty: number(),
  presence_penalty: number(),
  repetition_penalty: number(),
  repeat_penalty: number(),
  repeat_last_n: whole(),
  mirostat: whole(0),
  mirostat_tau: number(),
  mirostat_eta: number(),
  xtc_probability: number(0, 1),
  xtc_threshold: number(),
  dry_multiplier: number(),
  dry_base: number(),
  dry_allowed_length: whole(),
  dynatemp_range: number(),
  dynatemp_exponent: number(),
  seed: whole(),
  ignore_eos: flag,
  stop: texts,
  logit_bias: mapping,
  logprobs: flag,
  top_logprobs: whole(0),
  max_tokens: whole(1),
  max_completion_tokens: whole(1),
  min_tokens: whole(0),
  grammar: text,
  verbosity: text,
  service_tier: text,
  store: flag,
  user: text,
  metadata: mapping,
  provider: mapping,
  reasoning: mapping,
};

/** How a backend speaks and how long it waits. Times are seconds. */
const ADAPTER: Readonly<Record<string, ValueKind>> = {
  thinking: word('off', 'low', 'medium', 'high', 'default'),
  auth: word('bearer', 'x-api-key', 'api-key', 'none'),
  dialect: text,
  cache: either(flag, mapping, text),
  cache_split: whole(1),
  session_header: text,
  reasoning_history: word('drop', 'turn', 'all'),
  reasoning_effort: text,
  reasoning_summary: text,
  max_tokens_field: word('max_tokens', 'max_completion_tokens'),
  tool_choice: text,
  previous_response: flag,
  websearch: flag,
  stream: flag,
  remote: flag,
  request_timeout: number(0),
  connect_timeout: number(0),
  first_token_timeout: number(0),
  retry_max: whole(0),
  retry_base: number(0),
  context_window: whole(1),
  num_ctx: whole(1),
  keep_alive: text,
  chat_template_kwargs: mapping,
  extra_body: mapping,
  gpu: either(flag, text),
  threads: whole(0),
  recording: text,
};

/** How a run goes on. These may also come from the environment, under their names in capitals. */
const RUN: Readonly<Record<string, ValueKind>> = {
  max_rounds: whole(1),
  tool_concurrency: whole(1),
  tool_timeout: number(0),
  ask_agents: whole(1),
  max_depth: whole(1),
  job_exceptions: flag,
  max_content_length: whole(1),
  prompt_strategies: words,
  full_tool_outputs: whole(0),
  max_tool_chars: whole(0),
  max_tool_calls: whole(0),
  max_tool_outputs: whole(0),
  epoch_size: whole(1),
  epoch_threshold: whole(0),
  epoch_full: whole(0),
  epoch_compacted: whole(0),
  epoch_growth: whole(0),
  epoch_growth_every: whole(1),
  epoch_size_max: whole(1),
  epoch_compacted_growth: whole(0),
  epoch_compacted_max: whole(0),
  shortened_argument: whole(1),
  shortened_output: whole(1),
  mcp_timeout: number(0),
  mcp_start_timeout: number(0),
};

/** All of them. */
export const SETTINGS: Readonly<Record<string, ValueKind>> = {
  ...SAMPLING,
  ...ADAPTER,
  ...RUN,
  persist: flag,
};

/** Options that say something else than a setting of the endpoint; whoever needs them reads them as text. */
export const OTHER_OPTIONS: ReadonlySet<string> = new Set([
  'endpoint',
  'model',
  'backend',
  'agent',
  'format',
  'previous_response_id',
  'url',
  'key',
  'key_env',
]);

/**
 * Text values as settings. `where` says where each came from. A value of the wrong kind is a usage Failure (exit 2) at its
 * place; a name that is no setting is warned about, with the nearest one, and left out.
 */
export function coerceSettings(
  options: Options,
  where: (name: string) => Origin | string | undefined,
  warn: Warn,
): Settings {
  const settings: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(options)) {
    const kind = kindOf(name);
    const at = where(name);
    if (kind !== undefined) settings[name] = readSetting(name, value, kind, at);
    else if (!OTHER_OPTIONS.has(name)) warn(unknownSetting(name, at));
  }
  return settings;
}

/** What is wrong with a setting that a chat has, in words; undefined when it can be set so. */
export function settingProblem(name: string, value: string): string | undefined {
  if (NOT_IN_CHATS.has(name)) return `"${name}" cannot be set in a chat`;
  const kind = kindOf(name);
  if (kind === undefined)
    return OTHER_OPTIONS.has(name) ? undefined : unknownSetting(name, undefined).message;
  return kind.read(value) === undefined ? misfit(name, value, kind) : undefined;
}

/** A chat or an agent says what is asked, never where a key goes. */
export const NOT_IN_CHATS: ReadonlySet<string> = new Set([
  'url',
  'key',
  'key_env',
  'key_cmd',
  'headers',
]);

export const kindOf = (name: string): ValueKind | undefined =>
  Object.hasOwn(SETTINGS, name) ? SETTINGS[name] : undefined;

function readSetting(
  name: string,
  value: string,
  kind: ValueKind,
  at: Origin | string | undefined,
) {
  const read = kind.read(value);
  if (read !== undefined) return read;
  throw usageFailure('bad-option', misfit(name, value, kind), at === undefined ? {} : { at });
}

const misfit = (name: string, value: string, kind: ValueKind): string =>
  `the option "${name}" takes ${kind.expected}, not "${value.slice(0, 80)}"`;

function unknownSetting(name: string, at: Origin | string | undefined) {
  const near = didYouMean(name, [...Object.keys(SETTINGS), ...OTHER_OPTIONS]);
  const place = typeof at === 'string' ? ` (${at})` : '';
  return {
    code: 'unknown-option',
    message: `unknown option "${name}"${place} has no effect${near === undefined ? '' : `; ${near}`}`,
    ...(at === undefined || typeof at === 'string' ? {} : { origin: at }),
  };
}

/** Settings of the run that the environment holds, `MAX_ROUNDS=5` for `max_rounds`. A wrong value is a configuration Failure (exit 3). */
export function environmentSettings(env: Environment): Settings {
  const found: Record<string, unknown> = {};
  for (const [name, kind] of Object.entries(RUN)) {
    const variable = name.toUpperCase();
    const value = env[variable];
    if (value === undefined || value.trim() === '') continue;
    const read = kind.read(value);
    if (read === undefined)
      throw configFailure(
        'bad-environment',
        `${variable} takes ${kind.expected}, not "${value.slice(0, 80)}"`,
        {
          at: 'environment',
        },
      );
    found[name] = read;
  }
  return found;
}
