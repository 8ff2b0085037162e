// Looks for what is probably a mistake in a chat file. Reads only; never compiles or runs anything.

import { errorWords, Failure } from '../errors.ts';
import { parsedJson } from '../json.ts';
import type { Chat, Message, Origin, Warning } from '../types.ts';
import { short } from './find.ts';
import { parseMeta, tokensOf } from './meta.ts';
import { options } from './options.ts';
import { parse } from './parse.ts';
import { KNOWN_ROLES, nearestRole } from './roles.ts';
import { type Block, lineEnd, walk } from './walk.ts';

/** Something that looks wrong, with its place. */
export interface Finding extends Warning {
  readonly origin: Origin;
}

export interface CheckOptions {
  readonly file: string;
  /** Where a name in a message of the file leads. */
  readonly find: (name: string, from: string | undefined) => Promise<FoundName>;
  /** What is wrong with an option that a chat sets, in words. */
  readonly option: (name: string, value: string) => string | undefined;
}

/** What looking for a name gave; `nearest` are names close to one that is missing. */
export interface FoundName {
  readonly kind: 'path' | 'url' | 'missing';
  readonly nearest?: readonly string[];
}

/** Everything that looks wrong in a chat text, in the order of its lines. */
export async function check(
  text: string,
  { file, find, option }: CheckOptions,
): Promise<Finding[]> {
  const findings: Finding[] = [];
  const found = (origin: Origin, code: string, message: string) =>
    findings.push({ code, message, origin });
  const chat = parse(text, {
    file,
    warn: ({ code, message, origin }) => found(origin ?? { file, line: 1 }, code, message),
  });
  for (const { line, name } of headerLike(text)) {
    const shown = JSON.stringify(name);
    found(
      { file, line },
      'header-like',
      `${shown} is text, not a header: a header is in lower case and starts in the first column`,
    );
  }
  for (const message of chat) {
    const origin = message.origin ?? { file, line: 1 };
    for (const [code, problem] of problemsOf(message, option)) found(origin, code, problem);
  }
  for (const message of includes(chat)) {
    const place = await find(message.content, message.origin?.file);
    if (place.kind !== 'missing') continue;
    const near = place.nearest?.[0];
    const hint = near === undefined ? '' : `; did you mean "${near}"?`;
    found(
      message.origin ?? { file, line: 1 },
      'missing-include',
      `"${short(message.content, 60)}" (${message.role}) is not there${hint}`,
    );
  }
  return findings.sort((one, other) => one.origin.line - other.origin.line);
}

type Problem = readonly [code: string, message: string];

const KNOWN: ReadonlySet<string> = new Set(KNOWN_ROLES);
const TOOL_ROLES: readonly string[] = [
  'function_call',
  'function_call_output',
  'mcp_call',
  'provider_content',
];
const INCLUDES: readonly string[] = [
  'import',
  'continue',
  'last',
  'file',
  'directory',
  'pdf',
  'image',
];

function problemsOf(message: Message, option: CheckOptions['option']): readonly Problem[] {
  const { role } = message;
  if (!KNOWN.has(role)) return [unknownRole(role)];
  if (TOOL_ROLES.includes(role)) return toolProblems(message);
  if (OPTION_ROLES.has(role)) return optionProblems(message, option);
  if (role === 'meta') return metaProblems(message);
  if (INCLUDES.includes(role) && message.content === '')
    return [['missing-include', `"${role}:" names nothing`]];
  return [];
}

function unknownRole(role: string): Problem {
  const near = nearestRole(role);
  const hint = near === undefined ? '' : `did you mean "${near}:"? `;
  return ['unknown-role', `unknown role "${role}": ${hint}as text it is written "\\${role}:"`];
}

function toolProblems({ role, content }: Message): readonly Problem[] {
  let value: unknown;
  try {
    value = parsedJson(content);
  } catch (error) {
    const why = errorWords(error).replace(/\s+/g, ' ');
    return [['bad-json', `"${role}:" takes JSON: ${why}`]];
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return [['bad-json', `"${role}:" takes a JSON object, not "${short(content, 60)}"`]];
  const needsName = role === 'function_call' || role === 'mcp_call';
  if (needsName && !('name' in value && typeof value.name === 'string'))
    return [['bad-json', `"${role}:" has no "name"`]];
  return [];
}

const OPTION_ROLES: ReadonlySet<string> = new Set(['option', 'sticky_option', 'format', 'persist']);

function optionProblems(message: Message, option: CheckOptions['option']): readonly Problem[] {
  try {
    const { options: set } = options([message]);
    if (set.format?.startsWith('{') === true) parsedJson(set.format);
    return Object.entries(set).flatMap(([name, value]): readonly Problem[] => {
      const problem = option(name, value);
      return problem === undefined ? [] : [['bad-option', problem]];
    });
  } catch (error) {
    if (error instanceof Failure)
      return [
        [
          'bad-option',
          error.next === undefined ? error.message : `${error.message}: ${error.next}`,
        ],
      ];
    return [['bad-option', `the format is no valid JSON: ${errorWords(error)}`]];
  }
}

function metaProblems({ content }: Message): readonly Problem[] {
  const fields = parseMeta(content);
  const first = Object.keys(fields)[0];
  if (first === undefined || !content.startsWith(`${first}=`))
    return [['bad-meta', `"meta:" takes key=value pairs, not "${short(content, 60)}"`]];
  const problems: Problem[] = [];
  tokensOf(fields, ({ message }) => problems.push(['bad-meta', message]));
  return problems;
}

function includes(chat: Chat): Chat {
  return chat.filter(({ role, content }) => {
    if (role === 'format') return content !== '' && content !== 'json' && !content.startsWith('{');
    return INCLUDES.includes(role) && content !== '';
  });
}

interface Lookalike {
  readonly line: number;
  /** As written, with the colon. */
  readonly name: string;
}

const LOOKALIKE = /^[ \t]*([A-Za-z0-9_]+)[ \t]*:(?!\/\/)/;

/** Lines of plain content that would be a header of a known role in lower case and at the first column. */
function headerLike(text: string): readonly Lookalike[] {
  const found: Lookalike[] = [];
  let start = text.startsWith('\ufeff') ? 1 : 0;
  let line = 1;
  // Looks at the plain lines up to an offset, and goes on behind what stands there.
  const upTo = (end: number, next: number, nextLine: number) => {
    for (; start < end; start = lineEnd(text, start) + 1, line++) {
      const [name, role = ''] = LOOKALIKE.exec(text.slice(start, lineEnd(text, start))) ?? [];
      if (name !== undefined && KNOWN.has(role.toLowerCase())) found.push({ line, name });
    }
    start = next + 1;
    line = nextLine;
  };
  walk(text, {
    header: (from, end, at) => upTo(from, end, at + 1),
    escape: (from, end, at) => upTo(from, end, at + 1),
    block: (block: Block) => upTo(block.start, block.end, block.line + linesIn(text, block)),
  });
  upTo(text.length, text.length, line);
  return found;
}

function linesIn(text: string, { start, end }: Block): number {
  return text.slice(start, end).split('\n').length;
}
