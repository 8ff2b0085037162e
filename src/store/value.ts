// Results between their value and their stored form, by type. Lists of plain lines are stored as lines, as scout-ai does it,
// every other value as JSON; what does not fit its type is refused.

import { errorWords, type Failure, usageFailure, workFailure } from '../errors.ts';
import { isDeepJson, isDeepValue } from '../json.ts';
import type { ResultType } from '../workflows/types.ts';
import { TOO_DEEP, whatJsonLoses } from './plain.ts';

/** The stored form of a value that a task returned. Throws a work Failure that says why it cannot be stored. */
export function encode(value: unknown, type: ResultType): string | Uint8Array {
  if (value instanceof Uint8Array) return type === 'binary' ? value : encodeBytes(value, type);
  const encoder = ENCODERS[type];
  const encoded = encoder(value);
  if (encoded !== undefined) return encoded;
  const lost =
    type === 'json' || type === 'array' || type === 'yaml' ? whatJsonLoses(value) : undefined;
  throw notStorable(type, lost ?? `the result is ${describe(value)}`);
}

/**
 * The value of a stored result; text for the types of other programs. A whole number that JavaScript does not hold exactly comes
 * as its digits. Rejects with a work Failure when the content does not fit the type.
 */
export async function decode(bytes: Uint8Array, type: string | undefined): Promise<unknown> {
  if (type === 'binary') return bytes;
  const text = textOf(bytes);
  if (type === 'yaml') return decodeYaml(text);
  return type !== undefined && isType(type) ? decodeText(text, type) : text;
}

/** Stored form that a task made itself (a stream, bytes): kept byte for byte, once it is known to fit. */
function encodeBytes(bytes: Uint8Array, type: ResultType): Uint8Array {
  if (isChecked(type)) decodeText(textOf(bytes), type);
  return bytes;
}

/** Text of stored bytes, with U+FFFD for what is not UTF-8. Throws a usage Failure when there is more than one text can hold. */
export function textOf(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes);
  } catch (cause) {
    // What the engine says of it is about itself.
    throw usageFailure(
      'file-too-large',
      `a result of ${Math.round(bytes.length / 1e6)} MB is too much for one text`,
      {
        next: 'use its path (`return_path`, `$DEP_name`, --path), or give the task the result type binary',
        cause,
      },
    );
  }
}

function decodeText(stored: string, type: ResultType): unknown {
  const decoder = DECODERS[type];
  if (decoder === undefined) return stored;
  const value = decoder(stored);
  if (value === undefined) throw notStorable(type, `the stored text is ${describe(stored)}`);
  return value;
}

async function decodeYaml(stored: string): Promise<unknown> {
  const { readYaml } = await import('./read-yaml.ts');
  let value: unknown;
  try {
    value = readYaml(stored);
  } catch (error) {
    throw notStorable('yaml', isDeepYaml(error) ? TOO_DEEP : errorWords(error));
  }
  // An alias may lead back to what holds it.
  if (isDeepValue(value)) throw notStorable('yaml', TOO_DEEP);
  return value;
}

/** The reader goes down into what it reads, and tells the end of the stack in words of its own. */
const isDeepYaml = (error: unknown): boolean =>
  error instanceof RangeError || /call stack/.test(errorWords(error));

const text = (value: unknown): string | undefined => {
  if (value === undefined || value === null) return '';
  if (typeof value === 'string') return value;
  return typeof value === 'number' || typeof value === 'boolean' || typeof value === 'bigint'
    ? String(value)
    : undefined;
};

const json = (value: unknown): string | undefined => {
  const plain = value === undefined ? null : value;
  return whatJsonLoses(plain) === undefined ? `${JSON.stringify(plain)}\n` : undefined;
};

const integer = (value: unknown): string | undefined =>
  typeof value === 'bigint' || (typeof value === 'number' && Number.isSafeInteger(value))
    ? String(value)
    : typeof value === 'string' && readInteger(value) !== undefined
      ? value
      : undefined;

const float = (value: unknown): string | undefined =>
  typeof value === 'number' && Number.isFinite(value)
    ? JSON.stringify(value)
    : typeof value === 'string' && readFloat(value) !== undefined
      ? value
      : undefined;

const boolean = (value: unknown): string | undefined =>
  typeof value === 'boolean'
    ? String(value)
    : typeof value === 'string' && readBoolean(value) !== undefined
      ? value
      : undefined;

function array(value: unknown): string | undefined {
  if (typeof value === 'string') return value;
  if (!Array.isArray(value)) return undefined;
  const lines = value.every((each) => typeof each === 'string' && /^[^\r\n]+$/.test(each));
  // The first line decides how the text is read back.
  if (lines && !value[0]?.trimStart().startsWith('['))
    return value.map((each) => `${each}\n`).join('');
  return json(value);
}

const ENCODERS: Readonly<Record<ResultType, (value: unknown) => string | undefined>> = {
  string: text,
  text,
  chat: (value) => (typeof value === 'string' ? value : undefined),
  tsv: (value) => (typeof value === 'string' ? value : undefined),
  // JSON is YAML.
  yaml: (value) => (typeof value === 'string' ? value : json(value)),
  integer,
  float,
  boolean,
  array,
  json,
  binary: () => undefined,
};

const readInteger = (stored: string): number | string | undefined => {
  if (!/^\s*[+-]?\d+\s*$/.test(stored)) return undefined;
  const value = Number(stored);
  return Number.isSafeInteger(value) ? value : stored.trim();
};

const readFloat = (stored: string): number | undefined => {
  const value = Number(stored);
  return stored.trim() !== '' && Number.isFinite(value) ? value : undefined;
};

const readBoolean = (stored: string): boolean | undefined =>
  ({ true: true, false: false })[stored.trim().toLowerCase()];

function readArray(stored: string): unknown {
  if (stored.trimStart().startsWith('[')) {
    const value = readJson(stored, 'array');
    if (Array.isArray(value)) return value;
  }
  if (stored === '') return [];
  return stored.replace(/\r?\n$/, '').split(/\r?\n/);
}

function readJson(stored: string, type: ResultType = 'json'): unknown {
  const json = stored.replace(/^\ufeff/, '');
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch {
    return undefined;
  }
  if (isDeepJson(json)) throw notStorable(type, TOO_DEEP);
  return value;
}

const DECODERS: Partial<Record<ResultType, (stored: string) => unknown>> = {
  integer: readInteger,
  float: readFloat,
  boolean: readBoolean,
  array: readArray,
  json: (stored) => readJson(stored),
};

const isType = (type: string): type is ResultType => Object.hasOwn(ENCODERS, type);

/** Whether not every text is a result of this type, so that a result that comes in pieces has to be looked at as a whole. */
export const isChecked = (type: ResultType): boolean =>
  Object.hasOwn(DECODERS, type) && type !== 'array';

function notStorable(type: string, why: string): Failure {
  return workFailure('bad-result', `a result of type ${type} cannot be stored or read: ${why}`, {
    next: 'return a value of that type, or give the task another result type',
  });
}

function describe(value: unknown): string {
  if (typeof value === 'string') return `the text ${JSON.stringify(value.slice(0, 60))}`;
  if (value === undefined || value === null) return 'nothing';
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'object') return `an object (${value.constructor?.name ?? 'Object'})`;
  if (typeof value === 'number' || typeof value === 'boolean')
    return `the ${typeof value} ${value}`;
  return `a ${typeof value}`;
}
