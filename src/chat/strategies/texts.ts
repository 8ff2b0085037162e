// Shortens the texts of a tool message: arguments of a call, an output. What it makes of a message it makes once.

import { createHash } from 'node:crypto';
import { objectIn, parsedJson } from '../../json.ts';
import type { Message } from '../../types.ts';
import type { Thresholds } from './thresholds.ts';

export type TextLimits = Pick<Thresholds, 'shortened_argument' | 'shortened_output'>;

const made = new WeakMap<Message, { readonly limits: string; readonly message: Message }>();

/** The call or output with its long texts shortened; the message itself when that makes nothing shorter. */
export function shortened(message: Message, limits: TextLimits): Message {
  const key = `${limits.shortened_argument} ${limits.shortened_output}`;
  const kept = made.get(message);
  if (kept?.limits === key) return kept.message;
  const content =
    message.role === 'function_call'
      ? callContent(message, limits.shortened_argument)
      : outputContent(message, limits.shortened_output);
  const result =
    content === undefined || content.length >= message.content.length
      ? message
      : { ...message, content };
  made.set(message, { limits: key, message: result });
  return result;
}

function callContent(message: Message, limit: number): string | undefined {
  const value = objectIn(message.content);
  if (value === undefined) return undefined;
  const args = value.arguments;
  const read = typeof args === 'string' ? jsonOf(args) : args;
  const short = withShortTexts(read, limit);
  if (JSON.stringify(short) === JSON.stringify(read)) return undefined;
  // Arguments that were kept as JSON text stay JSON text.
  const back = typeof args === 'string' && read !== args ? JSON.stringify(short) : short;
  return JSON.stringify({ ...value, arguments: back });
}

function jsonOf(text: string): unknown {
  try {
    const value: unknown = parsedJson(text);
    return typeof value === 'object' && value !== null ? value : text;
  } catch {
    return text;
  }
}

function withShortTexts(value: unknown, limit: number): unknown {
  if (typeof value === 'string') return shortText(value, limit);
  if (Array.isArray(value)) return value.map((each) => withShortTexts(each, limit));
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).map(([key, each]) => [key, withShortTexts(each, limit)]);
  return Object.fromEntries(entries);
}

function outputContent(message: Message, limit: number): string | undefined {
  const value = objectIn(message.content);
  const content = value?.content;
  if (content === undefined || content === null) return undefined;
  const text = typeof content === 'string' ? content : JSON.stringify(content);
  const job = typeof value?.step === 'string' && value.step !== '' ? value.step : undefined;
  const short = shortText(text, limit, job);
  return short === text ? undefined : JSON.stringify({ ...value, content: short });
}

/**
 * The text with its middle left out: its start and end, how long it was, the first digits of its SHA-256, and the job that holds the
 * whole. The text itself when it has at most `limit` characters, or when the result would not be shorter.
 */
export function shortText(text: string, limit: number, job?: string): string {
  if (text.length <= limit) return text;
  const length = characters(text);
  if (length <= limit) return text;
  const digest = createHash('sha256').update(text).digest('hex').slice(0, 8);
  const whole = job === undefined ? '' : `, whole in job ${job}`;
  const mark = ` …[shortened from ${length.toLocaleString('en-US')} characters, sha256 ${digest}${whole}]… `;
  const result = `${start(text, Math.floor(limit * 0.45))}${mark}${end(text, Math.floor(limit * 0.15))}`;
  return result.length < text.length ? result : text;
}

function characters(text: string): number {
  let count = text.length;
  for (let index = 0; index < text.length - 1; index++)
    if (isHigh(text, index) && isLow(text, index + 1)) count -= 1;
  return count;
}

/** Neither cuts a character in two. */
const start = (text: string, length: number): string =>
  text.slice(0, isHigh(text, length - 1) && isLow(text, length) ? length - 1 : length);

function end(text: string, length: number): string {
  const from = text.length - length;
  return text.slice(isHigh(text, from - 1) && isLow(text, from) ? from + 1 : from);
}

const isHigh = (text: string, index: number): boolean =>
  (text.charCodeAt(index) & 0xfc00) === 0xd800;
const isLow = (text: string, index: number): boolean =>
  (text.charCodeAt(index) & 0xfc00) === 0xdc00;
