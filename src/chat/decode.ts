// Turns the bytes of a chat file into text. The byte order mark stays: reading drops it, and nothing is written back.

import { usageFailure } from '../errors.ts';
import type { Origin, Warn } from '../types.ts';

export interface DecodeOptions {
  /** Named in the warning and the failure. */
  readonly file?: string;
  readonly warn?: Warn;
}

/**
 * UTF-8 to text. Bytes that are not UTF-8 become U+FFFD, with one warning that names the offset of the first of them.
 * UTF-16 (and UTF-32), with or without a byte order mark, is refused: exit 2, `not-utf-8`.
 */
export function decode(bytes: Uint8Array, { file, warn }: DecodeOptions = {}): string {
  const wide = wideEncoding(bytes);
  if (wide !== undefined) {
    throw usageFailure('not-utf-8', `this is ${wide} text, and a chat is UTF-8`, {
      at: file === undefined ? { line: 1 } : { file, line: 1 },
      next: `save it as UTF-8, for instance with \`iconv -f ${wide} -t UTF-8\``,
    });
  }
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    const offset = firstBadByte(bytes);
    const line = lineAt(bytes, offset);
    const origin: Origin = file === undefined ? { line } : { file, line };
    warn?.({
      code: 'bad-utf-8',
      message: `byte ${offset} is not UTF-8; it and others like it are read as U+FFFD`,
      origin,
    });
    return new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes);
  }
}

const SAMPLE = 1024;

function wideEncoding(bytes: Uint8Array): string | undefined {
  const [first, second, third, fourth] = bytes;
  if (first === 0xff && second === 0xfe)
    return third === 0 && fourth === 0 && bytes.length % 4 === 0 ? 'UTF-32' : 'UTF-16LE';
  if (first === 0xfe && second === 0xff) return 'UTF-16BE';
  if (first === 0 && second === 0 && third === 0xfe && fourth === 0xff) return 'UTF-32';
  return wideByZeros(bytes.subarray(0, SAMPLE));
}

/** Latin text in UTF-16 has a zero in nearly every second byte and none in the others. */
function wideByZeros(sample: Uint8Array): string | undefined {
  const zeros = [0, 0];
  for (let index = 0; index < sample.length; index++)
    if (sample[index] === 0) zeros[index % 2] = (zeros[index % 2] ?? 0) + 1;
  const [even = 0, odd = 0] = zeros;
  const many = sample.length * 0.3;
  if (sample.length < 4) return undefined;
  if (odd > many && even === 0) return 'UTF-16LE';
  return even > many && odd === 0 ? 'UTF-16BE' : undefined;
}

/** Offset of the first byte that no UTF-8 sequence can have where it stands; the length when there is none. */
function firstBadByte(bytes: Uint8Array): number {
  let at = 0;
  while (at < bytes.length) {
    const length = sequenceLength(bytes, at);
    if (length === 0) return at;
    at += length;
  }
  return at;
}

/** Bytes of the well-formed sequence at an offset, 0 when there is none. */
function sequenceLength(bytes: Uint8Array, at: number): number {
  const first = bytes[at] ?? 0;
  if (first < 0x80) return 1;
  if (first < 0xc2 || first > 0xf4) return 0;
  const second = bytes[at + 1] ?? 0;
  const [low, high] = secondByteRange(first);
  if (second < low || second > high) return 0;
  const length = first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
  for (let index = at + 2; index < at + length; index++)
    if (((bytes[index] ?? 0) & 0xc0) !== 0x80) return 0;
  return length;
}

/** No overlong forms, no surrogates, nothing beyond U+10FFFF. */
function secondByteRange(first: number): readonly [number, number] {
  if (first === 0xe0) return [0xa0, 0xbf];
  if (first === 0xed) return [0x80, 0x9f];
  if (first === 0xf0) return [0x90, 0xbf];
  if (first === 0xf4) return [0x80, 0x8f];
  return [0x80, 0xbf];
}

function lineAt(bytes: Uint8Array, offset: number): number {
  let line = 1;
  for (let at = bytes.indexOf(10); at !== -1 && at < offset; at = bytes.indexOf(10, at + 1)) line++;
  return line;
}
