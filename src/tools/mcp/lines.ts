// What a server writes to its standard output, byte by byte: messages, and the noise between them. Keeps one line in memory at most.

import { isMessage, type WireMessage, wellFormed } from './well-formed.ts';

export interface LineReader {
  push(bytes: Uint8Array): void;
}

export interface LineSinks {
  readonly onMessage: (message: WireMessage) => void;
  /** Text that is no message. */
  readonly onNoise: (text: string) => void;
}

/** A message may be as long as this, in bytes; what is longer is none. */
export const LONGEST = 64_000_000;
/** How much of a line that is no message is looked through for one. */
const TRIES = 50;
const OBJECT = /\{\s*"/g;

/** Only LF ends a line; a CR before it is dropped, and a byte order mark at its start. */
export function lineReader({ onMessage, onNoise }: LineSinks): LineReader {
  let pieces: Uint8Array[] = [];
  let length = 0;
  let tooLong = false;
  const take = () => {
    const line = Buffer.concat(pieces)
      .toString('utf8')
      .replace(/^\uFEFF/, '')
      .replace(/\r$/, '');
    if (tooLong) onNoise(`${line.slice(0, 200)}… (a line of more than ${LONGEST} bytes)`);
    else readLine(line, { onMessage, onNoise });
    pieces = [];
    length = 0;
    tooLong = false;
  };
  const keep = (piece: Uint8Array) => {
    if (tooLong || piece.length === 0) return;
    length += piece.length;
    if (length > LONGEST) {
      tooLong = true;
      pieces = [Buffer.concat(pieces).subarray(0, 1000)];
    } else pieces.push(piece);
  };
  return {
    push(bytes) {
      let start = 0;
      for (let end = bytes.indexOf(10); end >= 0; end = bytes.indexOf(10, start)) {
        keep(bytes.subarray(start, end));
        take();
        start = end + 1;
      }
      keep(bytes.subarray(start));
    },
  };
}

function readLine(line: string, { onMessage, onNoise }: LineSinks): void {
  if (line.trim() === '') return;
  const whole = messagesIn(parsed(line));
  if (whole !== undefined) for (const message of whole) onMessage(wellFormed(message));
  else glued(line, onMessage, onNoise);
}

/** One message, or those of a batch; undefined when it is neither. */
function messagesIn(value: unknown): readonly WireMessage[] | undefined {
  if (isMessage(value)) return [value];
  return Array.isArray(value) && value.length > 0 && value.every(isMessage) ? value : undefined;
}

/** Messages that stand in a line with something else: a banner without a line end before one, or two in one line. */
function glued(line: string, onMessage: LineSinks['onMessage'], onNoise: LineSinks['onNoise']) {
  let noise = '';
  let rest = 0;
  const next = (from: number) => {
    // The beginning of an object with a field: a row of braces is looked through once, not once for each brace.
    OBJECT.lastIndex = from;
    return OBJECT.exec(line)?.index ?? -1;
  };
  let start = next(0);
  for (let tries = 0; start >= 0 && tries < TRIES; tries++) {
    const end = objectEnd(line, start);
    const found = end === undefined ? undefined : messagesIn(parsed(line.slice(start, end)));
    if (found === undefined || end === undefined) {
      start = next(start + 1);
      continue;
    }
    noise += line.slice(rest, start);
    for (const message of found) onMessage(wellFormed(message));
    rest = end;
    start = next(end);
  }
  noise += line.slice(rest);
  if (noise.trim() !== '') onNoise(noise);
}

/** Where the object that begins there ends; braces in its strings do not count. */
function objectEnd(text: string, start: number): number | undefined {
  let depth = 0;
  let inString = false;
  for (let index = start; index < text.length; index++) {
    const character = text.charAt(index);
    if (inString) {
      if (character === '\\') index++;
      else if (character === '"') inString = false;
    } else if (character === '"') inString = true;
    else if (character === '{') depth++;
    else if (character === '}' && --depth === 0) return index + 1;
  }
  return undefined;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
