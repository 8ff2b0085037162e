// Turns `file`, `directory`, `image` and `pdf` into what a model can get, and takes the grants for tools out of the chat.

import * as path from 'node:path';
import { usageFailure } from '../../errors.ts';
import { addAll } from '../../lists.ts';
import type { Chat, Message } from '../../types.ts';
import { fileMessage } from '../file-message.ts';
import { at, findFor, isRemote, placeName } from '../find.ts';
import { readText } from '../text-file.ts';
import type { Ports, Scope } from '../types.ts';
import { directory } from './directory.ts';
import { media } from './media.ts';
import { step } from './step.ts';

type Resolve = (message: Message, ports: Ports, scope: Scope, answered: boolean) => Promise<Chat>;

const ROLES: ReadonlyMap<string, Resolve> = new Map<string, Resolve>([
  ['file', file],
  ['directory', directory],
  ['image', media],
  ['pdf', media],
  ['allow_path', grant],
  ['allow_read_path', grant],
]);

/** The chat with files in place of their names. Rejects with a usage Failure that names file and line. */
export async function files(chat: Chat, ports: Ports, scope: Scope): Promise<Chat> {
  if (!chat.some(({ role }) => role === 'step' || ROLES.has(role))) return chat;
  const lastAnswer = chat.findLastIndex(({ role }) => role === 'assistant');
  const result: Message[] = [];
  for (const [index, message] of chat.entries()) {
    if (message.role === 'step') {
      addAll(result, await step(message, chat.slice(0, index), ports, scope));
      continue;
    }
    const resolve = ROLES.get(message.role);
    if (resolve === undefined) result.push(message);
    else
      for (const each of await resolve(message, ports, scope, index < lastAnswer))
        result.push(each);
  }
  return result;
}

async function file(message: Message, ports: Ports, scope: Scope): Promise<Chat> {
  const found = await findFor(message, ports, scope);
  const text = await readText(found, 'file', ports, message.origin);
  return [fileMessage(placeName(found), text, message)];
}

/** Relative to the file that holds it when something is there, else to the working directory. */
async function grant(message: Message, ports: Ports, scope: Scope): Promise<Chat> {
  const { role, content, origin } = message;
  const from = origin?.file ?? scope.file;
  if (isRemote(from))
    throw usageFailure('remote-grant', `a remote chat may not open folders to tools (${role})`, {
      ...at(origin),
      next: 'save the chat and look at it, then import the file',
    });
  const name = content.trim();
  const beside = path.resolve(ports.cwd, path.dirname(from ?? ''), name);
  ports.grant({
    access: role === 'allow_path' ? 'write' : 'read',
    path: (await ports.stat(beside)) === undefined ? path.resolve(ports.cwd, name) : beside,
    ...(origin === undefined ? {} : { origin }),
  });
  return [];
}
