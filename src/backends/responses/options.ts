// The settings of an endpoint as fields of a Responses request: reasoning, sampling, the output limit. Pure.

import type { Endpoint } from '../../config/types.ts';
import { type Fields, fields } from '../../json.ts';
import { withoutNulls } from '../body-json.ts';
import { reservedWarnings, samplingFields } from '../sampling.ts';
import { numberSetting, textSetting } from '../settings.ts';
import { thinkingLevel } from '../thinking-level.ts';
import type { PromptRequest } from '../types.ts';
import type { Known } from './known.ts';
import { isOriginal } from './place.ts';

export interface OptionFields {
  readonly fields: Fields;
  /** What goes beside the form of the answer. */
  readonly text: Fields;
  readonly warnings: readonly string[];
}

/** Settings that the protocol takes under their own names. */
const PLAIN: ReadonlySet<string> = new Set(
  'temperature top_p top_logprobs service_tier user metadata'.split(' '),
);
/** Settings that are sent in a form of their own. */
const HANDLED: ReadonlySet<string> = new Set(
  'reasoning reasoning_effort verbosity store'.split(' '),
);
/** Fields that are made from the chat or from other settings, never from `extra_body`. */
const RESERVED: ReadonlySet<string> = new Set(
  'model input instructions stream store background conversation previous_response_id tool_choice max_output_tokens'.split(
    ' ',
  ),
);
/** Parts of `extra_body` that join fields of the same name. */
const JOINED: ReadonlySet<string> = new Set(['text', 'reasoning', 'include', 'tools']);

/** A setting that the protocol does not have is left out with a warning; other servers than the original may know it, and get it. */
export function optionFields({ endpoint }: PromptRequest, known: Known): OptionFields {
  const { extra_body: given, ...settings } = endpoint.settings;
  const extra = fields(given);
  const sampling = samplingFields({ ...endpoint, settings });
  const original = isOriginal(endpoint);
  const names = Object.keys(sampling).filter((name) => !HANDLED.has(name));
  const foreign = names.filter((name) => original && !PLAIN.has(name));
  const sent = names.filter((name) => !foreign.includes(name));
  const reasoning = reasoningFields(endpoint, sampling, known, fields(extra.reasoning));
  const reserved = Object.keys(extra).filter((name) => RESERVED.has(name));
  const added = Object.entries(extra).filter(([name]) => !RESERVED.has(name) && !JOINED.has(name));
  return {
    fields: cleaned({
      ...reasoning.fields,
      ...limitFields(endpoint, known),
      ...Object.fromEntries(sent.map((name) => [name, sampling[name]])),
      ...Object.fromEntries(added),
    }),
    text: cleaned({ verbosity: sampling.verbosity, ...fields(extra.text) }),
    warnings: [
      ...reasoning.warnings,
      ...foreign.map((name) => `"${name}" is no part of the Responses protocol; left out`),
      ...reservedWarnings(endpoint, reserved),
    ],
  };
}

const cleaned = (value: Fields): Fields => fields(withoutNulls(value));

/** Where reasoning is asked for, its summary is too, unless `reasoning_summary` says otherwise. What is configured for the provider wins. */
function reasoningFields(
  endpoint: Endpoint,
  sampling: Fields,
  known: Known,
  extra: Fields,
): { readonly fields: Fields; readonly warnings: readonly string[] } {
  const { level, warnings } = thinkingLevel(endpoint);
  const effort = level === 'off' ? known.least : level;
  const asked = level === undefined || level === 'off' ? undefined : 'auto';
  const summary = textSetting(endpoint, 'reasoning_summary') ?? asked;
  const reasoning = cleaned({
    effort: sampling.reasoning_effort ?? effort,
    summary: summary === 'none' || summary === 'off' ? undefined : summary,
    ...fields(sampling.reasoning),
    ...extra,
  });
  return { fields: Object.keys(reasoning).length === 0 ? {} : { reasoning }, warnings };
}

/** The one output limit, whatever name it was set under, within what the model can. */
function limitFields(endpoint: Endpoint, { limit }: Known): Fields {
  const wanted =
    numberSetting(endpoint, 'max_tokens', 1) ?? numberSetting(endpoint, 'max_completion_tokens', 1);
  if (wanted === undefined) return {};
  return { max_output_tokens: limit === undefined ? wanted : Math.min(wanted, limit) };
}
