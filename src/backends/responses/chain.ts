// Which answer of the provider a request goes on from. It does so only from one whose whole history is still what the provider was sent: a digest
// that was kept with the answer tells. Pure.

import { createHash, type Hash } from 'node:crypto';
import { bodyText } from '../body-json.ts';
import type { Entry } from './answer.ts';
import type { Translation } from './prompt.ts';

/** A response that the chat names, and where: what stands before is known to the provider and not sent. */
export type Named = NonNullable<Translation['named']>;

export interface Continuation {
  readonly id: string;
  /** The entries from here on are sent. */
  readonly from: number;
  /** Where its own history began; with the first entry when absent. */
  readonly named?: Named;
}

/** The newest answer that can be gone on from, else the response that the chat names, else undefined. */
export function continuation(input: Translation, place: string): Continuation | undefined {
  const { entries, named } = input;
  const found =
    named === undefined
      ? newest(input, place)
      : later(newest(input, place), newest(input, place, named));
  const chosen = found ?? (named && { id: named.id, from: named.at, named });
  return chosen !== undefined && chosen.from < entries.length ? chosen : undefined;
}

const later = (one: Continuation | undefined, other: Continuation | undefined) =>
  (one?.from ?? -1) > (other?.from ?? -1) ? one : other;

/** The last mark whose history is the one in front of it. */
function newest(
  { entries, marks }: Translation,
  place: string,
  named?: Named,
): Continuation | undefined {
  const hash = beginning(place, named);
  let found: Continuation | undefined;
  let at = named?.at ?? 0;
  for (const { id, history, start, end } of marks) {
    if (start < at) continue;
    add(hash, entries.slice(at, start));
    at = start;
    if (ended(hash.copy()) === history)
      found = { id, from: end, ...(named === undefined ? {} : { named }) };
  }
  return found;
}

/** Digest of the history that an answer to this input is made from, told from where that began. */
export function historyDigest({ entries }: Translation, place: string, named?: Named): string {
  const hash = beginning(place, named);
  add(hash, entries.slice(named?.at ?? 0));
  return ended(hash);
}

function beginning(place: string, named: Named | undefined): Hash {
  return createHash('sha256').update(`${JSON.stringify([place, named?.id ?? null])}\n`);
}

/** The provider's own items say nothing of their own, and may be left out of a request. */
function add(hash: Hash, entries: readonly Entry[]): void {
  for (const { item, own } of entries) if (!own) hash.update(`${bodyText(item)}\n`);
}

const ended = (hash: Hash): string => hash.digest('hex').slice(0, 32);
