// Chat text read by the words of the format page, one rule a regular expression, as slow as that is. The real reader is
// compared with it.

interface Plain {
  role: string;
  content: string;
}

const S = '[ \\t\\n\\v\\f\\r]';
const trim = (text: string) => text.replace(new RegExp(`^${S}+|${S}+$`, 'g'), '');

const HEADER = /^([a-z0-9_]+):(?!\/\/)(.*)$/s;
const FENCE = /^ {0,3}(`{3,}(?=[^`]*$)|~{3,})/;
const TAG_OPENER = new RegExp(`<([A-Za-z0-9_]+)(?:${S}(?:[^<>]|<(?!/))*)?>`);
const TAG_CLOSER = /<\/[A-Za-z0-9_]+>/;
const COMMAND = new RegExp(`^${S}*[^ \\t\\n\\v\\f\\r]*:-- (.*) \\{\\{\\{`, 's');
const COMMAND_CLOSER = /:--.* \}\}\}/s;

const opensFence = (line: string) => FENCE.exec(line)?.[1];
const opensSquare = (line: string) => trim(line).startsWith('[[') && !trim(line).endsWith(']]');
const opensTag = (line: string) => new RegExp(`^${TAG_OPENER.source}`).exec(trim(line))?.[1];
const command = (line: string) => COMMAND.exec(line)?.[1];

function isSpecial(line: string): boolean {
  return (
    opensFence(line) !== undefined ||
    opensSquare(line) ||
    opensTag(line) !== undefined ||
    command(line) !== undefined ||
    HEADER.test(line)
  );
}

function isEscape(line: string): boolean {
  const rest = line.replace(/^\\+/, '');
  return rest !== line && (isSpecial(rest) || TAG_CLOSER.test(rest));
}

/** Index of the line on which the tag closes that opens the first of the lines. */
function tagEnd(lines: readonly string[], from: number, name: string): number {
  let count = 0;
  for (let index = from; index < lines.length; index++) {
    const line = lines[index] ?? '';
    if (isEscape(line)) continue;
    const tags = new RegExp(`${TAG_OPENER.source}|<(/[A-Za-z0-9_]+)>`, 'g');
    for (const [, opened, closed] of line.matchAll(tags)) {
      if (opened === name) count++;
      if (closed === `/${name}`) count--;
      if (
        count === 0 &&
        (opened ?? closed) !== undefined &&
        (opened === name || closed === `/${name}`)
      )
        return index;
    }
  }
  return -1;
}

function closer(lines: readonly string[], from: number, closes: (line: string) => boolean): number {
  const index = lines.findIndex((line, each) => each > from && closes(line));
  return index === -1 ? lines.length : index;
}

export function readPlainly(
  text: string,
  startRole = 'user',
): { messages: Plain[]; open: number | undefined } {
  const lines = text
    .replace(/^\ufeff/, '')
    .replace(/\r+\n/g, '\n')
    .split('\n');
  const messages: Plain[] = [];
  let role = startRole;
  let headed = false;
  let content: string[] = [];
  let open: number | undefined;
  const flush = () => {
    const whole = trim(content.join('\n').replace(/\r+\n/g, '\n'));
    if (headed || whole !== '') messages.push({ role, content: whole });
    content = [];
  };
  const add = (line: string, isMark = false) => {
    if (!isMark || trim(line) !== '') content.push(line);
  };
  const unclosed = (index: number, end: number) => {
    if (end === lines.length) open = index + 1;
  };
  for (let index = 0; index < lines.length; index++) {
    const line = lines[index] ?? '';
    const fence = opensFence(line);
    const tag = opensTag(line);
    const cmd = command(line);
    const head = HEADER.exec(line);
    if (isEscape(line)) add(line.slice(1));
    else if (fence !== undefined) {
      const close = new RegExp(`^ {0,3}\\${fence[0]}{${fence.length},}${S}*$`);
      const end = closer(lines, index, (each) => close.test(each));
      unclosed(index, end);
      for (; index < end && index < lines.length; index++) add(lines[index] ?? '');
      if (end < lines.length) add(lines[end] ?? '');
    } else if (opensSquare(line)) {
      const end = closer(lines, index, (each) => trim(each).endsWith(']]'));
      unclosed(index, end);
      add(line.replace('[[', ''), true);
      for (const each of lines.slice(index + 1, end)) add(each);
      if (end < lines.length)
        add((lines[end] ?? '').replace(new RegExp(`\\]\\](${S}*)$`), '$1'), true);
      index = end;
    } else if (tag !== undefined) {
      const end = tagEnd(lines, index, tag);
      if (end === -1) add(line);
      else {
        for (const each of lines.slice(index, end + 1)) add(each);
        index = end;
      }
    } else if (cmd !== undefined) {
      const end = closer(lines, index, (each) => COMMAND_CLOSER.test(each));
      unclosed(index, end);
      add(`<cmd_output cmd="${cmd}">`);
      for (const each of lines.slice(index + 1, end)) add(each);
      if (end < lines.length) add('</cmd_output>');
      index = end;
    } else if (head !== null) {
      flush();
      const [, name = '', rest = ''] = head;
      headed = trim(rest) === '';
      if (headed) role = name;
      else {
        messages.push({ role: name, content: trim(rest) });
        if (name === 'agent' || name === 'previous_response_id') role = 'user';
      }
    } else add(line);
  }
  flush();
  return { messages, open };
}
