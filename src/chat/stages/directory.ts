// The text files below a folder, as messages. Names that begin with a dot are left out; what cannot be text is left out with a warning.

import * as path from 'node:path';
import { Failure, locate, usageFailure } from '../../errors.ts';
import type { Chat, Message } from '../../types.ts';
import { fileMessage } from '../file-message.ts';
import { at, findFor, short } from '../find.ts';
import { notAFile, readTextOrProblem, sizeText } from '../text-file.ts';
import type { Ports, Scope } from '../types.ts';

const MOST_FILES = 10_000;
const MOST_BYTES = 200_000_000;

/**
 * One message a file, sorted by path. Every real file comes once, whatever links lead to it; loops end. Pipes, devices,
 * dangling links, unreadable, binary and too large files are warned about. The message's folder missing: a usage Failure.
 */
export async function directory(message: Message, ports: Ports, scope: Scope): Promise<Chat> {
  const { origin } = message;
  const found = await findFor(message, ports, scope);
  if (found.kind === 'url')
    throw usageFailure('not-a-folder', `"${found.url}" is an address, not a folder (directory)`, {
      ...at(origin),
      next: 'name its files one by one with `file:` and give --allow-remote',
    });
  const kind = (await ports.stat(found.path))?.kind;
  if (kind !== 'directory')
    throw usageFailure('not-a-folder', `"${found.path}" is no folder (directory)`, {
      ...at(origin),
      next: kind === 'file' ? 'use `file:` for a single file' : 'check the name',
    });
  const walk: Walk = { message, ports, files: new Map(), folders: new Set(), links: [] };
  try {
    await collect(found.path, walk);
    return await readAll(found.path, walk);
  } catch (error) {
    throw origin === undefined ? error : locate(error, origin);
  }
}

interface Walk {
  readonly message: Message;
  readonly ports: Ports;
  /** Path shown, by real path. */
  readonly files: Map<string, string>;
  /** Real paths. */
  readonly folders: Set<string>;
  /** Links that wait until everything that is really there was seen. */
  readonly links: string[];
}

async function collect(root: string, walk: Walk): Promise<void> {
  await enter(root, await walk.ports.realPath(root), walk);
  for (let link = walk.links.shift(); link !== undefined; link = walk.links.shift()) {
    const real = await walk.ports.realPath(link);
    await visit(link, real, walk);
  }
}

async function enter(folder: string, real: string, walk: Walk): Promise<void> {
  if (walk.folders.has(real)) return;
  walk.folders.add(real);
  for (const name of await namesIn(folder, walk)) {
    if (name.startsWith('.')) continue;
    const entry = path.join(folder, name);
    const target = await targetOf(entry, walk);
    if (target === undefined) continue;
    // What is really there is taken under its own name, before any link to it.
    if (target === path.join(real, name)) await visit(entry, target, walk);
    else walk.links.push(entry);
  }
}

async function visit(entry: string, real: string, walk: Walk): Promise<void> {
  const kind = (await walk.ports.stat(entry))?.kind;
  if (kind === 'directory') return enter(entry, real, walk);
  if (kind !== 'file') return leaveOut(entry, notAFile(kind).problem, walk);
  if (walk.files.has(real)) return;
  walk.files.set(real, entry);
  if (walk.files.size > MOST_FILES)
    throw usageFailure('too-many-files', `the folder holds more than ${MOST_FILES} files`, {
      next: 'name a folder further down',
    });
}

async function namesIn(folder: string, walk: Walk): Promise<readonly string[]> {
  try {
    return await walk.ports.list(folder);
  } catch (error) {
    leaveOut(folder, reason(error), walk);
    return [];
  }
}

async function targetOf(entry: string, walk: Walk): Promise<string | undefined> {
  try {
    if ((await walk.ports.stat(entry)) !== undefined) return await walk.ports.realPath(entry);
    leaveOut(entry, 'is a link that leads nowhere, or a name that is not UTF-8', walk);
  } catch (error) {
    leaveOut(entry, reason(error), walk);
  }
  return undefined;
}

async function readAll(root: string, walk: Walk): Promise<Chat> {
  const result: Message[] = [];
  let bytes = 0;
  for (const file of [...walk.files.values()].sort()) {
    const text = await textOf(file, walk);
    if (text === undefined) continue;
    bytes += text.length;
    if (bytes > MOST_BYTES)
      throw usageFailure(
        'too-large',
        `the folder holds more than ${sizeText(MOST_BYTES)} of text`,
        {
          next: 'name a folder further down',
        },
      );
    result.push(fileMessage(file, text, walk.message));
  }
  if (result.length === 0) warn(`"${root}" holds no text file`, walk);
  return result;
}

async function textOf(file: string, walk: Walk): Promise<string | undefined> {
  try {
    const text = await readTextOrProblem(file, walk.ports);
    if (typeof text === 'string') return text;
    leaveOut(file, text.problem, walk);
  } catch (error) {
    leaveOut(file, reason(error), walk);
  }
  return undefined;
}

const reason = (error: unknown): string => {
  if (error instanceof Failure) return `cannot be read (${error.message.replace(/^.*": /, '')})`;
  throw error;
};

const leaveOut = (file: string, problem: string, walk: Walk): void =>
  warn(`left out "${short(file, 300)}": it ${problem}`, walk);

function warn(text: string, { ports, message }: Walk): void {
  ports.warn({
    code: 'left-out',
    message: text,
    ...(message.origin === undefined ? {} : { origin: message.origin }),
  });
}
