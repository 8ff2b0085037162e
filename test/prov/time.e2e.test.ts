// Times as people and records write them: they mean the same on every machine.

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readTime, timeOf } from '../../src/prov/time.ts';

const zone = process.env.TZ;
beforeAll(() => {
  process.env.TZ = 'America/New_York';
  expect(new Date(0).getTimezoneOffset()).toBe(300);
});
afterAll(() => {
  if (zone === undefined) delete process.env.TZ;
  else process.env.TZ = zone;
});

describe('the time of a record', () => {
  test.each([
    ['2026-11-01', '2026-11-01T00:00:00.000Z'],
    ['2026-11-01T10:00', '2026-11-01T10:00:00.000Z'],
    ['2026-11-01 10:00:00', '2026-11-01T10:00:00.000Z'],
    ['2026-11-01 10:00:00 UTC', '2026-11-01T10:00:00.000Z'],
    ['2026-11-01 10:00:00 +0200', '2026-11-01T08:00:00.000Z'],
    ['2026-11-01T23:30:00-05:00', '2026-11-02T04:30:00.000Z'],
    ['2026-11-01T10:00:00.123456Z', '2026-11-01T10:00:00.123Z'],
  ])('%s is in UTC where it names no zone', (text, time) => {
    expect(new Date(timeOf(text) ?? Number.NaN).toISOString()).toBe(time);
  });

  test.each(['', '5', '2026', '2026-11', '20261101', 'Nov 1 2026', '2026-11-01T25:00Z'])(
    '%j is none',
    (text) => {
      expect(timeOf(text)).toBeUndefined();
    },
  );

  test.each(['2026-02-30', '2026-02-30T10:00:00Z', '2026-13-01'])(
    '%s is in no calendar',
    (text) => {
      expect(timeOf(text)).toBeUndefined();
      expect(() => readTime(text, 'since')).toThrow(/is no day and no time/);
    },
  );
});

test('as an end a day counts whole, and a time not at all', () => {
  expect(readTime('2026-11-01', 'until')).toBe(Date.UTC(2026, 10, 2));
  expect(readTime('2026-11-01', 'since')).toBe(Date.UTC(2026, 10, 1));
  expect(readTime('2026-11-01T10:00', 'until')).toBe(Date.UTC(2026, 10, 1, 10));
});
