// Bookkeeping of requests: meta text to fields and back, and the token counts in it.

import type { Chat, Origin, Tokens, Warn } from '../types.ts';
import { isWhite, skipWhite } from './white-space.ts';

/** Fields of a meta message, in the order of the text. */
export type MetaFields = Record<string, string | number>;

/** Names of the token fields. With `_c` they are running totals of a chat, with `_s` of a process. */
export const TOKEN_FIELDS = ['pt', 'ct', 'tt', 'cct', 'cwt', 'rt'] as const;

/**
 * Reads `key=value key=value …`. A value runs to the next ` key=`; one in double quotes may hold such text, with `\` and `"`
 * escaped (older files did not escape the quotes inside: they end nothing unless a key or the end follows). Whole and decimal
 * numbers become numbers, unless they would lose digits, or are a name that would become another one (`inference_id=007`). Text before
 * the first key is left out. Linear, never throws.
 */
export function parseMeta(text: string): MetaFields {
  const fields = new Map<string, string | number>();
  // Once no closing quote was found for a value, there is none for those behind it either.
  let hasQuotes = true;
  let at = firstKey(text);
  while (at < text.length) {
    const equals = keyEnd(text, at);
    const start = equals + 1;
    const quote = hasQuotes && text[start] === '"' ? closingQuote(text, start + 1) : -1;
    if (quote === -1 && text[start] === '"') hasQuotes = false;
    const end = quote === -1 ? bareEnd(text, start) : quote + 1;
    const name = text.slice(at, equals);
    fields.set(name, readValue(name, text.slice(start, end)));
    at = skipWhite(text, end, text.length);
  }
  return Object.fromEntries(fields);
}

/**
 * Writes fields as meta text: numbers first, then strings from the shortest to the longest, each kind in the order given.
 * A string with `=` in it is quoted. Undefined fields are left out. Names hold neither white space nor `=`.
 */
export function serializeMeta(fields: Readonly<Record<string, unknown>>): string {
  const entries = Object.entries(fields).filter(([, value]) => value !== undefined);
  const sorted = entries.sort(([, one], [, other]) => sortLength(one) - sortLength(other));
  return sorted
    .map(([key, value], index) => `${key}=${writeValue(value, index === sorted.length - 1)}`)
    .join(' ');
}

/** The fields in force at the end of a chat: the last meta, its running totals taken from the last meta that has any. */
export function currentMeta(chat: Chat): MetaFields | undefined {
  const metas = chat.filter(({ role }) => role === 'meta').map(({ content }) => parseMeta(content));
  const last = metas.at(-1);
  if (last === undefined) return undefined;
  const totals = TOKEN_FIELDS.map((name) => `${name}_c`);
  const checkpoint = metas.findLast((meta) => totals.some((name) => Object.hasOwn(meta, name)));
  const inForce = totals.flatMap((name) => {
    const value = checkpoint?.[name];
    return value === undefined ? [] : [[name, value] as const];
  });
  return { ...last, ...Object.fromEntries(inForce) };
}

/**
 * The token counts among the fields of a meta message. What is no whole number from 0 on is not counted but told; neither is
 * a count of reasoning above that of the completion it is part of.
 */
export function tokensOf(fields: Readonly<MetaFields>, warn?: Warn, origin?: Origin): Tokens {
  const counts: Record<string, number> = {};
  const tell = (name: string, why: string) =>
    warn?.({
      code: 'bad-token-count',
      message: `"${name}=${fields[name]}" is not counted: ${why}`,
      ...(origin === undefined ? {} : { origin }),
    });
  for (const name of TOKEN_FIELDS) {
    const value = fields[name];
    if (value === undefined) continue;
    if (typeof value === 'number' && Number.isSafeInteger(value) && value >= 0)
      counts[name] = value;
    else tell(name, 'a count is a whole number from 0 on');
  }
  const { rt, ...rest } = counts;
  if (rt === undefined || rest.ct === undefined || rt <= rest.ct) return counts;
  tell('rt', `reasoning is part of the completion, which has ${rest.ct} tokens`);
  return rest;
}

/** Where providers put each count; the first that is there is taken. */
const USAGE_FIELDS: Readonly<Record<(typeof TOKEN_FIELDS)[number], readonly string[]>> = {
  pt: ['prompt_tokens', 'input_tokens'],
  ct: ['completion_tokens', 'output_tokens'],
  tt: ['total_tokens'],
  cct: [
    'prompt_tokens_details.cached_tokens',
    'input_tokens_details.cached_tokens',
    'cache_read_input_tokens',
  ],
  cwt: [
    'input_tokens_details.cache_write_tokens',
    'prompt_tokens_details.cache_write_tokens',
    'cache_creation_input_tokens',
  ],
  rt: [
    'completion_tokens_details.reasoning_tokens',
    'output_tokens_details.reasoning_tokens',
    'output_tokens_details.thinking_tokens',
  ],
};

/**
 * A provider's usage object as token counts. Prompt tokens include cached ones, also where the provider counts those apart;
 * the total is their sum with the completion when the provider gives none. What is no count is left out, never 0 by guess.
 */
export function tokensFromUsage(raw: unknown): Tokens {
  const counts: Partial<Record<(typeof TOKEN_FIELDS)[number], number>> = {};
  for (const name of TOKEN_FIELDS) {
    const found = USAGE_FIELDS[name]
      .map((path) => countAt(raw, path))
      .find((each) => each !== undefined);
    if (found !== undefined) counts[name] = found;
  }
  if (counts.pt !== undefined && countAt(raw, 'prompt_tokens') === undefined) {
    counts.pt += countAt(raw, 'cache_read_input_tokens') ?? 0;
    counts.pt += countAt(raw, 'cache_creation_input_tokens') ?? 0;
  }
  if (counts.tt === undefined && counts.pt !== undefined && counts.ct !== undefined)
    counts.tt = counts.pt + counts.ct;
  return counts;
}

function countAt(raw: unknown, path: string): number | undefined {
  let value = raw;
  for (const key of path.split('.')) {
    if (typeof value !== 'object' || value === null) return undefined;
    value = Object.hasOwn(value, key) ? Reflect.get(value, key) : undefined;
  }
  if (typeof value === 'string') value = /^\d+$/.test(value) ? Number(value) : undefined;
  if (typeof value !== 'number' || !(value >= 0) || value > Number.MAX_SAFE_INTEGER)
    return undefined;
  return Math.trunc(value);
}

const sortLength = (value: unknown): number => (typeof value === 'string' ? [...value].length : 0);

function writeValue(value: unknown, isLast: boolean): string {
  const text = value === null ? '' : String(value);
  // A quote at the start of a value would reach into what follows.
  if (!text.includes('=') && (isLast || !text.startsWith('"'))) return text;
  return `"${text.replace(/[\\"]/g, '\\$&')}"`;
}

/** Fields that name something. */
const NAMES: ReadonlySet<string> = new Set([
  'inference_id',
  'provider_response_id',
  'model',
  'endpoint',
  'timestamp',
  'job',
]);

/** What a field's text stands for. */
export function readValue(name: string, text: string): string | number {
  const isQuoted = text.length > 1 && text.startsWith('"') && text.endsWith('"');
  const value = isQuoted ? text.slice(1, -1).replace(/\\(.)/gs, '$1') : text;
  if (!/^-?\d+(\.\d+)?$/.test(value)) return value;
  const number = Number(value);
  const isExact = value.includes('.') ? Number.isFinite(number) : Number.isSafeInteger(number);
  return isExact && (!NAMES.has(name) || String(number) === value) ? number : value;
}

/** Offset of the first `key=`, the length of the text when there is none. */
function firstKey(text: string): number {
  let at = 0;
  for (;;) {
    while (at < text.length && (isWhite(text.charCodeAt(at)) || text[at] === '=')) at++;
    if (at === text.length || keyEnd(text, at) !== -1) return at;
    at = wordEnd(text, at);
  }
}

/** Offset of the `=` behind a key that starts at `at`, -1 when no key starts there. */
function keyEnd(text: string, at: number): number {
  let index = at;
  while (index < text.length && text[index] !== '=' && !isWhite(text.charCodeAt(index))) index++;
  return index > at && text[index] === '=' ? index : -1;
}

/** Whether a value may end here: only white space follows, or white space and a key. */
function isValueEnd(text: string, at: number): boolean {
  const next = skipWhite(text, at, text.length);
  return next === text.length || (next > at && keyEnd(text, next) !== -1);
}

function bareEnd(text: string, start: number): number {
  let at = start;
  while (at < text.length && !(isWhite(text.charCodeAt(at)) && isValueEnd(text, at)))
    at = isWhite(text.charCodeAt(at)) ? skipWhite(text, at, text.length) : wordEnd(text, at);
  return at;
}

function closingQuote(text: string, start: number): number {
  for (let at = start; at < text.length; at++) {
    if (text[at] === '\\') at++;
    else if (text[at] === '"' && isValueEnd(text, at + 1)) return at;
  }
  return -1;
}

function wordEnd(text: string, start: number): number {
  let at = start;
  while (at < text.length && !isWhite(text.charCodeAt(at))) at++;
  return at;
}
