// A manual page as data: a command literal becomes one, a Markdown file becomes one, and either is printed as roff or Markdown.
// Texts may hold `code`, **strong** and *emphasised* words.

import { EXIT_MEANINGS } from './exits.ts';
import { GLOBAL_OPTIONS, globalsBeside } from './globals.ts';
import type { CommandRow, CommandSpec, OptionSpec } from './spec.ts';
import { commandName, grouped, mentions, pageName, references, sentence, usage } from './words.ts';

export type Block =
  | { readonly kind: 'section' | 'subsection' | 'paragraph' | 'code'; readonly text: string }
  | { readonly kind: 'list'; readonly items: readonly string[] }
  | { readonly kind: 'terms'; readonly items: readonly Term[] };

/** A word or an option, and what it means. */
export type Term = readonly [string, string];

export interface Page {
  /** `chat-print`. */
  readonly name: string;
  /** The section of the manual. */
  readonly section: string;
  /** What stands behind the name, one line. */
  readonly summary: string;
  readonly blocks: readonly Block[];
}

/** A piece of a text in one typeface; `code` and **strong** look alike on a terminal. */
export interface Span {
  readonly text: string;
  readonly style: 'plain' | 'strong' | 'emphasised';
}

/** The pieces of a text, markup removed. */
export function spans(text: string): readonly Span[] {
  const pieces: Span[] = [];
  let start = 0;
  for (const match of text.matchAll(MARKUP)) {
    const [whole, literal, strong, emphasis] = match;
    pieces.push({ text: text.slice(start, match.index), style: 'plain' });
    if (emphasis !== undefined) pieces.push({ text: emphasis, style: 'emphasised' });
    else pieces.push({ text: literal ?? strong ?? '', style: 'strong' });
    start = match.index + whole.length;
  }
  return [...pieces, { text: text.slice(start), style: 'plain' }];
}

const MARKUP = /`([^`]+)`|\*\*(\S(?:.*?\S)?)\*\*|\*(\S(?:[^*]*\S)?)\*/g;

/** The page of one command. */
export function commandPage(spec: CommandSpec): Page {
  return {
    name: pageName(spec.path),
    section: '1',
    summary: lowerFirst(spec.summary),
    blocks: [
      ...section('Synopsis', synopsis(spec)),
      ...section('Description', paragraph(`${spec.summary}.`), ...spec.details.map(paragraph)),
      ...section(
        'Arguments',
        terms(spec.arguments.map(({ name, summary }) => [`*${name}*`, `${summary}.`])),
      ),
      ...section('Options', ...optionBlocks(spec)),
      ...section(
        'Examples',
        ...spec.examples.flatMap(({ command, does }) => [
          paragraph(`${sentence(does)}:`),
          code(command),
        ]),
      ),
      ...section('Exit status', exitTerms()),
      ...section(
        'Environment',
        paragraph('Variables that all commands share are listed in **chat**(1).'),
      ),
      ...section('Files', paragraph('The folders of the program are listed in **chat**(1).')),
      ...section('See also', paragraph(references(spec).map(boldReference).join(', '))),
    ],
  };
}

/** The parts of the overview page that come from the literals, by the name of their place in the Markdown text. */
export function generatedBlocks(
  rows: readonly CommandRow[],
): ReadonlyMap<string, readonly Block[]> {
  return new Map([
    [
      'commands',
      [
        terms(
          rows.map(({ path, summary }) => [
            `**${commandName(path)}**`,
            `${summary}. See ${boldReference(`${pageName(path)}(1)`)}.`,
          ]),
        ),
      ],
    ],
    ['options', [terms(GLOBAL_OPTIONS.map(optionTerm))]],
    ['exit status', [exitTerms()]],
  ]);
}

function synopsis(spec: CommandSpec): Block {
  const name = commandName(spec.path);
  return paragraph(`**${name}**${usage(spec).slice(name.length)}`);
}

function optionBlocks(spec: CommandSpec): readonly Block[] {
  const groups = grouped(spec.options).flatMap(([name, options]): readonly Block[] => [
    ...(name === 'Options' ? [] : [{ kind: 'subsection' as const, text: name }]),
    terms(options.map(optionTerm)),
  ]);
  return [
    ...groups,
    { kind: 'subsection', text: 'Global options' },
    terms(globalsBeside(spec.options).map(optionTerm)),
  ];
}

function optionTerm({ long, short, value, summary, choices, repeat }: OptionSpec): Term {
  const names = [...(short === undefined ? [] : [`**-${short}**`]), `**--${long}**`].join(', ');
  const facts = [
    ...(choices === undefined || mentions(summary, choices)
      ? []
      : [`One of ${choices.join(', ')}.`]),
    ...(repeat ? ['May be repeated.'] : []),
  ];
  return [value === undefined ? names : `${names} *${value}*`, [`${summary}.`, ...facts].join(' ')];
}

function exitTerms(): Block {
  return terms(EXIT_MEANINGS.map(({ code: status, long }) => [`**${status}**`, long]));
}

/** A heading and what follows it; nothing when nothing follows. */
function section(title: string, ...blocks: readonly Block[]): readonly Block[] {
  const filled = blocks.filter((block) => !('items' in block) || block.items.length > 0);
  return filled.length === 0 ? [] : [{ kind: 'section', text: title }, ...filled];
}

/** Text that is indented is an example to be kept as it is. */
function paragraph(text: string): Block {
  return text.startsWith('    ') ? code(text.replace(/^ {4}/gm, '')) : { kind: 'paragraph', text };
}

const code = (text: string): Block => ({ kind: 'code', text });
const terms = (items: readonly Term[]): Block => ({ kind: 'terms', items });
const boldReference = (text: string): string => text.replace(/^(.*)(\(\d\))$/, '**$1**$2');
const lowerFirst = (text: string): string => text.charAt(0).toLowerCase() + text.slice(1);
