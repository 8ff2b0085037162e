// The body of a Responses request. Pure: what the server refused so far comes in as a parameter.

import { type Fields, fields, list } from '../../json.ts';
import { cacheSetting } from '../cache-setting.ts';
import { formatNote } from '../format-note.ts';
import { withoutOldImages } from '../old-images.ts';
import { flagSetting } from '../settings.ts';
import type { WireNames } from '../tool-names.ts';
import type { PromptRequest } from '../types.ts';
import type { Entry } from './answer.ts';
import { type Continuation, continuation, historyDigest } from './chain.ts';
import { FRESH_RUN, type Known, mayContinue, NOTHING_KNOWN, type RunState } from './known.ts';
import { optionFields } from './options.ts';
import { isOriginal, placeKey } from './place.ts';
import { type Translation, toInput } from './prompt.ts';
import { toolFields } from './tools.ts';

export interface Body {
  readonly fields: Fields;
  readonly warnings: readonly string[];
  readonly names: WireNames;
  /** The response that the request goes on from. */
  readonly continues?: string;
  /** What an answer to it is kept with. */
  readonly keeps: Keeps;
}

export interface Keeps {
  /** Server and model. */
  readonly place: string;
  /** The provider keeps the answer. */
  readonly stored: boolean;
  /** Of what the answer is made from; absent when no later request may go on from it. */
  readonly history?: string;
}

/**
 * Only what stands behind the answer that is gone on from is sent; with nothing to go on from, all of it. A setting that is null is not sent.
 */
export function toBody(request: PromptRequest, known = NOTHING_KNOWN, run = FRESH_RUN): Body {
  const { endpoint } = request;
  const place = placeKey(endpoint);
  const tools = toolFields(request, run.tools);
  const input = toInput(request, tools.names, run.replay);
  const form = known.format === 'schema' ? (run.format ?? known.format) : known.format;
  const notes = noteItems(request, form);
  const chain = mayChain(request, known, run);
  const found = chain ? continuation(input, place) : undefined;
  const from = found !== undefined && !run.lost.has(found.id) ? found : undefined;
  const options = optionFields(request, known);
  const body: Fields = {
    ...(endpoint.model === undefined ? {} : { model: endpoint.model }),
    ...storeFields(request, chain),
    ...includeFields(request, chain),
    stream: flagSetting(endpoint, 'stream') ?? true,
    ...(from === undefined ? {} : { previous_response_id: from.id }),
    ...(input.instructions === undefined ? {} : { instructions: input.instructions }),
    input: [
      ...sentEntries(request, tools.names, run, input, from).map(({ item }) => item),
      ...notes,
    ],
    ...tools.fields,
    ...formatFields(request, form, options.text),
    ...options.fields,
    ...sessionKey(request),
  };
  return {
    fields: without(body, known.left),
    warnings: [...input.warnings, ...tools.warnings, ...options.warnings],
    names: tools.names,
    keeps: {
      place,
      stored: body.store !== false,
      // What was said at the end and stands in no chat is part of that answer's history, and of no other.
      ...(chain && notes.length === 0 ? { history: historyDigest(input, place, from?.named) } : {}),
    },
    ...(from === undefined ? {} : { continues: from.id }),
  };
}

/** What stands behind the answer that is gone on from; else all, without the images of tools that are too many for one request. */
function sentEntries(
  request: PromptRequest,
  names: WireNames,
  { replay }: RunState,
  { entries }: Translation,
  from: Continuation | undefined,
): readonly Entry[] {
  if (from !== undefined) return entries.slice(from.from);
  const messages = withoutOldImages(request.messages);
  return messages === request.messages
    ? entries
    : toInput({ ...request, messages }, names, replay).entries;
}

/** The provider can only go on from what it keeps. */
function mayChain({ endpoint }: PromptRequest, known: Known, run: RunState): boolean {
  if (flagSetting(endpoint, 'previous_response') === false) return false;
  return flagSetting(endpoint, 'store') !== false && mayContinue(known, run);
}

/** Where nothing is gone on from, nothing need be kept at the provider. */
function storeFields({ endpoint }: PromptRequest, chain: boolean): Fields {
  const store = flagSetting(endpoint, 'store') ?? (chain ? undefined : false);
  return store === undefined ? {} : { store };
}

/** Where the provider keeps nothing, its reasoning has to come along to be sent back. */
function includeFields(request: PromptRequest, chain: boolean): Fields {
  const own = list(fields(request.endpoint.settings.extra_body).include);
  const sealed = storeFields(request, chain).store === false ? ['reasoning.encrypted_content'] : [];
  const all = [...new Set([...sealed, ...own])];
  return all.length === 0 ? {} : { include: all };
}

function sessionKey({ endpoint, sessionId }: PromptRequest): Fields {
  const named = isOriginal(endpoint) && cacheSetting(endpoint).session;
  return named ? { prompt_cache_key: sessionId } : {};
}

function formatFields({ format }: PromptRequest, known: Form, more: Fields): Fields {
  const form = formOf(format, known);
  const text = { ...(form === undefined ? {} : { format: form }), ...more };
  return Object.keys(text).length === 0 ? {} : { text };
}

type Form = Known['format'];

function formOf(format: PromptRequest['format'], form: Form): Fields | undefined {
  if (format === undefined || form === 'none') return undefined;
  if (format === 'json' || form === 'object') return { type: 'json_object' };
  return { type: 'json_schema', name: 'answer', schema: format, strict: false };
}

/** What is said at the end and stands in no chat. */
function noteItems(request: PromptRequest, form: Form): readonly Fields[] {
  return [request.note, formatNote(request, form === 'schema')].flatMap((text) =>
    text === undefined ? [] : [{ role: 'user', content: [{ type: 'input_text', text }] }],
  );
}

/** Fields are left out as a whole, or one inside another; an object that has none left goes too. */
function without(body: Fields, left: ReadonlySet<string>): Fields {
  const entries = Object.entries(body).flatMap(([name, value]): [string, unknown][] => {
    if (left.has(name)) return [];
    const inner = [...left].filter((each) => each.startsWith(`${name}.`));
    if (inner.length === 0) return [[name, value]];
    const rest = Object.entries(fields(value)).filter(([each]) => !left.has(`${name}.${each}`));
    return rest.length === 0 ? [] : [[name, Object.fromEntries(rest)]];
  });
  return Object.fromEntries(entries);
}
