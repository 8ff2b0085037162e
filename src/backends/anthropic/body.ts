// The body of a Messages request. Pure: what hosts refused so far comes in as a parameter.

import type { Endpoint } from '../../config/types.ts';
import { type Fields, fields } from '../../json.ts';
import { withoutNulls } from '../body-json.ts';
import { formatNote } from '../format-note.ts';
import { reservedNames, reservedWarnings, samplingFields } from '../sampling.ts';
import { choiceSetting, flagSetting, numberSetting, searchWarning } from '../settings.ts';
import type { WireNames } from '../tool-names.ts';
import type { PromptRequest } from '../types.ts';
import { markedMessages, marking, systemBlocks } from './cache.ts';
import { formatField } from './format.ts';
import { dialectOf } from './place.ts';
import { toTurns } from './prompt.ts';
import type { History } from './replay.ts';
import { type Made, thinkingFields, withoutGap, withRoom } from './thinking.ts';
import { toolFields } from './tools.ts';

/** What a host or a model does not take, as far as is known. */
export interface Refused {
  /** `thinking.display`. */
  readonly display: boolean;
  /** Levels of thinking: it wants a budget. */
  readonly levels: boolean;
  /** Marks for the cache. */
  readonly marks: boolean;
  /** A schema for the answer. */
  readonly format: boolean;
  /** Calls in the history of a request without tools. */
  readonly toolless?: boolean;
  /** Names of tools that are left out of this run. */
  readonly tools?: ReadonlySet<string>;
  /** Thinking, asked for or given back, in the turn as it stands. */
  readonly thinking?: boolean;
  /** Answers longer than this. */
  readonly cap?: number;
  /** The longest answer that the model list names. */
  readonly listed?: number;
}

export const NOTHING_REFUSED: Refused = {
  display: false,
  levels: false,
  marks: false,
  format: false,
};

export interface Body {
  readonly fields: Fields;
  readonly warnings: readonly string[];
  readonly names: WireNames;
  /** What is asked of the provider's cache, for the log. */
  readonly cache?: string;
}

/** The longest answer that is asked for when nothing else is said: the field must be there. */
const LONGEST_ANSWER = 64_000;

/** Fields in a fixed order; those that settings add come last. A setting that is null is not sent. */
export function toBody(request: PromptRequest, refused = NOTHING_REFUSED): Body {
  const { endpoint } = request;
  const { dialect, warnings } = dialectOf(endpoint);
  const own = ownOptions(endpoint);
  const thinking = thinkingFields(endpoint, {
    ...(dialect.display === undefined || refused.display ? {} : { display: dialect.display }),
    budget: refused.levels,
    none: refused.thinking === true,
  });
  const options = { ...thinking.fields, ...own.fields };
  const wanted = refused.thinking === true ? undefined : options.thinking;
  const most = limits(endpoint, refused);
  const possible = withRoom(...most, wanted);
  const offered = request.tools.filter(({ name }) => refused.tools?.has(name) !== true);
  const tools = toolFields(
    { ...request, tools: offered },
    {
      budget: fields(possible.thinking).type === 'enabled',
      named: refused.toolless === true,
    },
  );
  const { mark, ...marks } = marking(endpoint);
  const useMarks = dialect.marks && !refused.marks && mark !== undefined;
  const notes = [request.note, formatNote(request, !refused.format)];
  const translation = toTurns(request, {
    history: refused.thinking === true ? 'none' : historyOf(endpoint, options.thinking),
    names: tools.names,
    notes: notes.flatMap((note) => note ?? []),
  });
  const room = withoutGap(possible, translation.turns, most);
  const system = systemBlocks(endpoint, translation.system, useMarks ? mark : undefined);
  const output = {
    ...fields(thinking.fields.output_config),
    ...fields(own.fields.output_config),
    ...definedOnly({ format: formatField(request, refused.format) }),
  };
  const { thinking: _thinking, output_config: _output, ...rest } = options;
  return {
    fields: definedOnly({
      model: endpoint.model,
      max_tokens: room.limit,
      system: system.length === 0 ? undefined : system,
      messages: markedMessages(translation.turns, useMarks ? mark : undefined),
      stream: flagSetting(endpoint, 'stream') ?? true,
      ...tools.fields,
      thinking: room.thinking,
      output_config: Object.keys(output).length === 0 ? undefined : output,
      ...rest,
    }),
    names: tools.names,
    ...(useMarks ? { cache: mark.ttl === undefined ? 'on' : String(mark.ttl) } : {}),
    warnings: [
      ...warnings,
      ...(dialect.marks ? marks.warnings : []),
      ...thinking.warnings,
      ...room.warnings,
      ...tools.warnings,
      ...translation.warnings,
      ...own.warnings,
    ],
  };
}

const definedOnly = (value: Fields): Fields =>
  Object.fromEntries(Object.entries(value).filter(([, each]) => each !== undefined));

/** The longest answer wanted, and the most that is known to be possible. */
function limits(endpoint: Endpoint, { cap, listed }: Refused): [number, number | undefined] {
  const set =
    numberSetting(endpoint, 'max_tokens', 1) ?? numberSetting(endpoint, 'max_completion_tokens', 1);
  // What is left of the run's budget may not be exceeded for the sake of thinking.
  const left = numberSetting(endpoint, 'answer_limit', 1);
  const known = [cap, left, set === undefined ? listed : undefined].filter(
    (each) => each !== undefined,
  );
  return [
    set ?? Math.min(listed ?? LONGEST_ANSWER, LONGEST_ANSWER),
    known.length === 0 ? undefined : Math.min(...known),
  ];
}

/**
 * A tool loop without its own thinking is refused: `drop` leaves out what stands before the last question. Where thinking is switched off, that
 * of the past is refused.
 */
function historyOf(endpoint: Endpoint, thinking: unknown): History {
  if (fields(thinking).type === 'disabled') return 'none';
  const level = choiceSetting(endpoint, 'reasoning_history', ['drop', 'turn', 'all']) ?? 'all';
  return level === 'all' ? 'all' : 'turn';
}

/** Fields of other protocols that may be set for all endpoints of a chat, and have no meaning here. */
const FOREIGN: ReadonlySet<string> = new Set(
  'reasoning_effort chat_template_kwargs stream_options prompt_cache_key logprobs top_logprobs max_completion_tokens'.split(
    ' ',
  ),
);

/** Sampling as it is set, under this protocol's names. What is made from the chat cannot be set. */
function ownOptions(endpoint: Endpoint): Made {
  const { stop, user, metadata, ...sampling } = samplingFields(endpoint);
  const reserved = [...reservedNames(endpoint), ...('system' in sampling ? ['system'] : [])];
  const kept = Object.entries(sampling).filter(
    ([name]) => !FOREIGN.has(name) && !reserved.includes(name),
  );
  const named = {
    ...(stop === undefined || stop === null ? {} : { stop_sequences: [stop].flat() }),
    ...(user === undefined && metadata === undefined
      ? {}
      : { metadata: { ...fields(metadata), ...(user ? { user_id: user } : {}) } }),
  };
  return {
    fields: fields(withoutNulls({ ...Object.fromEntries(kept), ...named })),
    warnings: [...reservedWarnings(endpoint, reserved), ...searchWarning(endpoint)],
  };
}
