// From the fields of a meta, or of a receipt, to what they say of one request: its ids, its counts, who served it and when.

import { type MetaFields, TOKEN_FIELDS, tokensOf } from '../chat/meta.ts';
import type { Warn } from '../types.ts';
import type { RequestFields, TokenCounts } from './types/facts.ts';
import type { WarningReason } from './types/warnings.ts';

/**
 * What the fields say of a request. Undefined when they stand for none: they mark a projection (`job`), or have neither an id nor a
 * count of their own. Running totals (`pt_c`, `pt_s` …) are never counts. Counts that are no whole numbers from 0 on are told to `warn`.
 * A total that is not stated is the sum of prompt and completion.
 */
export function requestFields(
  fields: Readonly<MetaFields>,
  warn?: Warn,
): Mutable<RequestFields> | undefined {
  if (jobOf(fields) !== undefined) return undefined;
  const tokens = countsIn(fields, warn);
  const inference = textOf(fields.inference_id);
  const response = textOf(fields.provider_response_id);
  if (inference === undefined && response === undefined && isUnknown(tokens)) return undefined;
  // One field after the other: a store has a hundred thousand of these, and spreading costs several times as much.
  const request: Mutable<RequestFields> = { tokens };
  if (inference !== undefined) request.inference = inference;
  if (response !== undefined) request.response = response;
  const model = textOf(fields.model);
  if (model !== undefined) request.model = model;
  const endpoint = textOf(fields.endpoint);
  if (endpoint !== undefined) request.endpoint = endpoint;
  const timestamp = textOf(fields.timestamp);
  if (timestamp !== undefined) request.timestamp = timestamp;
  if (typeof fields.duration === 'number') request.duration = fields.duration;
  return request;
}

/** While it is being filled. */
export type Mutable<T> = { -readonly [Field in keyof T]: T[Field] };

/** Whether a record of a request has no id of its own. */
export const isAnonymous = ({ inference, response }: Partial<RequestFields>): boolean =>
  inference === undefined && response === undefined;

/** The job that the fields name as the producer, as it was written. */
export const jobOf = (fields: Readonly<MetaFields>): string | undefined => textOf(fields.job);

/** Ids may look like numbers. */
function textOf(value: string | number | undefined): string | undefined {
  return value === undefined || value === '' ? undefined : own(String(value));
}

/** A text cut out of another keeps the whole of it in memory: what is kept of a file must not be a part of it. */
function own(text: string): string {
  return text.length < SLICED ? text : Buffer.from(text, 'utf16le').toString('utf16le');
}

/** Shorter pieces are copied by the engine itself. */
const SLICED = 13;

function countsIn(fields: Readonly<MetaFields>, warn: Warn | undefined): TokenCounts {
  if (!TOKEN_FIELDS.some((field) => Object.hasOwn(fields, field))) return UNKNOWN;
  const { pt, ct, tt, cct, cwt, rt } = tokensOf(fields, warn);
  const sum = pt === undefined || ct === undefined ? null : pt + ct;
  if (pt !== undefined && (cct ?? 0) + (cwt ?? 0) > pt)
    tellMismatch(warn, `${(cct ?? 0) + (cwt ?? 0)} cached tokens cannot be part of ${pt}`);
  return {
    pt: pt ?? null,
    ct: ct ?? null,
    tt: tt ?? sum,
    cct: cct ?? null,
    cwt: cwt ?? null,
    rt: rt ?? null,
  };
}

/** Each count may be true by itself, so all are kept as they stand. */
function tellMismatch(warn: Warn | undefined, what: string): void {
  warn?.({ code: MISMATCH, message: `the counts do not fit together: ${what}` });
}

const MISMATCH = 'token-mismatch';

/** How a warning about counts is told. */
export const countReason = (code: string): WarningReason =>
  code === MISMATCH ? 'token_mismatch' : 'bad_token_count';

/** The counts of a request of which nothing is known. */
export const UNKNOWN: TokenCounts = {
  pt: null,
  ct: null,
  tt: null,
  cct: null,
  cwt: null,
  rt: null,
};

const isUnknown = (tokens: TokenCounts): boolean =>
  TOKEN_FIELDS.every((field) => tokens[field] === null);
