// The body of a successful answer as JSON values, whatever the server made of it: a stream of events, one whole object, an error
// in place of either, a web page. Knows no provider's fields but those of errors.

import { fields, isObject, parseJson, text } from '../../json.ts';
import { errorBody, isHtml } from './error-text.ts';
import { foreign } from './foreign.ts';
import { badReply, type Site } from './problems.ts';
import { redactor } from './redact.ts';
import { refused } from './refusals.ts';
import { readStream, type StreamItem } from './sse.ts';

export type Value =
  /** `whole`: the only value of a body that is no stream. */
  | { readonly kind: 'value'; readonly value: unknown; readonly whole: boolean }
  /** The end mark `[DONE]`. */
  | { readonly kind: 'done' };

/** As much of a body is looked at to tell what it is, or to find an error in it. */
export const LOOKED_AT = 65_536;
/** Largest answer that is no stream. */
export const LARGEST = 256 * 1024 * 1024;

/**
 * The values of a body as they arrive, those of one read together: many small ones would each cost more than they hold. Throws a Failure for an
 * error that the server sends with a status of 200, for a web page, and for a body without any value. An event that is no JSON is left out, the first
 * one with a warning.
 */
export async function* readValues(
  body: AsyncIterable<Uint8Array>,
  site: Site,
  warn: (message: string) => void,
): AsyncGenerator<readonly Value[]> {
  const { start, all } = await look(body);
  if (start === '<') throw badReply(site, 'sent no answer', await readStart(all), false);
  if (start === '{' || start === '[') {
    yield [{ kind: 'value', value: await readWhole(all, site), whole: true }];
    return;
  }
  const seen: Seen = { values: 0, odd: 0, outside: '' };
  const tooLong = () => badReply(site, 'sent more than one event can be', '', false);
  for await (const items of readStream(all, tooLong))
    yield* together(items, (item) => valueIn(item, seen, site, warn));
  if (seen.values === 0)
    throw badReply(site, 'gave an empty answer', seen.outside, !isHtml(seen.outside));
}

/** The values of one read. Those before a failure come out before it is thrown. */
export function* together<Item>(
  items: readonly Item[],
  read: (item: Item) => Value | undefined,
): Generator<readonly Value[]> {
  const values: Value[] = [];
  try {
    for (const item of items) {
      const value = read(item);
      if (value !== undefined) values.push(value);
    }
  } catch (error) {
    if (values.length > 0) yield values;
    throw error;
  }
  if (values.length > 0) yield values;
}

/** What a stream has brought so far. */
interface Seen {
  values: number;
  /** Events that are no JSON. */
  odd: number;
  /** The first of what is no value, for the words of a failure. */
  outside: string;
}

const DONE: Value = { kind: 'done' };

function valueIn(
  item: StreamItem,
  seen: Seen,
  site: Site,
  warn: (message: string) => void,
): Value | undefined {
  if (item.kind === 'line') {
    if (seen.outside.length < LOOKED_AT) seen.outside += `${item.text}\n`;
    throwErrorLine(item.text, seen.values === 0 ? seen.outside : '', site);
    return undefined;
  }
  if (item.data.trim() === '[DONE]') return DONE;
  const value = parseJson(item.data);
  if (item.name === 'error') {
    throwError(value, site);
    throw refused(site, { status: errorStatus(value), body: item.data });
  }
  if (value === undefined) {
    if (seen.odd++ === 0)
      warn(`left out of the answer: an event that is no JSON (${quoted(item.data, site)})`);
    if (seen.outside.length < LOOKED_AT)
      seen.outside += withoutSecrets(item.data, site).slice(0, 200);
    return undefined;
  }
  seen.values++;
  throwError(value, site);
  return { kind: 'value', value, whole: false };
}

/** Some servers put `error: {…}` between the events, or send a bare JSON object after comments. */
function throwErrorLine(line: string, outside: string, site: Site): void {
  const value = /^error:\s*(\{.*\})\s*$/.exec(line)?.[1];
  if (value !== undefined)
    throw refused(site, { status: errorStatus(parseJson(value)), body: value });
  if (outside.trimStart().startsWith('{') && line.trimEnd().endsWith('}'))
    throwError(parseJson(outside), site);
}

/** Throws when the value is an error in one of the forms that servers use: `{"error": …}`, `{"object": "error"}`, `{"type": "error"}`. */
export function throwError(value: unknown, site: Site): void {
  const { error, object, type } = errorBody(value);
  if (isTold(error) || text(error) !== undefined || object === 'error' || type === 'error')
    throw refused(site, { status: errorStatus(value), body: JSON.stringify(value) });
}

/** Some gateways put an error with nothing in it into every answer. */
const isTold = (error: unknown): boolean =>
  Object.values(fields(error)).some((part) => Boolean(part) && part !== '0');

/** The status that the error itself names or its type stands for, 500 when there is neither. */
function errorStatus(value: unknown): number {
  const { error, code, status, type } = errorBody(value);
  const inner = fields(error);
  const named = [inner.code, inner.status, code, status].map(Number);
  const number = named.find((each) => Number.isInteger(each) && each >= 400 && each < 600);
  const words = [inner.type, inner.code, type, code].join(' ');
  return number ?? TYPES.find(([pattern]) => pattern.test(words))?.[1] ?? 500;
}

const TYPES: readonly (readonly [RegExp, number])[] = [
  [/authentication|invalid_api_key/, 401],
  [/permission/, 403],
  [/not_found/, 404],
  [/rate_limit|insufficient_quota/, 429],
  [/overloaded/, 529],
  [/invalid_(?:request|prompt)|bad_?request/i, 400],
];

/** One JSON value; an error is thrown as soon as it is whole, some servers never close the connection after it. */
async function readWhole(body: AsyncIterable<Uint8Array>, site: Site): Promise<unknown> {
  const decoder = new TextDecoder('utf-8');
  const parts: string[] = [];
  let size = 0;
  for await (const bytes of body) {
    const part = decoder.decode(bytes, { stream: true });
    parts.push(part);
    size += part.length;
    if (size > LARGEST) throw badReply(site, 'sent more than one answer can be', '', false);
    if (size <= LOOKED_AT && /[}\]]\s*$/.test(part)) throwError(parseJson(parts.join('')), site);
  }
  const source = parts.join('') + decoder.decode();
  const value = parseJson(source.replace(/^\uFEFF/, ''));
  if (value === undefined) {
    const [first = '', ...more] = source.split('\n', 2);
    if (more.length > 0 && isObject(parseJson(first))) throw foreign(site, first);
    throw badReply(site, 'sent JSON that cannot be read', source);
  }
  throwError(value, site);
  return value;
}

/** Gateways keep a connection with white space until the answer is there; more than this is kept for none. */
const MOST_BLANK = 1024 * 1024;

/** The first character that is not white space, and the whole body again. */
async function look(
  body: AsyncIterable<Uint8Array>,
): Promise<{ start: string; all: AsyncIterable<Uint8Array> }> {
  const reader = body[Symbol.asyncIterator]();
  const decoder = new TextDecoder('utf-8');
  const seen: Uint8Array[] = [];
  let start = '';
  let blank = 0;
  while (start === '' && blank <= MOST_BLANK) {
    const next = await reader.next();
    if (next.done) break;
    seen.push(next.value);
    blank += next.value.length;
    start = decoder.decode(next.value, { stream: true }).trimStart().slice(0, 1);
  }
  return { start, all: again(seen, reader) };
}

async function* again(
  seen: readonly Uint8Array[],
  reader: AsyncIterator<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  try {
    yield* seen;
    for (let next = await reader.next(); !next.done; next = await reader.next()) yield next.value;
  } finally {
    await reader.return?.();
  }
}

/** The first part of a body as text, for messages. */
export async function readStart(body: AsyncIterable<Uint8Array>): Promise<string> {
  const decoder = new TextDecoder('utf-8');
  let start = '';
  for await (const bytes of body) {
    start += decoder.decode(bytes, { stream: true });
    if (start.length >= LOOKED_AT) break;
  }
  return start;
}

/** Cleaned before it is cut: half of a key would not be found any more. */
export const quoted = (data: string, site: Site): string =>
  JSON.stringify(withoutSecrets(data, site).slice(0, 80));

const withoutSecrets = (data: string, { endpoint }: Site): string =>
  redactor(endpoint)(data.slice(0, LOOKED_AT));
