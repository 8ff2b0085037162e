// A page as roff for man(1). Dates and versions stay out of it, so that a page changes only when its text does.

import { type Block, type Page, type Span, spans, type Term } from './page.ts';

/** The whole text of a manual page. */
export function toRoff(page: Page): string {
  const title = escapeRoff(page.name);
  return [
    '.\\" Made by "npm run man"; edit its source, not this file.',
    `.TH "${title.toUpperCase()}" "${page.section}" "" "scout\\-chat" "Chat manual"`,
    // No hyphenation and a ragged edge: commands can be copied as they stand.
    '.nh',
    '.ad l',
    '.SH NAME',
    `${title} \\- ${inline(page.summary)}`,
    ...page.blocks.map(blockText),
    '',
  ].join('\n');
}

function blockText(block: Block): string {
  switch (block.kind) {
    case 'section':
      return `.SH ${quoted(block.text.toUpperCase())}`;
    case 'subsection':
      return `.SS ${quoted(block.text)}`;
    case 'paragraph':
      return `.PP\n${line(inline(block.text))}`;
    case 'code':
      return `.PP\n.RS 4\n.nf\n${block.text.split('\n').map(codeLine).join('\n')}\n.fi\n.RE`;
    case 'list':
      return block.items.map((item) => `.IP \\(bu 2\n${line(inline(item))}`).join('\n');
    case 'terms':
      return block.items.map(termText).join('\n');
  }
}

function termText([name, meaning]: Term): string {
  return `.TP\n${line(inline(name))}\n${line(inline(meaning))}`;
}

const quoted = (text: string): string => `"${escapeRoff(text)}"`;

/** An empty line inside an example would be dropped or doubled by some formatters. */
const codeLine = (text: string): string => (text === '' ? '\\&' : line(escapeRoff(text)));

/** A line that begins with a dot or a quote would be taken for a request. */
const line = (text: string): string => (/^[.']/.test(text) ? `\\&${text}` : text);

function inline(text: string): string {
  return spans(text).map(spanText).join('');
}

const FONTS = { plain: '', strong: 'B', emphasised: 'I' } as const;

function spanText({ text, style }: Span): string {
  const font = FONTS[style];
  return font === '' ? escapeRoff(text) : `\\f${font}${escapeRoff(text)}\\fR`;
}

const SPECIAL: Readonly<Record<string, string>> = {
  '\\': '\\e',
  '-': '\\-',
  "'": '\\(aq',
  '"': '\\(dq',
  '`': '\\(ga',
  '^': '\\(ha',
  '~': '\\(ti',
};

/** Every character stands for itself; characters outside ASCII are named by their number. */
function escapeRoff(text: string): string {
  return text.replace(/[\\\-'"`^~]|[^\x00-\x7f]/gu, (character) => {
    const code = character.codePointAt(0) ?? 0;
    return SPECIAL[character] ?? `\\[u${code.toString(16).toUpperCase().padStart(4, '0')}]`;
  });
}
