// Which events lie between two times. An event without a time is in no range, and is counted as such.

import { usageFailure } from '../errors.ts';
import type { TokenEvent } from './types/tokens.ts';

/** Milliseconds since 1970; `since` is the first that counts, `until` the first that does not. */
export interface TimeRange {
  readonly since?: number;
  readonly until?: number;
}

export interface EventsWithin {
  readonly events: readonly TokenEvent[];
  /** Events before or after. */
  readonly outside: number;
  /** Events without a time, which are left out of any range. */
  readonly untimed: number;
}

/** The events of a range, in their order; all of them when there is none. */
export function within(
  events: readonly TokenEvent[],
  { since, until }: TimeRange = {},
): EventsWithin {
  if (since === undefined && until === undefined) return { events, outside: 0, untimed: 0 };
  let untimed = 0;
  const inside = events.filter(({ timestamp }) => {
    const time = timeOf(timestamp);
    if (time === undefined) untimed++;
    return time !== undefined && time >= (since ?? -Infinity) && time < (until ?? Infinity);
  });
  return { events: inside, outside: events.length - inside.length - untimed, untimed };
}

/** When a request was, in milliseconds since 1970; undefined when its record does not say, or not in a way that can be read. */
export const timeOf = (timestamp: string | null): number | undefined =>
  timestamp === null ? undefined : timeIn(timestamp);

const DAY = /^\d{4}-\d{2}-\d{2}$/;
const DAY_LENGTH = 86_400_000;

/**
 * Reads `2026-01-31`, or an ISO 8601 time; in UTC where no zone is named. As an end a day counts to its last millisecond. Throws a usage
 * Failure for anything else, also for days that no calendar has.
 */
export function readTime(text: string, edge: 'since' | 'until'): number {
  const time = timeIn(text);
  if (time === undefined)
    throw usageFailure('bad-time', `--${edge} "${text}" is no day and no time`, {
      next: 'write a day as 2026-01-31, or a time as 2026-01-31T12:00:00Z',
    });
  return edge === 'until' && DAY.test(text) ? time + DAY_LENGTH : time;
}

/** A day, a time of the day, a zone; with a blank in place of the T, as Ruby prints times. */
const TIME =
  /^(\d{4}-\d{2}-\d{2})(?:[T ](\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?) ?(?:(Z|UTC)|([+-]\d{2}):?(\d{2}))?)?$/;

/** The engine would take what names no zone for a local time, and 30 February for 2 March: then days would depend on the machine. */
function timeIn(text: string): number | undefined {
  const [, day = '', time = '00:00', , hours = '+00', minutes = '00'] = TIME.exec(text) ?? [];
  const midnight = Date.parse(`${day}T00:00Z`);
  if (Number.isNaN(midnight) || !new Date(midnight).toISOString().startsWith(day)) return undefined;
  const found = Date.parse(`${day}T${time}${hours}:${minutes}`);
  return Number.isNaN(found) ? undefined : found;
}
