// The body of a request to Ollama's /api/chat. Pure: what a server refused so far comes in as a parameter.

import { configFailure } from '../../errors.ts';
import { type Fields, fields, isObject, parseJson } from '../../json.ts';
import { withoutNulls } from '../body-json.ts';
import { formatNote } from '../format-note.ts';
import { historyLevel } from '../openai/reasoning.ts';
import { reservedNames, reservedWarnings, samplingFields } from '../sampling.ts';
import { wireTools } from '../schemas.ts';
import { flagSetting, numberSetting, searchWarning, textSetting } from '../settings.ts';
import { toolChoice } from '../tool-choice.ts';
import { type WireNames, wireNames } from '../tool-names.ts';
import type { PromptRequest } from '../types.ts';
import { ollamaMessages } from './prompt.ts';

/** What a server or model does not take, as far as is known. */
export interface OllamaRefused {
  /** How thinking is asked for: by level, as yes or no, or not at all. */
  readonly think: 'level' | 'flag' | 'none';
}

export interface OllamaBody {
  readonly fields: Fields;
  readonly warnings: readonly string[];
  readonly names: WireNames;
}

/** Fields in the order of the protocol's documentation. */
export function ollamaBody(request: PromptRequest, refused: OllamaRefused): OllamaBody {
  const { endpoint, format } = request;
  const offered = offeredTools(request);
  const { tools, warnings: toolWarnings } = wireTools(offered.tools);
  const names = wireNames(tools);
  const level = refused.think === 'none' ? 'drop' : historyLevel(request, false);
  const { messages, warnings } = ollamaMessages(request, names, level);
  const { options, unknown } = optionsOf(request);
  // A form holds the model to it from its first word, so that it could not call a tool: then it is asked for in words.
  const held = format !== undefined && tools.length === 0;
  const extra = extraFields(request);
  const allOptions = { ...options, ...fields(extra.options) };
  const keepAlive = textSetting(endpoint, 'keep_alive');
  const body: Fields = {
    ...(endpoint.model === undefined ? {} : { model: endpoint.model }),
    messages: [
      ...messages,
      ...[request.note, formatNote(request, held)].flatMap((content) =>
        content === undefined ? [] : [{ role: 'user', content }],
      ),
    ],
    ...(tools.length === 0
      ? {}
      : {
          tools: tools.map(({ name, description, parameters }) => ({
            type: 'function',
            function: { name: names.toWire(name), description, parameters },
          })),
        }),
    ...(held ? { format } : {}),
    ...thinkField(request, refused),
    ...extra,
    ...(Object.keys(allOptions).length === 0 ? {} : { options: withoutNulls(allOptions) }),
    stream: flagSetting(endpoint, 'stream') ?? true,
    ...(keepAlive === undefined ? {} : { keep_alive: duration(keepAlive) }),
  };
  return {
    fields: body,
    names,
    warnings: [
      ...warnings,
      ...toolWarnings,
      ...offered.warnings,
      ...searchWarning(endpoint),
      ...unknown.map((name) => `Ollama has no "${name}"; left out`),
      ...reservedWarnings(endpoint, reservedNames(endpoint)),
    ],
  };
}

/** `tool_choice` is not part of the protocol: tools can be kept back, or only one be offered, and no more. */
function offeredTools(request: PromptRequest): Pick<PromptRequest, 'tools'> & {
  readonly warnings: readonly string[];
} {
  const { tools } = request;
  const choice = tools.length === 0 ? 'auto' : toolChoice(request);
  if (choice === 'auto') return { tools, warnings: [] };
  if (choice === 'none') return { tools: [], warnings: [] };
  const told = ['Ollama cannot make a model call a tool: "tool_choice" only says what is offered'];
  if (choice === 'required') return { tools, warnings: told };
  return { tools: tools.filter(({ name }) => name === choice.name), warnings: told };
}

const LEVELS: readonly unknown[] = ['low', 'medium', 'high', 'max'];

/** The level, from `thinking` or else from `reasoning_effort`. */
function thinkField({ endpoint }: PromptRequest, { think }: OllamaRefused): Fields {
  const { thinking, reasoning_effort: effort } = endpoint.settings;
  const said = thinking === undefined || thinking === 'default' ? effort : thinking;
  const off = said === 'off' || said === 'none' || said === false;
  if (think === 'none' || (!off && !LEVELS.includes(said))) return {};
  return { think: off ? false : think === 'flag' ? true : said };
}

/** The options of a model under Ollama's names. */
const OPTIONS: ReadonlyMap<string, string> = new Map(
  'temperature top_p top_k min_p typical_p tfs_z seed presence_penalty frequency_penalty repeat_penalty repeat_last_n mirostat mirostat_tau mirostat_eta stop'
    .split(' ')
    .map((name) => [name, name] as const)
    .concat([['repetition_penalty', 'repeat_penalty']]),
);

/** Fields that Ollama has beside its options, or that say here what another field says. */
const OTHERS: ReadonlySet<string> = new Set(['logprobs', 'top_logprobs', 'reasoning_effort']);

function optionsOf({ endpoint }: PromptRequest): { options: Fields; unknown: readonly string[] } {
  const { extra_body: _extra, ...settings } = endpoint.settings;
  const sampling = Object.entries(samplingFields({ ...endpoint, settings })).filter(
    ([, value]) => value !== null,
  );
  const limit =
    numberSetting(endpoint, 'max_tokens', 1) ?? numberSetting(endpoint, 'max_completion_tokens', 1);
  const window = contextSetting({ endpoint });
  const known = sampling.flatMap(([name, value]) => {
    const own = OPTIONS.get(name);
    return own === undefined ? [] : [[own, own === 'stop' ? [value].flat() : value] as const];
  });
  return {
    options: {
      ...Object.fromEntries(known),
      ...(limit === undefined ? {} : { num_predict: limit }),
      ...(window === undefined ? {} : { num_ctx: window }),
    },
    unknown: sampling
      .map(([name]) => name)
      .filter((name) => !OPTIONS.has(name) && !OTHERS.has(name)),
  };
}

/** How many tokens the model's window is to have, as the endpoint says. */
export function contextSetting({ endpoint }: Pick<PromptRequest, 'endpoint'>): number | undefined {
  return numberSetting(endpoint, 'num_ctx', 1) ?? numberSetting(endpoint, 'context_window', 1);
}

function extraFields({ endpoint }: PromptRequest): Fields {
  const { extra_body: given, logprobs, top_logprobs: top } = endpoint.settings;
  const extra = typeof given === 'string' ? parseJson(given) : given;
  if (extra !== undefined && extra !== null && !isObject(extra))
    throw configFailure('bad-setting', '"extra_body" must be a JSON object', {
      at: `endpoint ${endpoint.name} (${endpoint.source}), or an option of the chat`,
      facts: { kind: 'configuration' },
    });
  const reserved = new Set(reservedNames(endpoint));
  const asked = samplingFields({ ...endpoint, settings: { logprobs, top_logprobs: top } });
  return Object.fromEntries(
    Object.entries(fields(withoutNulls({ ...asked, ...fields(extra) }))).filter(
      ([name]) => !reserved.has(name),
    ),
  );
}

/** Seconds as a number, anything else (`10m`, `-1`) as it stands. */
const duration = (value: string): string | number =>
  /^-?\d+$/.test(value) ? Number(value) : value;
