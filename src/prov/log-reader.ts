// Reads the chats that were kept beside jobs, many owners at once: the part of a large walk that can be done beside the rest of it.

import type { Files } from '../world/types.ts';
import { logsOf } from './logs.ts';
import { type Observations, record } from './observations.ts';
import { createPlaces, type Place } from './places.ts';
import { readChat } from './read-chat.ts';
import type { ChatFacts } from './types.ts';

export interface LogQuestion {
  /** Where the owners are, and what stands at their `.files`. */
  readonly owners: readonly Place[];
  /** Whether it must be known what was looked at. */
  readonly record: boolean;
}

export interface LogAnswer {
  /** For each owner; null for one of whose logs something cannot be read, which the walk then finds out and tells itself. */
  readonly logs: readonly (readonly ReadLog[] | null)[];
  readonly seen?: Observations;
}

export interface ReadLog {
  readonly place: Place;
  readonly own: boolean;
  readonly facts: ChatFacts;
}

/** Never rejects. */
export async function readLogs(
  { owners, record: isRecorded }: LogQuestion,
  files: Pick<Files, 'read' | 'load' | 'stat' | 'entries' | 'kindAt' | 'realPath'>,
): Promise<LogAnswer> {
  const recording = isRecorded ? record({ files, locks: NO_LOCKS }) : undefined;
  const ports = recording?.ports ?? { files };
  const places = createPlaces(ports.files);
  const logs: (readonly ReadLog[] | null)[] = [];
  for (const owner of owners)
    try {
      const found = await logsOf(owner, { ...ports, places, onUnreadable: fail });
      const read: ReadLog[] = [];
      for (const { place, own } of found)
        read.push({ place, own, facts: await readChat(place.path, ports) });
      logs.push(read);
    } catch {
      logs.push(null);
    }
  return recording === undefined ? { logs } : { logs, seen: recording.observations() };
}

const fail = (_: string, cause: unknown): never => {
  throw cause;
};

/** Logs are chats: nobody holds them. */
const NO_LOCKS = {
  holder: () => Promise.resolve(undefined),
  isAlive: () => Promise.resolve(undefined),
};
