// A page as plain text of at most 80 columns, or as many as a narrow terminal has, for machines without a manual program.

import { type Block, type Page, spans, type Term } from './page.ts';
import { columns, WIDTH, wrap } from './wrap.ts';

const INDENT = 2;

/** The whole text of a page. */
export function toPlainText(page: Page, width = WIDTH): string {
  const blocks = page.blocks.map((block) => blockText(block, width));
  return `${wrap(`${page.name} - ${page.summary}`, 0, width)}\n\n${blocks.join('\n\n')}\n`;
}

function blockText(block: Block, width: number): string {
  switch (block.kind) {
    case 'section':
      return block.text.toUpperCase();
    case 'subsection':
      return ` ${block.text}`;
    case 'paragraph':
      return wrap(plain(block.text), INDENT, width);
    case 'code':
      return block.text.replace(/^(?=.)/gm, '    ');
    case 'list':
      return block.items.map((item) => `  - ${wrap(plain(item), 4, width).trimStart()}`).join('\n');
    case 'terms':
      return termsText(block.items, width);
  }
}

/** Short names stand beside their meaning, in a table with a long one everything stands below its name. */
function termsText(terms: readonly Term[], width: number): string {
  const rows = terms.map(([name, meaning]) => [plain(name), plain(meaning)] as const);
  if (rows.every(([name]) => name.length <= WIDTH / 3)) return columns(rows, undefined, width);
  return rows
    .map(([name, meaning]) => `${wrap(name, INDENT, width)}\n${wrap(meaning, INDENT * 3, width)}`)
    .join('\n');
}

const plain = (text: string): string =>
  spans(text)
    .map((span) => span.text)
    .join('');
