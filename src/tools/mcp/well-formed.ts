// Messages of servers in the strict form that the client library takes. Many servers write `null` for what is not there, and some answer with
// what is no result: the library would drop such an answer, and its call would wait until its time is over. Pure.

import { fields, isObject } from '../../json.ts';

/** A message as JSON; that it is one of the protocol is all that is known of it. */
export type WireMessage = Readonly<Record<string, unknown>>;

export function isMessage(value: unknown): value is WireMessage {
  if (!isObject(value) || value.jsonrpc !== '2.0') return false;
  return typeof value.method === 'string' || 'id' in value;
}

/** The same message without what the protocol does not know; an answer that is no result is an error that says so. */
export function wellFormed(message: WireMessage): WireMessage {
  const { id, method, params, result, error } = message;
  const head = { jsonrpc: '2.0', ...(id === undefined ? {} : { id }) };
  if (typeof method === 'string')
    return { ...head, method, ...(isObject(params) ? { params: withoutNulls(params) } : {}) };
  if (error !== undefined && error !== null) return { ...head, error: readError(error) };
  return isObject(result)
    ? { ...head, result: readResult(result) }
    : { ...head, error: { code: INTERNAL, message: `its answer is no result: ${short(result)}` } };
}

/** A text that is one message, or a list of them, in that form; any other text as it is. */
export function wellFormedText(text: string): string {
  try {
    const value: unknown = JSON.parse(text);
    if (isMessage(value)) return JSON.stringify(wellFormed(value));
    return Array.isArray(value) && value.every(isMessage)
      ? JSON.stringify(value.map(wellFormed))
      : text;
  } catch {
    return text;
  }
}

const INTERNAL = -32603;

function readError(error: unknown): WireMessage {
  const { code, message, data } = fields(error);
  return {
    code: Number.isInteger(code) ? code : INTERNAL,
    message: typeof message === 'string' ? message : short(error),
    ...(data === undefined ? {} : { data }),
  };
}

/** What a server says of itself is checked by the library; all other results are read by this program. */
function readResult(result: WireMessage): WireMessage {
  if ('protocolVersion' in result || 'supportedVersions' in result) return withoutNulls(result);
  if (result.resultType === 'complete') return wrapped(result);
  if (result._meta === undefined || isObject(result._meta)) return result;
  const { _meta, ...rest } = result;
  return rest;
}

/** Where a result is carried past the library. */
const WHOLE = 'scout-chat/whole';

/** Of the newest revision the library checks each result as a whole, and one odd tool or part would cost all of them. */
function wrapped(result: WireMessage): WireMessage {
  const { ttlMs, cacheScope, _meta } = result;
  return {
    resultType: 'complete',
    content: [],
    tools: [],
    ttlMs: typeof ttlMs === 'number' ? ttlMs : 0,
    cacheScope: cacheScope === 'public' ? 'public' : 'private',
    _meta: { ...fields(_meta), [WHOLE]: result },
  };
}

/** The result as its server gave it. */
export function unwrapped(result: unknown): unknown {
  return fields(fields(result)._meta)[WHOLE] ?? result;
}

/** Fields that are null are as good as not there, down to the third level: a server's capabilities. */
function withoutNulls(record: WireMessage, depth = 3): WireMessage {
  return Object.fromEntries(
    Object.entries(record).flatMap(([name, value]) => {
      if (value === null) return [];
      return [[name, isObject(value) && depth > 1 ? withoutNulls(value, depth - 1) : value]];
    }),
  );
}

const short = (value: unknown): string => String(JSON.stringify(value)).slice(0, 200);
