// Shows a chat in other forms than its own: a line a message, Markdown for reading, JSON. Text in, text out.

import { usageFailure } from '../errors.ts';
import { parsedJson } from '../json.ts';
import type { Chat, MessageInput } from '../types.ts';
import { openBlock } from './append.ts';
import { print } from './print.ts';

/** Characters of a message that its line in the brief view shows. */
const PREVIEW = 60;

export interface BriefOptions {
  /** Roles whose messages are shown whole. */
  readonly expand?: readonly string[];
  /** A digest of a text as hexadecimal digits. */
  readonly digest: (text: string) => string;
  /** Makes what is shown of a text fit a line of which so many characters are taken. */
  readonly toFit?: (text: string, taken: number) => string;
}

/** One line a message: role, first characters, size in characters, start of its digest. Messages of expanded roles are chat text. */
export function brief(chat: Chat, { expand = [], digest, toFit }: BriefOptions): string {
  return chat
    .map((message) => {
      const { role, content } = message;
      if (expand.includes(role)) return `${print([message])}\n`;
      const size = countCharacters(content);
      const unit = size === 1 ? 'character' : 'characters';
      const facts = ` (${size} ${unit}, ${digest(content).slice(0, 8)})`;
      const start = preview(content);
      const text = toFit?.(start, role.length + 2 + facts.length) ?? start;
      return `${`${role}: ${text}`.trimEnd()}${facts}\n`;
    })
    .join('');
}

/** The turns of user and assistant as one Markdown document, each below a heading. */
export function markdown(chat: Chat): string {
  return chat
    .filter(({ role, content }) => (role === 'user' || role === 'assistant') && content !== '')
    .map(
      ({ role, content }) => `## ${role === 'user' ? 'User' : 'Assistant'}\n\n${closed(content)}\n`,
    )
    .join('\n');
}

/** A JSON list of `{"role", "content"}`, a message a line. */
export function toJson(chat: Chat): string {
  const items = chat.map(({ role, content }) => JSON.stringify({ role, content }));
  return jsonLines(items);
}

/** A JSON list with each item, which is JSON already, on a line of its own. */
export function jsonLines(items: readonly string[]): string {
  return items.length === 0 ? '[]\n' : `[\n${items.join(',\n')}\n]\n`;
}

/**
 * The messages of a JSON list of `{"role", "content"}`; content may be any JSON value. Anything else is a usage Failure
 * (exit 2, `bad-json`) that says what was expected where.
 */
export function fromJson(text: string, file: string): MessageInput[] {
  const list = readJson(text, file);
  if (!Array.isArray(list)) throw badJson(file, 'it holds no list');
  return list.map((item: unknown, index) => {
    const place = `entry ${index + 1} of the list`;
    if (typeof item !== 'object' || item === null || Array.isArray(item))
      throw badJson(file, `${place} is no object`);
    if (!('role' in item) || typeof item.role !== 'string')
      throw badJson(file, `${place} has no "role" that is a string`);
    return { role: item.role, content: 'content' in item ? item.content : null };
  });
}

function readJson(text: string, file: string): unknown {
  try {
    return parsedJson(text.replace(/^\ufeff/, ''));
  } catch (cause) {
    throw badJson(file, cause instanceof Error ? cause.message : 'it is no JSON', cause);
  }
}

function badJson(file: string, why: string, cause?: unknown) {
  return usageFailure('bad-json', `cannot read "${file}" as messages: ${why}`, {
    cause,
    next: 'give a list like [{"role": "user", "content": "hello"}], which is what --json prints',
  });
}

/** The start of a content on one line. */
function preview(content: string): string {
  // Far more than is shown, so that a content of megabytes is not looked through.
  const start = content.slice(0, PREVIEW * 8).replace(/[ \t\n\v\f\r]+/g, ' ');
  const characters = [...start];
  const isWhole = characters.length <= PREVIEW && content.length <= PREVIEW * 8;
  return isWhole ? start : `${characters.slice(0, PREVIEW - 1).join('')}…`;
}

function countCharacters(text: string): number {
  let count = 0;
  for (const _ of text) count++;
  return count;
}

/** A content whose last code fence is closed, so that what follows stays outside of it. */
function closed(content: string): string {
  const open = openBlock(content);
  if (open?.kind !== 'fence') return content;
  const opener = content.split('\n')[open.line - 1] ?? '';
  return `${content}\n${/[`~]+/.exec(opener)?.[0] ?? ''}`;
}
