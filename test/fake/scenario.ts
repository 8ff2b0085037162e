// Scenario files: YAML that says what a fake server answers. Short forms are made long here; an unknown key is an error.

import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { type Fields, fields, isObject, list, text } from '../../src/json.ts';
import type { Part, Refusal, Reply, ReplyError, Scenario, When } from './types.ts';

/** The scenario of a file. Throws an Error that names the file. */
export function readScenario(file: string): Scenario {
  try {
    return toScenario(parse(readFileSync(file, 'utf8')));
  } catch (error) {
    throw new Error(`${file}: ${error instanceof Error ? error.message : String(error)}`);
  }
}

/** The scenario of a value as a file holds it: an object, or the list of its replies. */
export function toScenario(value: unknown): Scenario {
  const source = Array.isArray(value) ? { replies: value } : fields(value);
  known(source, SCENARIO_KEYS, 'a scenario');
  const { model, models, context, profile, key, strict, append_only } = source;
  return {
    ...(text(model) === undefined ? {} : { model: String(model) }),
    models: list(models).map(String),
    ...(typeof context === 'number' ? { context } : {}),
    ...(text(profile) === undefined ? {} : { profile: String(profile) }),
    ...(key === undefined ? {} : { key: key === false ? false : String(key) }),
    strict: strict !== false,
    append_only: append_only === true,
    refuse: list(source.refuse).map(toRefusal),
    replies: list(source.replies).map(toReply),
  };
}

const SCENARIO_KEYS = [
  ...['model', 'models', 'context', 'profile', 'key', 'strict', 'append_only', 'refuse', 'replies'],
];

const REPLY_KEYS = [
  ...['when', 'times', 'text', 'thinking', 'redacted', 'calls', 'content', 'usage', 'finish'],
  ...['status', 'headers', 'body', 'events', 'error', 'delay', 'pause', 'split', 'lines'],
  ...['comments', 'event_lines', 'stream', 'cut_after', 'ending', 'error_after'],
];

function known(source: Fields, keys: readonly string[], what: string): void {
  for (const key of Object.keys(source))
    if (!keys.includes(key)) throw new Error(`${what} has no "${key}"; keys: ${keys.join(', ')}`);
}

/** A text stands for a reply that says it. */
function toReply(value: unknown): Reply {
  const source = typeof value === 'string' ? { text: value } : fields(value);
  known(source, REPLY_KEYS, 'a reply');
  const { when, times, text: said, thinking, redacted, calls, content, error, ...rest } = source;
  return {
    // What is left is copied as it stands; the wire takes what it can use.
    ...(rest as Partial<Reply>),
    ...(when === undefined ? {} : { when: toWhen(when) }),
    times: typeof times === 'number' ? times : 1,
    content: [
      ...(thinking === undefined ? [] : [toPart({ thinking })]),
      ...(redacted === undefined ? [] : [toPart({ redacted })]),
      ...(said === undefined ? [] : [toPart({ text: said })]),
      ...list(calls).map((call) => toPart({ call })),
      ...list(content).map(toPart),
    ],
    ...(error === undefined ? {} : { error: toError(error) }),
  };
}

const pieces = (value: unknown): string[] => (Array.isArray(value) ? value : [value]).map(String);

function toPart(value: unknown): Part {
  const source = fields(value);
  known(source, ['text', 'thinking', 'signature', 'redacted', 'call'], 'a part');
  const { text: said, thinking, signature, redacted, call } = source;
  if (said !== undefined) return { kind: 'text', pieces: pieces(said) };
  if (redacted !== undefined) return { kind: 'redacted', data: String(redacted) };
  if (thinking !== undefined)
    return {
      kind: 'thinking',
      pieces: pieces(thinking),
      ...(signature === undefined ? {} : { signature: String(signature) }),
    };
  const made = typeof call === 'string' ? { name: call } : fields(call);
  known(made, ['name', 'arguments', 'id', 'fragments'], 'a call');
  return {
    kind: 'call',
    name: String(made.name),
    arguments: made.arguments ?? {},
    ...(made.id === undefined ? {} : { id: String(made.id) }),
    ...(made.fragments === undefined ? {} : { fragments: pieces(made.fragments) }),
  };
}

function toWhen(value: unknown): When {
  const source = fields(value);
  known(source, ['model', 'last'], '"when"');
  const { model, last } = source;
  return {
    ...(model === undefined ? {} : { model: new RegExp(String(model)) }),
    ...(last === undefined ? {} : { last: new RegExp(String(last)) }),
  };
}

function toError(value: unknown): ReplyError {
  if (!isObject(value)) return { message: String(value) };
  const { message, type, code, ...more } = value;
  return {
    message: String(message),
    ...(type === undefined ? {} : { type: String(type) }),
    ...(typeof code === 'string' || typeof code === 'number' ? { code } : {}),
    ...(Object.keys(more).length === 0 ? {} : { more }),
  };
}

function toRefusal(value: unknown): Refusal {
  const source = fields(value);
  known(source, ['field', 'is', 'above', 'model', 'status', 'error'], 'a refusal');
  const { field, is, above, model, status, error } = source;
  return {
    field: String(field),
    ...(is === undefined ? {} : { is }),
    ...(typeof above === 'number' ? { above } : {}),
    ...(model === undefined ? {} : { model: new RegExp(String(model)) }),
    ...(typeof status === 'number' ? { status } : {}),
    error: toError(error),
  };
}
