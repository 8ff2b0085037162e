// Makes the text that adds messages to a chat. What stands in the chat already is never changed by it, nor does it change
// the meaning of what is added.

import { usageFailure } from '../errors.ts';
import type { MessageInput } from '../types.ts';
import type { WaitingTags } from './escape.ts';
import { blockName } from './parse.ts';
import { printAfter } from './print.ts';
import { tagNameEnd } from './tags.ts';
import { type Block, type BlockKind, lineEnd, walk } from './walk.ts';
import { skipWhite } from './white-space.ts';

/** A block that runs to the end of a chat text. */
export interface OpenBlock {
  /** Where it opens, counted from 1. */
  readonly line: number;
  readonly kind: BlockKind;
}

export interface AppendOptions {
  /** Named in failures. */
  readonly file?: string;
}

/** Adds to one chat text, of which it remembers what matters: the cost of adding does not grow with the text. */
export interface Appender {
  /** Fails (exit 2, `open-block`) with the line that opened it when the text ends inside a block. */
  check(): void;
  /** The text to put behind what is there. '' for no messages. Fails as `check` and `print` do, and then adds nothing. */
  add(messages: readonly MessageInput[]): string;
}

/**
 * The text to add to a chat, for which `parse(oldText + append(oldText, messages))` equals `parse(oldText)` followed by
 * `normalise(messages)`. Line ends are those of the chat. Fails (exit 2, `open-block`) when the chat ends inside a block.
 */
export function append(
  oldText: string,
  messages: readonly MessageInput[],
  options: AppendOptions = {},
): string {
  return appender(oldText, options).add(messages);
}

/** The same for many additions to one text, each behind the one before. */
export function appender(text: string, options: AppendOptions = {}): Appender {
  const lineEnding = lineEndingOf(text);
  let state: Ending | undefined;
  let separator = separatorBehind(text, lineEnding);
  const check = () => {
    state ??= inspect(text);
    if (state.open !== undefined) throw openBlockFailure(state.open, options.file);
    return state;
  };
  return {
    check() {
      check();
    },
    add(messages) {
      const { waiting } = check();
      const added = printAfter(messages, waiting, lineEnding);
      if (added === '') return '';
      const before = separator;
      // Nothing that is added opens a block or leaves a tag open, so the rest of the state stands.
      separator = lineEnding;
      return before + added;
    },
  };
}

/** The block that the text ends in, undefined when a message could be added behind it. */
export function openBlock(text: string): OpenBlock | undefined {
  return inspect(text).open;
}

interface Ending {
  readonly open: OpenBlock | undefined;
  readonly waiting: WaitingTags;
}

function inspect(text: string): Ending {
  const waiting = new Set<string>();
  let open: Block | undefined;
  walk(text, {
    header() {},
    block(block) {
      if (block.closerStart === -1) open = block;
    },
    openTag(start, end) {
      const name = skipWhite(text, start, end) + 1;
      waiting.add(text.slice(name, tagNameEnd(text, name, end)));
    },
  });
  return { open: open && { line: open.line, kind: open.kind }, waiting };
}

function openBlockFailure(open: OpenBlock, file: string | undefined) {
  return usageFailure(
    'open-block',
    `nothing can be added: the ${blockName(open.kind)} that opens here is never closed`,
    {
      at: file === undefined ? { line: open.line } : { file, line: open.line },
      next: 'close it, or put a backslash before the line that opens it',
    },
  );
}

/** As its first line ends, so does the chat. */
function lineEndingOf(text: string): '\n' | '\r\n' {
  const end = lineEnd(text, 0);
  return end > 0 && text[end - 1] === '\r' ? '\r\n' : '\n';
}

/** What has to stand between the text and a new message: the end of its last line, and one blank line. */
function separatorBehind(text: string, lineEnding: string): string {
  if (text === '' || text === '\ufeff') return '';
  if (!text.endsWith('\n')) return lineEnding + lineEnding;
  return /(^|\n)\r?\n$/.test(text.slice(-4)) ? '' : lineEnding;
}
