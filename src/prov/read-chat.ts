// A chat file as facts. The file is read once and parsed, never compiled; what cannot be read is told with its reason.

import { isAscii } from 'node:buffer';
import { decode } from '../chat/decode.ts';
import { parse } from '../chat/parse.ts';
import { Failure } from '../errors.ts';
import type { Warn } from '../types.ts';
import { asciiText } from './ascii.ts';
import { chatFacts } from './chat-facts.ts';
import { withLineage } from './lineage.ts';
import { recalled } from './recalled.ts';
import { isAnonymous } from './request-fields.ts';
import type { ChatFacts, ChatProblem } from './types/facts.ts';
import type { Memory, ProvFiles } from './types/ports.ts';
import type { WarningReason } from './types/warnings.ts';
import type { Place } from './walk-types.ts';

/** Bytes of the longest text that one string is sure to hold. */
const LONGEST = 2 ** 29 - 25;

/** Throws a Failure: nothing there, not a file, no permission, too large, UTF-16. */
export function readChat(
  { path, itself }: Pick<Place, 'path' | 'itself'>,
  files: ProvFiles,
  memory?: Memory,
): ChatFacts {
  const known = memory && recalled(path, files, memory);
  if (known !== undefined) return known as ChatFacts;
  // Only a file is tried: what is read out of a pipe is gone for whoever waits for it.
  const short = memory === undefined && itself === 'file' ? shortText(path, files) : undefined;
  if (short !== undefined && !short.includes('\0')) return textFacts(short, []);
  const { bytes } = files.load(path, LONGEST);
  return factsOf(bytes, path);
}

/** The text of a plain, short chat at the least price. What is wrong with a file is told by the long way. */
function shortText(place: string, { readShort }: ProvFiles): string | undefined {
  try {
    return readShort?.(place, { sure: true });
  } catch {
    return undefined;
  }
}

/** How a chat that could not be read is told. */
export const reasonOf = (error: unknown): WarningReason =>
  error instanceof Failure && error.code === 'file-too-large' ? 'too_large' : 'unreadable';

function factsOf(bytes: Uint8Array, place: string): ChatFacts {
  const problems: ChatProblem[] = [];
  const isBinary = bytes.includes(0);
  if (isBinary) problems.push(BINARY);
  const text = textOf(bytes, place, isBinary ? undefined : teller(problems));
  return textFacts(text, problems, isBinary);
}

function textFacts(text: string, problems: ChatProblem[], isBinary = false): ChatFacts {
  const chat = parse(text, isBinary ? {} : { warn: teller(problems) });
  const facts = chatFacts(chat);
  const whole =
    problems.length === 0 ? facts : { ...facts, problems: [...problems, ...facts.problems] };
  if (!facts.requests.some(isAnonymous)) return whole;
  return withLineage(whole, chat);
}

function textOf(bytes: Uint8Array, file: string, warn: Warn | undefined): string {
  if (warn !== undefined && isAscii(bytes)) return asciiText(bytes);
  return decode(bytes, { file, ...(warn === undefined ? {} : { warn }) });
}

const BINARY: ChatProblem = {
  reason: 'binary',
  message: 'it holds zero bytes, so it is hardly a chat; what can be read of it is counted',
};

const teller =
  (problems: ChatProblem[]): Warn =>
  ({ code, message, origin }) =>
    problems.push({
      reason: code === 'unclosed-block' ? 'unclosed_block' : 'bad_utf_8',
      message: code === 'unclosed-block' ? `line ${origin?.line}: ${message}` : message,
    });
