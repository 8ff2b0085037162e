// What a line of Markdown begins, seen from its first characters (after quotes and items around it are taken off).

import { expandTabs } from '../cells.ts';

export type LineStart =
  | { readonly kind: 'blank' }
  | { readonly kind: 'quote'; readonly rest: string }
  | {
      readonly kind: 'item';
      /** As it is shown: `• ` or the number as written. */
      readonly marker: string;
      /** Spaces before the marker. */
      readonly column: number;
      /** Spaces that a line needs to belong to the item. */
      readonly offset: number;
      readonly rest: string;
    }
  | { readonly kind: 'heading'; readonly hashes: string; readonly text: string }
  | {
      readonly kind: 'fence';
      readonly fence: string;
      readonly indent: number;
      readonly info: string;
    }
  | { readonly kind: 'rule' }
  | { readonly kind: 'html'; readonly end: RegExp | 'blank'; readonly text: string }
  | { readonly kind: 'code'; readonly text: string }
  /** Begins with a pipe: the head of a table, if the next line says so. */
  | { readonly kind: 'row'; readonly text: string }
  | { readonly kind: 'text'; readonly text: string }
  /** The rest of the line decides. */
  | { readonly kind: 'wait' };

export interface LineContext {
  /** More of the line may follow. */
  readonly partial: boolean;
  /** The line could go on with a paragraph. */
  readonly paragraph: boolean;
  /** That paragraph stands in the same quote or item, so that not every list may interrupt it. */
  readonly beside: boolean;
}

const QUOTE = /^ {0,3}>[ \t]?/;
const HEADING = /^(#{1,6})(?=[ \t]|$)/;
const CLOSING_HASHES = /(?:^|[ \t])#+$/;
const FENCE = /^( {0,3})(`{3,}(?=[^`]*$)|~{3,})(.*)$/;
const RULE = /^ {0,3}([-*_])(?:[ \t]*\1){2,}[ \t]*$/;
const ITEM = /^( {0,3})([-+*]|\d{1,9}[.)])(?=[ \t]|$)/;
const RAW_HTML: readonly (readonly [RegExp, RegExp])[] = [
  [/^<(?:script|pre|style|textarea)(?:\s|>|$)/i, /<\/(?:script|pre|style|textarea)>/i],
  [/^<!--/, /-->/],
  [/^<\?/, /\?>/],
  [/^<![a-z]/i, />/],
];
const BLOCK_TAG =
  /^<\/?(?:address|article|aside|blockquote|body|center|dd|details|dialog|div|dl|dt|fieldset|figcaption|figure|footer|form|h[1-6]|head|header|hr|html|iframe|legend|li|link|main|menu|nav|ol|optgroup|option|p|section|summary|table|tbody|td|tfoot|th|thead|title|tr|ul)(?:\s|\/?>|$)/i;
const LONE_TAG = /^<\/?[a-z][a-z0-9-]*(?:\s[^<>]*)?\/?>\s*$/i;

// Starts of lines that may still become something else than text. Everything else is text from its first character on.
const UNDECIDED =
  /^(?:#{1,6}(?:[ \t].*)?|[-+]|[-*_][-*_ \t]*|`{1,2}|`{3}.*|~{1,2}|~{3}.*|[|<].*|\d{1,9}[.)]?)$/s;

/** Classifies a line without its line end. Of a partial line only quotes, items and sure text are told; then the answer is the one that the whole line would get. */
export function lineStart(line: string, context: LineContext): LineStart {
  const { partial, paragraph } = context;
  const indent = indentOf(line);
  const text = line.slice(indent);
  if (text === '') return { kind: partial ? 'wait' : 'blank' };
  if (indent >= 4 && paragraph) return { kind: 'text', text };
  if (indent >= 4) return partial ? { kind: 'wait' } : { kind: 'code', text: line };
  const quoted = insideQuote(line);
  if (quoted !== undefined) return { kind: 'quote', rest: quoted };
  if (partial && UNDECIDED.test(text)) return { kind: 'wait' };
  if (RULE.test(line)) return { kind: 'rule' };
  return item(line, context) ?? (partial ? { kind: 'text', text } : leaf(line, text, paragraph));
}

/** What stands behind the sign of a quote; undefined when there is none. */
export function insideQuote(line: string): string | undefined {
  const sign = QUOTE.exec(line);
  return sign === null ? undefined : expandIndent(line.slice(sign[0].length));
}

/** How many spaces and tabs stand before the text; other white space is text. */
export const indentOf = (line: string): number => /^[ \t]*/.exec(line)?.[0].length ?? 0;

/** The line with tabs before its text as spaces, since structure is counted in spaces. */
export function expandIndent(line: string): string {
  const indent = line.slice(0, indentOf(line));
  return indent.includes('\t') ? expandTabs(indent) + line.slice(indent.length) : line;
}

function item(line: string, { partial, beside }: LineContext): LineStart | undefined {
  const found = ITEM.exec(line);
  if (found === null) return undefined;
  const [whole, before = '', sign = ''] = found;
  const behind = expandIndent(line.slice(whole.length));
  const spaces = indentOf(behind);
  const rest = behind.slice(spaces);
  const ordered = /\d/.test(sign);
  if (partial && rest === '') return { kind: 'wait' };
  if (beside && (rest === '' || (ordered && Number.parseInt(sign, 10) !== 1))) return undefined;
  // Five spaces and more are one space and indented code.
  const kept = rest === '' || spaces > 4 ? 1 : spaces;
  return {
    kind: 'item',
    marker: ordered ? `${sign} ` : '• ',
    column: before.length,
    offset: before.length + sign.length + kept,
    rest: behind.slice(Math.min(kept, spaces)),
  };
}

function leaf(line: string, text: string, paragraph: boolean): LineStart {
  const heading = HEADING.exec(text);
  if (heading !== null) {
    const hashes = heading[0];
    const title = text.slice(hashes.length).trim().replace(CLOSING_HASHES, '').trim();
    return { kind: 'heading', hashes, text: title };
  }
  const fence = FENCE.exec(line);
  if (fence !== null)
    return {
      kind: 'fence',
      indent: (fence[1] ?? '').length,
      fence: fence[2] ?? '',
      info: (fence[3] ?? '').trim(),
    };
  if (text.startsWith('|')) return { kind: 'row', text };
  const raw = RAW_HTML.find(([start]) => start.test(text));
  if (raw !== undefined) return { kind: 'html', end: raw[1], text: line };
  if (BLOCK_TAG.test(text) || (!paragraph && LONE_TAG.test(text)))
    return { kind: 'html', end: 'blank', text: line };
  return { kind: 'text', text };
}
