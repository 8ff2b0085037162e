// Takes a parsed chat through the ordered stages. What happens on the way to a backend (options, tools, prompt) comes later.

import * as path from 'node:path';
import { locate, usageFailure } from '../errors.ts';
import type { Chat, Message, Origin } from '../types.ts';
import { decode } from './decode.ts';
import { at, type Found } from './find.ts';
import { parse } from './parse.ts';
import { clean } from './stages/clean.ts';
import { clear } from './stages/clear.ts';
import { config } from './stages/config.ts';
import { files } from './stages/files.ts';
import { imports } from './stages/imports.ts';
import { jobs } from './stages/jobs.ts';
import { tasks } from './stages/tasks.ts';
import { readChat } from './text-file.ts';
import type { Ports, Stage } from './types.ts';

/** In the order in which they run. */
export const STAGES: readonly { readonly name: string; readonly run: Stage }[] = [
  { name: 'imports', run: imports },
  { name: 'clear', run: clear },
  { name: 'clean', run: clean },
  { name: 'config', run: config },
  { name: 'tasks', run: tasks },
  { name: 'jobs', run: jobs },
  { name: 'files', run: files },
];

/** More messages than any chat has: imports that double at each level end here and not with the memory. */
const MOST_MESSAGES = 1_000_000;

/**
 * The compiled chat; the input stays as it is. `file` is the chat's path: names in it are relative to it, and a chat that
 * imports it back is a cycle. Rejects with a Failure that names file and line.
 */
export async function compile(
  chat: Chat,
  ports: Ports,
  options: { readonly file?: string } = {},
): Promise<Chat> {
  const { file } = options;
  const link = file === undefined ? undefined : { id: await identity(file, ports), shown: file };
  return runStages(chat, file, link, { ports, done: new Map() });
}

/** One compile with everything it includes. */
interface Work {
  readonly ports: Ports;
  /** Compiled chats by identity: one that is named in many places is compiled once. */
  readonly done: Map<string, Chat>;
}

/** The chats that are being compiled, innermost first. */
interface Link {
  readonly id: string;
  readonly shown: string;
  readonly parent?: Link | undefined;
}

async function runStages(
  chat: Chat,
  file: string | undefined,
  link: Link | undefined,
  work: Work,
): Promise<Chat> {
  const scope = {
    ...(file === undefined ? {} : { file }),
    include: (found: Found, message: Message) => include(found, message, link, work),
  };
  let current = chat;
  for (const { run } of STAGES) {
    current = await run(current, work.ports, scope);
    if (current.length > MOST_MESSAGES)
      throw usageFailure(
        'too-many-messages',
        `imports add up to more than ${MOST_MESSAGES} messages`,
        {
          at: file ?? 'the chat',
          next: 'import a chat once and not at each level of a chain',
        },
      );
  }
  return current;
}

async function include(
  found: Found,
  message: Message,
  parent: Link | undefined,
  work: Work,
): Promise<Chat> {
  const { ports } = work;
  const { role, origin } = message;
  const file = found.kind === 'url' ? found.url : shownPath(found.path, ports.cwd);
  const id = found.kind === 'url' ? found.url : await ports.realPath(found.path);
  const known = work.done.get(id);
  if (known !== undefined) return known;
  const link: Link = { id, shown: file, parent };
  refuseCycle(link, origin);
  const text = decodeAt(await readChat(found, role, ports, origin), file, ports, origin);
  const chat = await runStages(parse(text, { file, warn: ports.warn }), file, link, work);
  work.done.set(id, chat);
  return chat;
}

function decodeAt(bytes: Uint8Array, file: string, ports: Ports, origin: Origin | undefined) {
  try {
    return decode(bytes, { file, warn: ports.warn });
  } catch (error) {
    throw origin === undefined ? error : locate(error, origin);
  }
}

function refuseCycle(link: Link, origin: Origin | undefined): void {
  let start = link.parent;
  while (start !== undefined && start.id !== link.id) start = start.parent;
  if (start === undefined) return;
  const names = [link.shown];
  for (let each = link.parent; each !== start.parent && each !== undefined; each = each.parent)
    names.push(each.shown);
  throw usageFailure('import-cycle', `chats import each other: ${names.reverse().join(' → ')}`, {
    ...at(origin),
    next: 'take out one of these imports',
  });
}

async function identity(file: string, ports: Ports): Promise<string> {
  const absolute = path.resolve(ports.cwd, file);
  return (await ports.stat(absolute)) === undefined ? absolute : ports.realPath(absolute);
}

/** Relative to the working directory where it lies below it: that is how the user would write it. */
function shownPath(file: string, cwd: string): string {
  const relative = path.relative(cwd, file);
  return relative === '' || relative.startsWith('..') || path.isAbsolute(relative)
    ? file
    : relative;
}
