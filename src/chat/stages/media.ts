// Resolves `image` and `pdf` to a path or an address, after a look at the bytes: what could not be sent is told before any request.

import type { Chat, Message } from '../../types.ts';
import { findFor } from '../find.ts';
import { MEDIA, mediaProblem } from '../media-file.ts';
import { notAFile, type Problem, refusal } from '../text-file.ts';
import type { Ports, Scope } from '../types.ts';

/**
 * The same message with an absolute path or an address as its content. A file that cannot be sent is a usage Failure; in a
 * turn that was answered already it is left out with a warning instead, so that it does not block what follows.
 */
export async function media(
  message: Message,
  ports: Ports,
  scope: Scope,
  answered: boolean,
): Promise<Chat> {
  const found = await findFor(message, ports, scope);
  if (found.kind === 'url') return [{ ...message, content: found.url }];
  const problem = await problemWith(found.path, message.role, ports);
  if (problem === undefined) return [{ ...message, content: found.path }];
  const failure = refusal(`send "${found.path}" (${message.role})`, problem, message.origin);
  if (!answered) throw failure;
  ports.warn({
    code: 'left-out',
    message: failure.message,
    ...(message.origin === undefined ? {} : { origin: message.origin }),
  });
  return [];
}

async function problemWith(path: string, role: string, ports: Ports): Promise<Problem | undefined> {
  const stat = await ports.stat(path);
  if (stat?.kind !== 'file') {
    const problem = notAFile(stat?.kind);
    return stat?.kind === 'directory' ? { ...problem, next: 'name a file in it' } : problem;
  }
  const media = role === 'pdf' ? MEDIA.pdf : MEDIA.image;
  return mediaProblem(media, stat.size, () => ports.readStart(path, 4100));
}
