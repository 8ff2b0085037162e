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
}

/** What is open at some point, the innermost last. */
type Frame = 'open' | 'group' | 'double' | 'backtick' | 'arithmetic';

interface Document {
  readonly end: string;
  readonly quoted: boolean;
  /** Tabs before its lines do not count. */
  readonly stripped: boolean;
}

/** Every placeholder of the command, in order. A command that ends in the middle of something is no trouble: the shell will say so. */
export function shellPlaceholders(command: string): readonly ShellPlaceholder[] {
  const found: ShellPlaceholder[] = [];
  const frames: Frame[] = ['open'];
  let documents: Document[] = [];
  let at = 0;

  const add = (placeholder: Placeholder, place: ShellPlace) => {
    found.push({ ...placeholder, place });
    at = placeholder.end;
  };
  /** Up to a position, all of it in one place. */
  const addAll = (end: number, place: ShellPlace) => {
    while (at < end) {
      const placeholder = findPlaceholder(command, at);
      if (placeholder === undefined) at++;
      else add(placeholder, place);
    }
  };
  const indexOf = (text: string, from: number) => {
    const index = command.indexOf(text, from);
    return index < 0 ? command.length : index;
  };
  const readDocuments = () => {
    for (const document of documents)
      addAll(
        endOfDocument(command, at, document),
        document.quoted ? 'quoted-document' : 'document',
      );
    documents = [];
  };

  while (at < command.length) {
    const frame = frames.at(-1);
    const character = command[at] ?? '';
    const placeholder = findPlaceholder(command, at);
    if (placeholder !== undefined) {
      add(placeholder, placeIn(frame, command.slice(0, at)));
      continue;
    }
    if (character === '\\') at += 2;
    else if (command.startsWith('$((', at)) {
      frames.push('arithmetic', 'arithmetic');
      at += 3;
    } else if (command.startsWith('$(', at)) {
      frames.push('group');
      at += 2;
    } else if (character === '`') {
      if (frame === 'backtick') frames.pop();
      else frames.push('backtick');
      at++;
    } else if (character === '"') {
      if (frame === 'double') frames.pop();
      else frames.push('double');
      at++;
    } else if (frame === 'double') at++;
    else if (character === '(') {
      frames.push(frame === 'arithmetic' ? 'arithmetic' : 'group');
      at++;
    } else if (character === ')') {
      if (frame === 'group' || frame === 'arithmetic') frames.pop();
      at++;
    } else if (frame === 'arithmetic') at++;
    else if (character === "'") {
      at++;
      addAll(indexOf("'", at), 'single');
      at++;
    } else if (character === '#' && /(?:^|[\s;&|(])$/.test(command.slice(0, at)))
      addAll(indexOf('\n', at), 'comment');
    else if (character === '\n') {
      at++;
      readDocuments();
    } else {
      const document = /^<<(-?)[ \t]*(\\?[\w.-]+|'[^']*'|"[^"]*")/.exec(
        command.slice(at, at + 200),
      );
      if (document !== null && !command.startsWith('<<<', at)) {
        const [whole, dash, word = ''] = document;
        documents.push({
          end: word.replaceAll(/['"\\]/g, ''),
          quoted: /['"\\]/.test(word),
          stripped: dash === '-',
        });
        at += whole.length;
      } else at += command.startsWith('<<<', at) ? 3 : 1;
    }
  }
  return found;
}

function placeIn(frame: Frame | undefined, before: string): ShellPlace {
  if (frame === 'double' || frame === 'arithmetic') return frame;
  return COMMAND_NEXT.test(before) ? 'command' : 'open';
}

/** At the start or behind a separator; words that take a command, and settings of variables, may stand between. */
const COMMAND_NEXT =
  /(?:^|[;|(`]|(?<![<>])&|(?<!\\)\n)\s*(?:(?:then|do|else|elif|if|while|until|eval|exec|command|\.|!|\{)\s+|\w+=\S*\s+)*$/;

/** Where the line that ends a here-document begins. */
function endOfDocument(command: string, from: number, { end, stripped }: Document): number {
  let at = from;
  for (const line of command.slice(from).split('\n')) {
    if ((stripped ? line.replace(/^\t+/, '') : line) === end) return at;
    at += line.length + 1;
  }
  return command.length;
}
