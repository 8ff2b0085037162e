// Writes messages as chat text. What a content holds never becomes a header, a block or part of a neighbour on reading.

import { usageFailure } from '../errors.ts';
import type { MessageInput } from '../types.ts';
import { classify, LINE, roleEnd } from './classify.ts';
import { escapeLines, holdsCloserOf, type WaitingTags } from './escape.ts';
import { contentText } from './normalise.ts';

/** Roles whose content stands behind the header, on the same line, when it fits there. */
const INLINE_ROLES: ReadonlySet<string> = new Set([
  'option',
  'previous_response_id',
  'function_call',
  'function_call_output',
  'meta',
  'provider_content',
]);

const NOTHING: WaitingTags = new Set();

/**
 * Chat text for which `parse(print(messages))` equals `normalise(messages)`. '' for no messages; otherwise the messages
 * have one blank line between them and the text ends with a newline. Fails (exit 2, `bad-role`) on a role that no header
 * can hold.
 */
export function print(messages: readonly MessageInput[]): string {
  return printAfter(messages, NOTHING, '\n');
}

/** The same behind a text in which some tags stand open, with its line ends. */
export function printAfter(
  messages: readonly MessageInput[],
  waiting: WaitingTags,
  lineEnding: '\n' | '\r\n',
): string {
  const text = messages.map((message) => printMessage(message, waiting)).join('\n');
  // No content in its normal form has a CR before an LF, so what is written here is the only one there.
  return lineEnding === '\n' ? text : text.replace(/\n/g, '\r\n');
}

function printMessage(message: MessageInput, waiting: WaitingTags): string {
  const { role } = message;
  checkRole(message);
  const content = contentText(message);
  if (content === '') return `${role}:\n`;
  const isData = typeof message.content === 'object';
  if (INLINE_ROLES.has(role) && !isData && !content.includes('\n')) {
    const line = `${role}: ${content}`;
    const isPlain = classify(line, 0, line.length) === LINE.inline;
    if (isPlain && !holdsCloserOf(line, waiting)) return `${line}\n`;
  }
  return `${role}:\n\n${escapeLines(content, waiting)}\n`;
}

function checkRole({ role, origin }: MessageInput): void {
  if (typeof role === 'string' && role !== '' && roleEnd(role, 0, role.length) === role.length)
    return;
  throw usageFailure('bad-role', `no message can have the role ${JSON.stringify(role)}`, {
    next: 'a role is made of lower-case letters, digits and "_"',
    ...(origin === undefined ? {} : { at: origin }),
  });
}
