// Metas of requests as this program and scout-ai write them, in one pass: they come by the hundred thousand.

import type { Mutable } from './request-fields.ts';
import type { RequestFields, TokenCounts } from './types/facts.ts';

const SPACE = 32;
const QUOTE = 34;
const EQUALS = 61;
const ZERO = 48;
/** More digits may be more than a number can hold. */
const MOST_DIGITS = 15;

/**
 * What a plain meta says of a request: exactly `requestFields(metaFields(text))`. Undefined for any that is not plain, or in which
 * something is to be told: those take the long way.
 */
export function plainRequest(text: string): Mutable<RequestFields> | undefined {
  const tokens = { pt: null, ct: null, tt: null, cct: null, cwt: null, rt: null };
  const request: Mutable<RequestFields> = { tokens };
  for (let at = 0; at < text.length; ) {
    const equals = text.indexOf('=', at);
    const end = equals <= at ? -1 : valueEnd(text, equals + 1);
    if (end === -1 || !addField(request, tokens, text.slice(at, equals), text, equals + 1, end))
      return undefined;
    at = end + 1;
    // A blank ends a value, and another must follow.
    if (at === text.length) return undefined;
  }
  return isFit(request, tokens) ? request : undefined;
}

/** Where a value ends, -1 when it is not plain: blanks, quotes, further equals signs, what is not printable ASCII. */
function valueEnd(text: string, start: number): number {
  for (let at = start; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === SPACE) return at;
    if (code < SPACE || code > 0x7e || code === QUOTE || code === EQUALS) return -1;
  }
  return text.length;
}

/** Whether the field could be added. Those that tell nothing of the request are passed over. */
function addField(
  request: Mutable<RequestFields>,
  tokens: Mutable<TokenCounts>,
  name: string,
  text: string,
  start: number,
  end: number,
): boolean {
  switch (name) {
    case 'pt':
    case 'ct':
    case 'tt':
    case 'cct':
    case 'cwt':
    case 'rt': {
      const count = countIn(text, start, end);
      if (count === -1) return false;
      tokens[name] = count;
      return true;
    }
    case 'inference_id': {
      const id = textIn(text, start, end);
      if (id !== undefined) request.inference = id;
      return id !== undefined;
    }
    case 'provider_response_id': {
      const id = textIn(text, start, end);
      if (id !== undefined) request.response = id;
      return id !== undefined;
    }
    case 'model':
    case 'endpoint':
    case 'timestamp': {
      const value = textIn(text, start, end);
      if (value !== undefined) request[name] = value;
      return value !== undefined;
    }
    case 'duration': {
      const seconds = text.slice(start, end);
      const isPlain = seconds.length <= MOST_DIGITS && NUMBER.test(seconds);
      if (isPlain) request.duration = Number(seconds);
      return isPlain;
    }
    default:
      return RUNNING_TOTAL.test(name);
  }
}

/** Sums of a chat or a process, which are never counts of a request. */
const RUNNING_TOTAL = /^(?:pt|ct|tt|cct|cwt|rt)_[cs]$/;

function countIn(text: string, start: number, end: number): number {
  if (end === start || end - start > MOST_DIGITS) return -1;
  let count = 0;
  for (let at = start; at < end; at++) {
    const digit = text.charCodeAt(at) - ZERO;
    if (digit < 0 || digit > 9) return -1;
    count = count * 10 + digit;
  }
  return count;
}

/** A copy: a text cut out of another keeps the whole of it in memory. */
function textIn(text: string, start: number, end: number): string | undefined {
  if (end === start || end - start > scratch.length) return undefined;
  scratch.write(text.slice(start, end), 0, 'latin1');
  return scratch.toString('latin1', 0, end - start);
}

const NUMBER = /^-?\d+(?:\.\d+)?$/;
const scratch = Buffer.allocUnsafeSlow(256);

/** A record of a request with nothing to be told about; its total filled in. */
function isFit(request: Mutable<RequestFields>, tokens: Mutable<TokenCounts>): boolean {
  const { pt, ct, tt, cct, cwt, rt } = tokens;
  if (request.inference === undefined && request.response === undefined) return false;
  if (rt !== null && ct !== null && rt > ct) return false;
  if (pt !== null && (cct ?? 0) + (cwt ?? 0) > pt) return false;
  if (tt === null && pt !== null && ct !== null) tokens.tt = pt + ct;
  return true;
}
