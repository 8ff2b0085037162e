// Command literals as plain text of at most 80 columns, or of as many as a narrow terminal has. Prints nothing.

import { EXIT_MEANINGS, type ExitMeaning } from './exits.ts';
import { GLOBAL_OPTIONS, globalsBeside } from './globals.ts';
import type { CommandRow, CommandSpec, OptionSpec } from './spec.ts';
import { TOPICS } from './topics.ts';
import {
  commandName,
  grouped,
  mentions,
  optionUsage,
  references,
  sentence,
  usage,
} from './words.ts';
import { columns, meaningColumn, type Row, WIDTH, wrap } from './wrap.ts';

/** The text of `chat <command> --help`. */
export function commandHelp(spec: CommandSpec, width = WIDTH): string {
  const options = grouped([
    ...spec.options,
    ...globalsBeside(spec.options).map((option) => ({ ...option, group: 'Global options' })),
  ]);
  const tables: readonly Table[] = [
    ['Arguments', spec.arguments.map(({ name, summary }) => [`<${name}>`, summary])],
    ...options.map(([name, group]): Table => [name, group.map(optionRow)]),
  ];
  const start = meaningColumn(tables.flatMap(([, rows]) => rows));
  return join([
    hanging('Usage: ', usage(spec), width),
    wrap(`${spec.summary}.`, 0, width),
    ...spec.details.map((text) => paragraph(text, width)),
    ...tables.map(([title, rows]) => titled(title, rows, width, start)),
    examples(spec, width),
    hanging('Exit status: ', EXIT_MEANINGS.map(exitText).join(', '), width),
    hanging('See also: ', references(spec).join(', '), width),
  ]);
}

type Table = readonly [title: string, rows: readonly Row[]];

/** The text of `chat` and `chat --help`: every command with its summary. */
export function overview(rows: readonly CommandRow[], width = WIDTH): string {
  const helps: readonly Row[] = [
    ['chat <command> --help', 'all about one command'],
    ...TOPICS.map(([name, tells]): Row => [`chat help ${name}`, tells]),
  ];
  return join([
    hanging('Usage: ', 'chat <command> [options] [arguments]', width),
    wrap(
      'Chats with language models as plain text files: written by hand, compiled, asked, and answered into the same file.',
      0,
      width,
    ),
    commandList('Commands', rows, width),
    titled('Global options', GLOBAL_OPTIONS.map(optionRow), width),
    columns(helps, undefined, width),
  ]);
}

/** The text of `chat endpoint --help`: the commands that begin with this word. */
export function groupHelp(word: string, rows: readonly CommandRow[], width = WIDTH): string {
  const name = commandName([word]);
  return join([
    hanging('Usage: ', `${name} <command> [options] [arguments]`, width),
    commandList('Commands', rows, width),
    wrap(`"${name} <command> --help" tells all about one of them.`, 0, width),
  ]);
}

function commandList(title: string, rows: readonly CommandRow[], width: number): string {
  return titled(
    title,
    rows.map(({ path, summary }) => [path.join(' '), summary]),
    width,
  );
}

function optionRow(option: OptionSpec): Row {
  const listed = option.choices === undefined || mentions(option.summary, option.choices);
  const choices = listed ? '' : ` (${option.choices?.join(', ')})`;
  const repeat = option.repeat ? '; may be repeated' : '';
  return [optionUsage(option), option.summary + choices + repeat];
}

function examples(spec: CommandSpec, width: number): string {
  if (spec.examples.length === 0) return '';
  const texts = spec.examples.map(
    ({ command, does }) => `  ${command}\n${wrap(sentence(does), 6, width)}`,
  );
  return `Examples:\n${texts.join('\n')}`;
}

/** Lines that are indented already are kept as they are. */
function paragraph(text: string, width: number): string {
  return text.startsWith('    ') ? text : wrap(text, 0, width);
}

const exitText = ({ code, short }: ExitMeaning): string =>
  `${code}\u00a0${short.replaceAll(' ', '\u00a0')}`;

function hanging(label: string, text: string, width: number): string {
  return label + wrap(text, label.length, width).trimStart();
}

function titled(
  title: string,
  rows: readonly Row[],
  width: number,
  start = meaningColumn(rows),
): string {
  return rows.length === 0 ? '' : `${title}:\n${columns(rows, start, width)}`;
}

function join(parts: readonly string[]): string {
  return `${parts.filter((part) => part !== '').join('\n\n')}\n`;
}
