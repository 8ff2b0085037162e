// The form of messages that survives being written and read again.

import { usageFailure } from '../errors.ts';
import type { Message, MessageInput } from '../types.ts';
import { withoutCarriageReturns } from './parse.ts';
import { trimmed } from './white-space.ts';

/**
 * Each message with its content as text: null and undefined become '', objects and arrays their JSON on one line, numbers
 * and the like what they print as; strings are trimmed, and CRLF in them becomes LF, however many CR it has. Role and origin
 * stay; what is in this form already is not changed.
 * Half surrogate pairs stay too, in memory; a file in UTF-8 cannot hold them and stores U+FFFD.
 */
export function normalise(messages: readonly MessageInput[]): Message[] {
  return messages.map((message) => ({
    role: message.role,
    content: contentText(message),
    ...(message.origin === undefined ? {} : { origin: message.origin }),
  }));
}

/** Content as text, in the form that reading gives back. Fails on an object that has no JSON (a circle in it). */
export function contentText({ role, content, origin }: MessageInput): string {
  if (content === null || content === undefined) return '';
  if (typeof content === 'string') return trimmed(withoutCarriageReturns(content));
  if (typeof content !== 'object') return trimmed(withoutCarriageReturns(String(content)));
  try {
    return JSON.stringify(content) ?? '';
  } catch (cause) {
    throw usageFailure('bad-content', `a "${role}" message has content that cannot be JSON`, {
      cause,
      ...(origin === undefined ? {} : { at: origin }),
    });
  }
}
