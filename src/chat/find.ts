// From the name in a message to the place it means, or a Failure that says where it was looked for.

import { locate, usageFailure } from '../errors.ts';
import type { Message, Origin } from '../types.ts';
import type { Place, Ports, Scope } from './types.ts';

/** A place where something is (a path), or may be (an address). */
export type Found = Exclude<Place, { kind: 'missing' }>;

/** The place that the content of the message names. Nothing there: a usage Failure with file, line and every place tried. */
export async function findFor(
  message: Message,
  ports: Pick<Ports, 'find'>,
  scope: Pick<Scope, 'file'>,
): Promise<Found> {
  const { role, origin } = message;
  const name = message.content.trim();
  if (name === '')
    throw usageFailure('no-name', `"${role}:" names nothing`, {
      ...at(origin),
      next: `write what is meant after it: \`${role}: NAME\``,
    });
  const place = await ports.find(name, origin?.file ?? scope.file);
  if (place.kind !== 'missing') return place;
  throw usageFailure('not-found', `cannot find "${short(name)}" (${role})`, {
    ...at(origin),
    detail: [`tried ${place.tried.join(', ')}`],
    next: nextStep(name, role, place.nearest),
  });
}

function nextStep(name: string, role: string, nearest: readonly string[]): string {
  if (nearest.length > 0) return `did you mean ${nearest.map((each) => `"${each}"`).join(' or ')}?`;
  if (name.includes('\n')) return `name one thing a message: a \`${role}:\` line for each`;
  if (/^[a-z][a-z0-9+.-]+:\/\//i.test(name))
    return 'remote addresses begin with http:// or https://';
  return 'check the name, or make the file';
}

/** Whether a message came from a remote chat, which may name nothing of this machine. */
export const isRemote = (file: string | undefined): boolean =>
  file !== undefined && /^https?:\/\//i.test(file);

/** The path or the address. */
export const placeName = (found: Found): string => (found.kind === 'url' ? found.url : found.path);

/** The failure at the message's place, when it has none yet. */
export const located = (error: unknown, { origin }: Pick<Message, 'origin'>): unknown =>
  origin === undefined ? error : locate(error, origin);

/** `{at}` for a Failure, or nothing. */
export const at = (origin: Origin | undefined): { at?: Origin } =>
  origin === undefined ? {} : { at: origin };

/** A content as it fits into a message of one line. */
export function short(text: string, most = 80): string {
  const line = text.trim().replace(/\s+/g, ' ');
  return line.length > most ? `${line.slice(0, most - 1)}…` : line;
}
