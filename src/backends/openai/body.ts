// The body of a Chat Completions request. Pure: what servers refused so far comes in as a parameter.

import { type Fields, fields } from '../../json.ts';
import { withoutNulls } from '../body-json.ts';
import { cacheSetting } from '../cache-setting.ts';
import { formatNote } from '../format-note.ts';
import { reservedNames, reservedWarnings, samplingFields } from '../sampling.ts';
import { wireTools } from '../schemas.ts';
import { choiceSetting, flagSetting, numberSetting, searchWarning } from '../settings.ts';
import { thinkingLevel } from '../thinking-level.ts';
import { toolChoice } from '../tool-choice.ts';
import { type WireNames, wireNames } from '../tool-names.ts';
import type { PromptRequest } from '../types.ts';
import { marked } from './marks.ts';
import { isOriginal, type Preset, placeOf } from './place.ts';
import { toWireMessages, type WireMessage } from './prompt.ts';
import { historyLevel } from './reasoning.ts';

/** The two names of the output limit, the older one first. */
export const LIMITS = ['max_tokens', 'max_completion_tokens'] as const;
export type LimitName = (typeof LIMITS)[number];

/** What a server does not take, as far as is known. */
export interface Refused {
  /** Fields that are left out. */
  readonly fields: ReadonlySet<string>;
  /** The name of the output limit that is taken, where another one was not. */
  readonly limit: LimitName | undefined;
  /** How `response_format` is asked for; the schema then goes into the prompt in words. */
  readonly format: 'schema' | 'object' | 'none';
  /** That is so for the schema of this request alone. */
  readonly oneSchema?: boolean;
  /** Saved reasoning is not sent back. */
  readonly history: boolean;
  /** No part is marked for the prompt cache. */
  readonly marks: boolean;
  /** Names of tools that are left out of this run. */
  readonly tools: ReadonlySet<string>;
}

export const NOTHING_REFUSED: Refused = {
  fields: new Set(),
  limit: undefined,
  format: 'schema',
  history: false,
  marks: false,
  tools: new Set(),
};

export interface Body {
  readonly fields: Fields;
  readonly warnings: readonly string[];
  readonly names: WireNames;
}

/** Fields in the order of the protocol's documentation. A setting that is null is not sent. */
export function toBody(preset: Preset, request: PromptRequest, refused = NOTHING_REFUSED): Body {
  const { endpoint } = request;
  const original = isOriginal(preset, endpoint);
  const place = placeOf(preset, endpoint, '');
  const offered = request.tools.filter(({ name }) => !refused.tools.has(name));
  const { tools, warnings: toolWarnings } = wireTools(offered);
  const names = wireNames(tools);
  const { messages, warnings } = toWireMessages(request, {
    developer: original,
    reasoning: refused.history ? 'drop' : historyLevel(request, original),
    names,
  });
  const streamed = flagSetting(endpoint, 'stream') ?? true;
  const thinking = thinkingLevel(endpoint);
  const body: Fields = {
    ...(endpoint.model === undefined ? {} : { model: endpoint.model }),
    messages: [
      ...(refused.marks ? messages : marked(messages, request, place)),
      ...notes(request, refused),
    ],
    stream: streamed,
    ...(streamed ? { stream_options: { include_usage: true } } : {}),
    ...toolFields({ ...request, tools }, names),
    ...sessionKey(request, place),
    ...fields(
      withoutNulls(merged(thinkingFields(thinking.level, original), samplingFields(endpoint))),
    ),
    ...limitFields(request, original, refused),
    ...formatFields(request, refused),
  };
  return {
    fields: Object.fromEntries(Object.entries(body).filter(([name]) => !refused.fields.has(name))),
    warnings: [
      ...warnings,
      ...toolWarnings,
      ...thinking.warnings,
      ...searchWarning(endpoint),
      ...reservedWarnings(endpoint, reservedNames(endpoint)),
    ],
    names,
  };
}

function toolFields(request: PromptRequest, names: WireNames): Fields {
  if (request.tools.length === 0) return {};
  const choice = toolChoice(request);
  return {
    tools: request.tools.map(({ name, description, parameters }) => ({
      type: 'function',
      function: { name: names.toWire(name), description, parameters },
    })),
    tool_choice:
      typeof choice === 'string'
        ? choice
        : { type: 'function', function: { name: names.toWire(choice.name) } },
  };
}

/** These two keep what one run sends together, when they are told which run it is. */
function sessionKey({ endpoint, sessionId }: PromptRequest, { hostname }: URL): Fields {
  const known = hostname === 'api.openai.com' || hostname === 'openrouter.ai';
  return known && cacheSetting(endpoint).session ? { prompt_cache_key: sessionId } : {};
}

/** Servers honour one field or the other; the original knows only its own. */
function thinkingFields(
  level: ReturnType<typeof thinkingLevel>['level'],
  original: boolean,
): Fields {
  if (level !== 'off') return level === undefined ? {} : { reasoning_effort: level };
  return {
    ...(original ? {} : { chat_template_kwargs: { enable_thinking: false } }),
    reasoning_effort: 'none',
  };
}

/** A configured field wins; template arguments are joined one by one. */
function merged(thinking: Fields, sampling: Fields): Fields {
  const both = { ...thinking, ...sampling };
  if (thinking.chat_template_kwargs === undefined || sampling.chat_template_kwargs === undefined)
    return both;
  return {
    ...both,
    chat_template_kwargs: {
      ...fields(thinking.chat_template_kwargs),
      ...fields(sampling.chat_template_kwargs),
    },
  };
}

/** The one output limit, under the name that the server knows: what a refusal taught, else as `max_tokens_field` says, else the provider's. */
function limitFields({ endpoint }: PromptRequest, original: boolean, refused: Refused): Fields {
  const newName = numberSetting(endpoint, 'max_completion_tokens', 1);
  const limit = numberSetting(endpoint, 'max_tokens', 1) ?? newName;
  if (limit === undefined) return {};
  const usual = original || newName !== undefined ? 'max_completion_tokens' : 'max_tokens';
  return { [refused.limit ?? choiceSetting(endpoint, 'max_tokens_field', LIMITS) ?? usual]: limit };
}

function formatFields({ format }: PromptRequest, refused: Refused): Fields {
  if (format === undefined || refused.format === 'none') return {};
  if (format === 'json' || refused.format === 'object')
    return { response_format: { type: 'json_object' } };
  return {
    response_format: {
      type: 'json_schema',
      json_schema: { name: 'answer', schema: format, strict: false },
    },
  };
}

/** What is said at the end and stands in no chat. */
function notes(request: PromptRequest, refused: Refused): readonly WireMessage[] {
  const said = [request.note, formatNote(request, refused.format === 'schema')];
  return said.flatMap((content) => (content === undefined ? [] : [{ role: 'user', content }]));
}
