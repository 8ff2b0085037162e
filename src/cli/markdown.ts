// Reads the Markdown of the hand-written pages (headings, paragraphs, fences, lists, tables), and writes pages as Markdown.

import { usageFailure } from '../errors.ts';
import { type Block, commandPage, type Page, type Term } from './page.ts';
import type { CommandSpec } from './spec.ts';
import { commandName, pageName } from './words.ts';

/**
 * `# name - summary` is the title, `## …` a section, `### …` a subsection. A line `<!-- place -->` is replaced by the blocks
 * of that name; a place that is not known is a Failure. Tables become terms: the first column, then the others.
 */
export function parsePage(
  text: string,
  section: string,
  places: ReadonlyMap<string, readonly Block[]> = new Map(),
): Page {
  const [title = '', ...chunks] = chunksOf(text);
  const [name = '', ...summary] = title.replace(/^# /, '').split(' - ');
  const blocks = chunks.flatMap((chunk) => chunkBlocks(chunk, places));
  return { name, section, summary: summary.join(' - '), blocks };
}

/** Pieces between empty lines; a fence is one piece, whatever stands in it. */
function chunksOf(text: string): readonly string[] {
  const chunks: string[] = [];
  let lines: string[] = [];
  let fenced = false;
  for (const line of [...text.split('\n'), '']) {
    if (line.startsWith('```')) fenced = !fenced;
    if (line !== '' || fenced) lines.push(line);
    else if (lines.length > 0) {
      chunks.push(lines.join('\n'));
      lines = [];
    }
  }
  return chunks;
}

function chunkBlocks(
  chunk: string,
  places: ReadonlyMap<string, readonly Block[]>,
): readonly Block[] {
  const place = /^<!-- (.*) -->$/.exec(chunk)?.[1];
  if (place !== undefined) {
    const found = places.get(place);
    if (found !== undefined) return found;
    throw usageFailure('unknown-place', `no text is made for the place "${place}" of a page`);
  }
  if (chunk.startsWith('## ')) return [{ kind: 'section', text: chunk.slice(3) }];
  if (chunk.startsWith('### ')) return [{ kind: 'subsection', text: chunk.slice(4) }];
  if (chunk.startsWith('```'))
    return [{ kind: 'code', text: chunk.split('\n').slice(1, -1).join('\n') }];
  if (chunk.startsWith('|'))
    return [{ kind: 'terms', items: chunk.split('\n').slice(2).map(tableRow) }];
  if (chunk.startsWith('- '))
    return [{ kind: 'list', items: chunk.slice(2).split('\n- ').map(unwrap) }];
  return [{ kind: 'paragraph', text: unwrap(chunk) }];
}

function tableRow(row: string): Term {
  const [first = '', ...others] = row
    .slice(1, -1)
    .split(/(?<!\\)\|/)
    .map((cell) => cell.trim().replaceAll('\\|', '|'));
  return [first, others.filter((cell) => cell !== '').join('. ')];
}

const unwrap = (text: string): string => text.replace(/\n\s*/g, ' ');

/** One document about all commands: their table, then each of them. */
export function markdownReference(specs: readonly CommandSpec[]): string {
  const rows = specs.map(
    ({ path, summary }) => `| [\`${commandName(path)}\`](#${pageName(path)}) | ${cell(summary)} |`,
  );
  const table = ['| command | what it does |', '|---|---|', ...rows].join('\n');
  return `# Commands\n\n${table}\n\n${specs.map((spec) => pageMarkdown(commandPage(spec))).join('\n')}`;
}

function pageMarkdown(page: Page): string {
  const own = withoutShared(page.blocks);
  return `## ${page.name}\n\n${own.map(blockMarkdown).join('\n\n')}\n`;
}

const SHARED = ['Global options', 'Exit status', 'Environment', 'Files'];

/** The blocks that tell something about this command alone. */
function withoutShared(blocks: readonly Block[]): readonly Block[] {
  let shared = false;
  return blocks.filter((block) => {
    if (block.kind === 'section' || block.kind === 'subsection')
      shared = SHARED.includes(block.text);
    return !shared;
  });
}

function blockMarkdown(block: Block): string {
  switch (block.kind) {
    case 'section':
      return `### ${block.text}`;
    case 'subsection':
      return `#### ${block.text}`;
    case 'paragraph':
      return escapeTags(block.text);
    case 'code':
      return `\`\`\`sh\n${block.text}\n\`\`\``;
    case 'list':
      return block.items.map((item) => `- ${escapeTags(item)}`).join('\n');
    case 'terms':
      return [
        '| | |',
        '|---|---|',
        ...block.items.map(([name, meaning]) => `| ${cell(name)} | ${cell(meaning)} |`),
      ].join('\n');
  }
}

const cell = (text: string): string => escapeTags(text).replaceAll('|', '\\|');
const escapeTags = (text: string): string => text.replaceAll('<', '&lt;');
