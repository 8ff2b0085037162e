// When a request that failed is sent again, and after how long. Waits for nothing itself.

import type { Endpoint } from '../../config/types.ts';
import type { Failure } from '../../errors.ts';
import { numberSetting } from '../settings.ts';

/** Longest wait that a server may ask for, in seconds. */
export const LONGEST_WAIT = 60;

const MOST_RETRIES = 5;
const FIRST_DELAY = 0.5;
const LONGEST_DELAY = 8;
const JITTER = 0.2;

export interface RetryRules {
  /** Requests after the first. */
  readonly most: number;
  /**
   * Milliseconds before the next request; undefined when there is to be none: the failure is final, the server wants a longer wait than
   * LONGEST_WAIT, or the retries are spent. `attempt` counts from 1.
   */
  delay(failure: Failure, attempt: number, random: number): number | undefined;
}

/** Rules of an endpoint: `retry_max` requests, `retry_base` seconds before the first, doubled each time. */
export function retryRules(endpoint: Endpoint): RetryRules {
  const most = numberSetting(endpoint, 'retry_max') ?? MOST_RETRIES;
  const base = numberSetting(endpoint, 'retry_base') ?? FIRST_DELAY;
  return {
    most,
    delay({ facts }, attempt, random) {
      if (facts.retryable !== true || attempt > most) return undefined;
      const wanted = facts.retry_after;
      if (typeof wanted === 'number') return wanted > LONGEST_WAIT ? undefined : wanted * 1000;
      const seconds = Math.min(base * 2 ** (attempt - 1), Math.max(LONGEST_DELAY, base));
      return Math.round(seconds * 1000 * (1 + JITTER * random));
    },
  };
}

/**
 * Seconds that the server wants one to wait; undefined when it says nothing of use. `retry-after-ms` goes before `retry-after`,
 * which is seconds or a date. The past means now. Of several values the first usable one counts.
 */
export function retryAfter(
  headers: Readonly<Record<string, string>>,
  now: Date,
): number | undefined {
  const milliseconds = values(headers['retry-after-ms']).map(seconds).find(isKnown);
  if (milliseconds !== undefined) return milliseconds / 1000;
  return values(headers['retry-after'])
    .map((value) => seconds(value) ?? untilDate(value, now))
    .find(isKnown);
}

const isKnown = (value: number | undefined): value is number => value !== undefined;

/** Several headers arrive joined by commas; a date has a comma of its own, before the day. */
const values = (header = ''): string[] =>
  header.split(/,(?!\s*\d{1,2}[ -][A-Za-z]{3})/).map((value) => value.trim());

const seconds = (value: string): number | undefined =>
  /^\d+(?:\.\d+)?$/.test(value) ? Math.min(Number(value), LONGEST_SAID) : undefined;

/** Some three hundred years: a number that is still one. */
const LONGEST_SAID = 1e10;

function untilDate(value: string, now: Date): number | undefined {
  if (!/^[A-Za-z]{3,9},? /.test(value)) return undefined;
  // A date without a zone is one of Greenwich too.
  const time = Date.parse(/(?:GMT|UTC|[+-]\d{4})$/.test(value) ? value : `${value} GMT`);
  return Number.isNaN(time) ? undefined : Math.max(0, (time - now.getTime()) / 1000);
}

/** Seconds of a wait that is told in words, `try again in 1m2.5s` or `retry in 250ms`; undefined when there is none. */
export function waitInWords(said: string): number | undefined {
  const found = /\b(?:re)?try(?: again)? in ((?:\d+h)?(?:\d+m(?!s))?(?:[\d.]{1,20} ?m?s)?)/i.exec(
    said,
  )?.[1];
  if (found === undefined || found === '') return undefined;
  const parts = [...found.matchAll(/([\d.]+) ?(h|ms|m|s)/gi)];
  const total = parts.reduce((sum, [, count, unit = 's']) => {
    return sum + Number(count) * (UNITS[unit.toLowerCase()] ?? 1);
  }, 0);
  return Number.isFinite(total) ? Math.min(total, LONGEST_SAID) : undefined;
}

const UNITS: Readonly<Record<string, number>> = { h: 3600, m: 60, s: 1, ms: 0.001 };
