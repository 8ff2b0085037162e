// The innermost blocks: paragraphs as they come, code and HTML line by line, tables when they are complete.

import { addAll } from '../../lists.ts';
import { expandTabs, rowOf } from '../cells.ts';
import { flow } from '../flow.ts';
import { marked, plain, type Span } from '../spans.ts';
import { inlineReader, type ParseInline } from './inline.ts';
import type { LineStart } from './line-start.ts';
import type { Page } from './page.ts';
import { type Alignment, layTable, splitRow } from './table.ts';

export interface Leaf {
  readonly kind: 'paragraph' | 'verbatim' | 'table';
  /** Whether a verbatim block takes the line. */
  keeps(line: string): boolean;
  /** Takes a line (a paragraph: any text, line ends included). False when the block ends with it. */
  add(text: string): boolean;
  /** Text that is not on the page yet. */
  waiting(): string;
  end(): void;
}

const LONGEST_RULE = 40;

export function paragraph(page: Page, parse: ParseInline): Leaf {
  const rows = flow(page);
  const reader = inlineReader(parse, rows.add);
  return {
    kind: 'paragraph',
    keeps: () => true,
    add(text) {
      if (text !== '\n') rows.open();
      reader.add(text);
      return true;
    },
    waiting: () => rows.waiting() + reader.waiting(),
    end() {
      reader.end();
      rows.end();
    },
  };
}

/** All spans of a text that is complete. */
function spansOf(text: string, parse: ParseInline): Span[] {
  const spans: Span[] = [];
  const reader = inlineReader(parse, (more) => addAll(spans, more));
  reader.add(text);
  reader.end();
  return spans;
}

/** A heading at once. `keepSigns`: its hashes are shown, since no style can tell its level. */
export function putHeading(
  page: Page,
  parse: ParseInline,
  { hashes, text, keepSigns }: { hashes: string; text: string; keepSigns: boolean },
): void {
  const spans = marked(spansOf(text, parse), hashes.length === 1 ? 'title' : 'heading');
  const rows = flow(page);
  rows.add(keepSigns || spans.length === 0 ? [plain(`${hashes} `), ...spans] : spans);
  rows.end();
}

export function putRule(page: Page): void {
  putFaint(page, '─'.repeat(page.room));
}

export function fenced(page: Page, start: Extract<LineStart, { kind: 'fence' }>): Leaf {
  const closing = new RegExp(`^ {0,3}${start.fence.charAt(0)}{${start.fence.length},}[ \\t]*$`);
  const indent = new RegExp(`^ {0,${start.indent}}`);
  putLabel(page, start.info);
  return {
    kind: 'verbatim',
    keeps: () => true,
    add(line) {
      if (closing.test(line)) return false;
      putVerbatim(page, line.replace(indent, ''));
      return true;
    },
    waiting: () => '',
    end: () => putFaint(page, '─'.repeat(Math.min(page.room, LONGEST_RULE))),
  };
}

export function indented(page: Page): Leaf {
  let blanks = 0;
  putLabel(page, '');
  return {
    kind: 'verbatim',
    keeps: (line) => line.trim() === '' || line.startsWith('    '),
    add(line) {
      if (line.trim() === '') {
        blanks += 1;
        return true;
      }
      for (; blanks > 0; blanks--) putVerbatim(page, '');
      putVerbatim(page, line.slice(4));
      return true;
    },
    waiting: () => '',
    end() {
      putFaint(page, '─'.repeat(Math.min(page.room, LONGEST_RULE)));
      if (blanks > 0) page.blank();
    },
  };
}

/** HTML is shown as it is written. */
export function html(page: Page, { end }: Extract<LineStart, { kind: 'html' }>): Leaf {
  return {
    kind: 'verbatim',
    keeps: (line) => end !== 'blank' || line.trim() !== '',
    add(line) {
      putVerbatim(page, line);
      return end === 'blank' || !end.test(line);
    },
    waiting: () => '',
    end: () => {},
  };
}

export function table(
  page: Page,
  parse: ParseInline,
  { head, alignments }: { head: string; alignments: readonly Alignment[] },
): Leaf {
  const lines: string[] = [];
  const cellsOf = (line: string) => splitRow(line).map((cell) => spansOf(cell, parse));
  return {
    kind: 'table',
    keeps: () => true,
    add(line) {
      lines.push(line);
      return true;
    },
    waiting: () => lines.at(-1) ?? head,
    end() {
      const rows = lines.map(cellsOf);
      for (const spans of layTable({ head: cellsOf(head), rows, alignments }, page.room))
        putRow(page, spans);
    },
  };
}

function putLabel(page: Page, label: string): void {
  const { room } = page;
  const start = label === '' ? '' : `── ${label} `;
  const width = Math.min(room, LONGEST_RULE);
  if (/^[\x20-\x7e]*$/.test(label) && start.length + 2 <= room) {
    putFaint(page, start.padEnd(width, '─'));
    return;
  }
  const rows = flow(page);
  rows.add([{ text: label, marks: ['faint'] }]);
  rows.end();
  putFaint(page, '─'.repeat(width));
}

/** A line as it is, cut into rows where it is too long. */
function putVerbatim(page: Page, line: string): void {
  let rest = expandTabs(line);
  do {
    const room = page.begin();
    const part = rest === '' ? '' : rowOf(rest, room);
    page.text([plain(part)]);
    page.end();
    rest = rest.slice(part.length);
  } while (rest !== '');
}

const putFaint = (page: Page, text: string): void => putRow(page, [{ text, marks: ['faint'] }]);

function putRow(page: Page, spans: readonly Span[]): void {
  page.begin();
  page.text(spans);
  page.end();
}
