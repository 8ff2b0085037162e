// Reads Markdown as it comes and puts it on the page block by block. Lines are read when they are complete, paragraphs from
// the moment at which nothing else can come of their line. The page does not depend on the pieces in which the text came.

import type { ParseInline } from './inline.ts';
import {
  fenced,
  html,
  indented,
  type Leaf,
  paragraph,
  putHeading,
  putRule,
  table,
} from './leaves.ts';
import type { Page } from './page.ts';
import { type Container, type Placement, place } from './structure.ts';
import { readDelimiter, splitRow } from './table.ts';

export interface BlockReader {
  feed(text: string): void;
  /** The end of what is not on the page yet, as written. */
  waiting(): string;
  end(): void;
}

/** The start of a line is placed within so many characters, or with its end. */
const LONGEST_START = 256;
const LONGEST_WAITING = 400;

export function blockReader(page: Page, parse: ParseInline, keepSigns: boolean): BlockReader {
  let containers: readonly Container[] = [];
  let leaf: Leaf | undefined;
  /** A line of the open paragraph that is the head of a table if the next line says so. */
  let head: string | undefined;
  let line = '';
  /** The end of `line`: cheap to look at however long the line gets. */
  let lineTail = '';
  /** The paragraph takes the rest of the line as it comes. */
  let placed = false;

  const endLeaf = () => {
    leaf?.end();
    leaf = undefined;
  };
  const keep = (kept: readonly Container[]) => {
    endLeaf();
    containers = kept;
    page.close(kept.length);
  };
  const addText = (text: string) => {
    leaf ??= paragraph(page, parse);
    if (!leaf.add(text)) endLeaf();
  };
  const begin = (start: Placement['start'], lineEnd: string) => {
    switch (start.kind) {
      case 'heading':
        return putHeading(page, parse, { ...start, keepSigns });
      case 'rule':
        return putRule(page);
      case 'fence':
        leaf = fenced(page, start);
        return;
      case 'html':
        leaf = html(page, start);
        return addText(start.text);
      case 'code':
        leaf = indented(page);
        return addText(start.text);
      case 'row':
        leaf = paragraph(page, parse);
        head = start.text;
        return;
      case 'text':
      case 'more':
        return addText(start.text + lineEnd);
      case 'blank':
        return;
    }
  };
  const apply = ({ kept, opened, start }: Placement, partial: boolean) => {
    const lineEnd = partial ? '' : '\n';
    if (start.kind === 'more') {
      containers = kept;
      return addText(leaf?.kind === 'paragraph' ? start.text + lineEnd : start.text);
    }
    const same = opened.length === 0 && kept.length === containers.length;
    if (same && start.kind === 'row' && leaf?.kind === 'paragraph') {
      head = start.text;
      return;
    }
    keep(kept);
    if (start.kind === 'blank' && opened.length === 0) return page.blank();
    page.settleBlank();
    for (const container of opened) page.open(container);
    containers = [...kept, ...opened];
    begin(start, lineEnd);
  };
  const startTable = ({ kept, opened, start }: Placement): boolean => {
    if (head === undefined || opened.length > 0 || kept.length < containers.length) return false;
    const alignments =
      start.kind === 'row' || start.kind === 'more' ? readDelimiter(start.text) : undefined;
    if (alignments === undefined || splitRow(head).length !== alignments.length) return false;
    endLeaf();
    leaf = table(page, parse, { head, alignments });
    return true;
  };
  const settleHead = () => {
    if (head !== undefined) addText(`${head}\n`);
    head = undefined;
  };
  /** False when more of the line must be seen first. */
  const read = (text: string, partial: boolean): boolean => {
    if (partial && head !== undefined) return false;
    const open = {
      containers,
      leaf: leaf?.kind ?? 'none',
      keeps: (rest: string) => leaf?.keeps(rest) === true,
    } as const;
    const placement = place(text, open, partial);
    if (placement === undefined) return false;
    if (startTable(placement)) head = undefined;
    else {
      settleHead();
      apply(placement, partial);
    }
    return true;
  };
  const endLine = (rest: string) => {
    if (placed) addText(`${rest}\n`);
    else read(line + rest, false);
    line = '';
    lineTail = '';
    placed = false;
  };
  const goOn = (text: string) => {
    if (placed) return addText(text);
    const looked = line.length > LONGEST_START;
    line += text;
    lineTail = (lineTail + text).slice(-LONGEST_WAITING);
    placed = !looked && read(line, true);
    if (placed) line = '';
  };
  return {
    feed(text) {
      let from = 0;
      for (let end = text.indexOf('\n'); end !== -1; end = text.indexOf('\n', from)) {
        endLine(text.slice(from, end));
        from = end + 1;
      }
      if (from < text.length) goOn(text.slice(from));
    },
    waiting() {
      const shown = placed ? '' : lineTail || (head ?? '');
      if (leaf?.kind === 'paragraph') return leaf.waiting() + shown;
      return shown || (leaf?.waiting() ?? '');
    },
    end() {
      if (!placed && line !== '') endLine('');
      settleHead();
      keep([]);
      page.reset();
      line = '';
      lineTail = '';
      placed = false;
    },
  };
}
