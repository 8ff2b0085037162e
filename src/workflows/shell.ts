// Finds the placeholders of a shell command, and what the shell is in the middle of where each stands. Runs nothing.

import { findPlaceholder, type Placeholder } from './placeholder.ts';

/** `command`: where the shell takes a word as the command to run. `quoted-document`: in a here-document that expands nothing. */
export type ShellPlace =
  | 'open'
  | 'command'
  | 'double'
  | 'single'
  | 'arithmetic'
  | 'document'
  | 'quoted-document'
  | 'comment';

export interface ShellPlaceholder extends Placeholder {
  readonly place: ShellPlace;
  /** Where the word or the here-document that it is part of begins. */
  readonly begin: number;
}

/** What is open at some point, and where it began. */
interface Frame {
  readonly kind: 'open' | 'group' | 'double' | 'backtick' | 'arithmetic';
  readonly begin: number;
}

interface Document {
  /** The line that ends it. */
  readonly end: string;
  readonly quoted: boolean;
  /** Tabs before its lines do not count. */
  readonly stripped: boolean;
  readonly begin: number;
}

interface Scan {
  readonly command: string;
  readonly found: ShellPlaceholder[];
  readonly frames: Frame[];
  /** Announced on this line, to be read behind it. */
  documents: Document[];
  /** Where the last pattern of a `case` ends. */
  pattern: number;
  at: number;
}

/** Every placeholder of the command, in order. A command that ends in the middle of something is no trouble: the shell will say so. */
export function shellPlaceholders(command: string): readonly ShellPlaceholder[] {
  const frames: Frame[] = [{ kind: 'open', begin: 0 }];
  const scan: Scan = { command, found: [], frames, documents: [], pattern: 0, at: 0 };
  while (scan.at < command.length) {
    const placeholder = findPlaceholder(command, scan.at);
    if (placeholder === undefined) readToken(scan);
    else add(scan, placeholder, placeIn(scan), beginIn(scan));
  }
  return scan.found;
}

function add(scan: Scan, placeholder: Placeholder, place: ShellPlace, begin: number): void {
  scan.found.push({ ...placeholder, place, begin });
  scan.at = placeholder.end;
}

/** Up to a position, all of it in one place. */
function addAll(scan: Scan, end: number, place: ShellPlace, begin: number): void {
  while (scan.at < end) {
    const placeholder = findPlaceholder(scan.command, scan.at);
    if (placeholder === undefined) scan.at++;
    else add(scan, placeholder, place, begin);
  }
}

const TOKEN = /\\[\s\S]?|\$\(\(|\$\(|<<<|<<-?[ \t]*(?:\\?[\w.-]+|'[^']*'|"[^"]*")|[\s\S]/y;

function readToken(scan: Scan): void {
  TOKEN.lastIndex = scan.at;
  const token = TOKEN.exec(scan.command)?.[0] ?? '';
  const begin = scan.at;
  const kind = scan.frames.at(-1)?.kind;
  scan.at += token.length;
  if (token === '$((') open(scan, 'arithmetic', begin, 2);
  else if (token === '$(') open(scan, 'group', begin);
  else if (token === '`') toggle(scan, 'backtick', begin);
  else if (token === '"') toggle(scan, 'double', begin);
  else if (kind === 'double') return;
  else if (token === '(') open(scan, kind === 'arithmetic' ? kind : 'group', begin);
  else if (token === ')') close(scan);
  else if (kind === 'arithmetic') return;
  else if (token === "'") readQuoted(scan, begin);
  else if (token === '#') readComment(scan, begin);
  else if (token === '\n') readDocuments(scan);
  else if (/^<<[^<]/.test(token)) scan.documents.push(documentOf(token, begin));
}

function open(scan: Scan, kind: Frame['kind'], begin: number, times = 1): void {
  for (let count = 0; count < times; count++) scan.frames.push({ kind, begin });
}

function close(scan: Scan): void {
  const kind = scan.frames.at(-1)?.kind;
  if (kind === 'group' || kind === 'arithmetic') scan.frames.pop();
  // It opens nothing that was closed here: a pattern of `case` ends, and commands begin.
  else scan.pattern = scan.at;
}

function toggle({ frames }: Scan, kind: Frame['kind'], begin: number): void {
  if (frames.at(-1)?.kind === kind) frames.pop();
  else frames.push({ kind, begin });
}

function readQuoted(scan: Scan, begin: number): void {
  addAll(scan, indexOf(scan, "'"), 'single', begin);
  scan.at++;
}

function readComment(scan: Scan, begin: number): void {
  if (/(?:^|[\s;&|(])$/.test(scan.command.slice(0, begin)))
    addAll(scan, indexOf(scan, '\n'), 'comment', begin);
}

function readDocuments(scan: Scan): void {
  for (const document of scan.documents) {
    const place = document.quoted ? 'quoted-document' : 'document';
    addAll(scan, endOfDocument(scan.command, scan.at, document), place, document.begin);
  }
  scan.documents = [];
}

function documentOf(token: string, begin: number): Document {
  const [, dash, word = ''] = /^<<(-?)[ \t]*([\s\S]*)$/.exec(token) ?? [];
  return {
    end: word.replaceAll(/['"\\]/g, ''),
    quoted: /['"\\]/.test(word),
    stripped: dash === '-',
    begin,
  };
}

function indexOf({ command, at }: Scan, text: string): number {
  const index = command.indexOf(text, at);
  return index < 0 ? command.length : index;
}

function placeIn({ command, frames, pattern, at }: Scan): ShellPlace {
  const kind = frames.at(-1)?.kind;
  if (kind === 'double' || kind === 'arithmetic') return kind;
  // What a pattern stands behind is no part of the command.
  return COMMAND_NEXT.test(command.slice(pattern, at)) ? 'command' : 'open';
}

/** Of text in quotes the quote, else the first character behind a blank. */
function beginIn({ command, frames, at }: Scan): number {
  const frame = frames.at(-1);
  if (frame?.kind === 'double') return frame.begin;
  return at - (/[^\s;|&()`]*$/.exec(command.slice(0, at))?.[0].length ?? 0);
}

/** At the start or behind a separator; words that take a command, and settings of variables, may stand between. */
const COMMAND_NEXT =
  /(?:^|[;|(`]|\(\s*\)|(?<![<>])&|(?<!\\)\n)\s*(?:(?:then|do|else|elif|if|while|until|eval|exec|command|source|\.|!|\{)\s+|\w+=\S*\s+)*$/;

/** Where the line that ends a here-document begins. */
function endOfDocument(command: string, from: number, { end, stripped }: Document): number {
  let at = from;
  for (const line of command.slice(from).split('\n')) {
    if ((stripped ? line.replace(/^\t+/, '') : line) === end) return at;
    at += line.length + 1;
  }
  return command.length;
}
