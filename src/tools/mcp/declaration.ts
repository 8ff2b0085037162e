// Reads an `mcp:` message: which server is meant, and which of its tools. Pure.

import { splitWords } from '../../chat/words.ts';
import { configFailure, locate, usageFailure } from '../../errors.ts';
import type { Message } from '../../types.ts';
import type { ServerDeclaration, ServerPlace } from './types.ts';

const FORMS = 'write `mcp: https://HOST/PATH [tool…]`, or `mcp: stdio COMMAND… [-- tool…]`';

/** Throws a Failure with its place: a usage one for what is no declaration, a configuration one for a program that a remote chat names. */
export function readServer(message: Message): ServerDeclaration {
  const { content, origin } = message;
  try {
    const [first, ...rest] = splitWords(content);
    if (first === undefined) throw bad('"mcp:" names no server', FORMS);
    const declaration = first === 'stdio' ? program(rest, message) : address(first, rest);
    return { ...declaration, ...(origin === undefined ? {} : { origin }) };
  } catch (error) {
    throw origin === undefined ? error : locate(error, origin);
  }
}

const bad = (message: string, next: string) => usageFailure('bad-mcp', message, { next });

/** What follows the last `--` are tools: a command that has one itself ends with another. */
function program(words: readonly string[], { origin }: Message): ServerDeclaration {
  const end = words.lastIndexOf('--');
  const [command, ...args] = end < 0 ? words : words.slice(0, end);
  if (command === undefined)
    throw bad(
      '"mcp: stdio" names no command',
      'write the command behind it: `mcp: stdio COMMAND…`',
    );
  if (/^https?:\/\//i.test(origin?.file ?? ''))
    throw configFailure(
      'mcp-remote',
      `a chat that was fetched may not run programs: "${command}"`,
      {
        next: 'write the `mcp:` line into a chat of your own',
      },
    );
  return { place: { kind: 'program', command, args }, only: end < 0 ? [] : words.slice(end + 1) };
}

/** A remote address needs `//`; a path alone is no server, for it does not say that it is to be run. */
function address(first: string, only: readonly string[]): ServerDeclaration {
  if (!/^https?:\/\/[^\s/]/i.test(first) || !URL.canParse(first))
    throw bad(
      `"${first.slice(0, 80)}" is no MCP server: it is neither an http(s) address nor \`stdio\` with a command`,
      /^[a-z][a-z0-9+.-]*:/i.test(first) && !/^[a-z]:[\\/]/i.test(first)
        ? FORMS
        : `to run it as a program write \`mcp: stdio ${first.slice(0, 80)}\``,
    );
  const url = new URL(first);
  if (url.username !== '' || url.password !== '')
    throw bad(
      `the address of the MCP server at ${url.host} holds a user or a password`,
      'put the key into etc/mcp.yaml, where it is never shown (chat-mcp(5))',
    );
  return {
    place: { kind: 'address', url: url.href },
    only: only.filter((word, index) => word !== '--' || index > 0),
  };
}

/** Programs that start others: the name of what they start says more. */
const RUNNERS: ReadonlySet<string> = new Set(
  'npx npm pnpm yarn bunx uvx uv pipx node nodejs bun deno tsx python python3 ruby sh bash env docker podman exec run'.split(
    ' ',
  ),
);

/** A short name for messages and clashes: the program without its runner, or the host. */
export function serverName(place: ServerPlace): string {
  if (place.kind === 'address') return new URL(place.url).host;
  const words = [place.command, ...place.args];
  const plain = words.filter((word) => !word.startsWith('-') && !/^\w+=/.test(word));
  const found = plain.find((word) => !RUNNERS.has(baseName(word))) ?? place.command;
  return baseName(found) || place.command;
}

const baseName = (word: string): string =>
  (
    word
      .replace(/[\\/]+$/, '')
      .split(/[\\/]/)
      .at(-1) ?? word
  )
    .replace(/\.(?:[cm]?[jt]s|py|rb|exe|cmd|sh)$/i, '')
    .replace(/(?<=.)@[^@]*$/, '');

/** What makes two declarations the same server. Of an address no query: it may hold a key. */
export function shownPlace(place: ServerPlace): string {
  if (place.kind === 'program') return [place.command, ...place.args].join(' ');
  const url = new URL(place.url);
  return `${url.origin}${url.pathname}${url.search === '' ? '' : '?…'}`;
}
