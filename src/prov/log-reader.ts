// Reads the chats that were kept beside jobs, many owners at once: the part of a large walk that can be done beside the rest of it.

import type { EntryKind } from '../world/types/files.ts';
import { logsOf } from './logs.ts';
import { type Observations, record } from './observations.ts';
import { createPlaces, type Places, placeAt } from './places.ts';
import { readChat } from './read-chat.ts';
import type { ChatFacts } from './types/facts.ts';
import type { ProvFiles } from './types/ports.ts';
import type { Place, ReadLog } from './walk-types.ts';

export interface LogQuestion {
  /** Paths of the owners, and what stands at their `.files`. */
  readonly owners: readonly (readonly [path: string, files: EntryKind | undefined])[];
  /** Whether it must be known what was looked at. */
  readonly record: boolean;
}

/** As JSON. */
export interface LogAnswer {
  /** For each owner; null for one of whose logs something cannot be read, which the walk then finds out and tells itself. */
  readonly logs: readonly (readonly LogRow[] | null)[];
  readonly seen?: Observations;
}

type LogRow = readonly [path: string, files: EntryKind | null, own: 0 | 1, facts: ChatFacts];

/** Never throws. */
export function answerLogs(
  { owners, record: isRecorded }: LogQuestion,
  files: ProvFiles,
): LogAnswer {
  const recording = isRecorded ? record(files) : undefined;
  const seeing = recording?.files ?? files;
  const places = createPlaces(seeing);
  const logs = owners.map(([path, kind]) => {
    const read = readLogs(placeAt(path, undefined, undefined, kind), seeing, places);
    return read?.map(rowOf) ?? null;
  });
  return recording === undefined ? { logs } : { logs, seen: recording.observations() };
}

/** The logs of one owner; undefined when something is wrong with them. */
export function readLogs(
  owner: Place,
  files: ProvFiles,
  places: Places,
): readonly ReadLog[] | undefined {
  try {
    const found = logsOf(owner, { files, places, onUnreadable: fail });
    return found.map(({ place, own }) => ({
      place,
      own,
      facts: readChat(place, files),
    }));
  } catch {
    return undefined;
  }
}

/** What an answer tells of one owner. */
export const logsIn = (rows: readonly LogRow[]): readonly ReadLog[] =>
  rows.map(([path, files, own, facts]) => ({
    place: placeAt(path, undefined, undefined, files ?? undefined),
    own: own === 1,
    facts,
  }));

const rowOf = ({ place: { path, files }, own, facts }: ReadLog): LogRow => [
  path,
  files ?? null,
  own ? 1 : 0,
  facts,
];

const fail = (_: string, cause: unknown): never => {
  throw cause;
};
