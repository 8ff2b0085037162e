import { readFileSync, statSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { beat, isShared } from '../../src/world/heartbeat.ts';
import { until } from '../helpers/children.ts';
import { temporaryFolder } from '../helpers/folder.ts';

const OLD = new Date(2020, 1, 1);

test('a heart that is to beat steadily beats also while this thread is busy, and stops when told', async () => {
  const file = join(temporaryFolder({ lock: '' }), 'lock');
  const stop = beat(file, true, 10);
  await until(() => statSync(file).mtimeMs > OLD.getTime());
  utimesSync(file, OLD, OLD);
  const end = performance.now() + 10_000;
  // Nothing else runs in this thread meanwhile.
  while (statSync(file).mtimeMs === OLD.getTime() && performance.now() < end);
  expect(statSync(file).mtimeMs).toBeGreaterThan(OLD.getTime());
  stop();
  await until(() => {
    utimesSync(file, OLD, OLD);
    return wait(50).then(() => statSync(file).mtimeMs === OLD.getTime());
  });
});

test('an ordinary heart beats with a timer, and minds no lock that is gone', async () => {
  const folder = temporaryFolder({ lock: '' });
  utimesSync(join(folder, 'lock'), OLD, OLD);
  const stops = [beat(join(folder, 'lock'), false, 5), beat(join(folder, 'gone'), false, 5)];
  await until(() => statSync(join(folder, 'lock')).mtimeMs > OLD.getTime());
  for (const stop of stops) stop();
});

test.each([false, true])(
  'a heart of a machine whose clock is wrong beats in the time of the file system (steadily: %s), and the lock keeps its text',
  async (steady) => {
    const file = join(temporaryFolder({ lock: '{"pid":7}' }), 'lock');
    utimesSync(file, OLD, OLD);
    vi.useFakeTimers({ toFake: ['Date'], now: new Date(2035, 1, 1) });
    try {
      const stop = beat(file, steady, 5);
      await until(() => statSync(file).mtimeMs !== OLD.getTime());
      stop();
    } finally {
      vi.useRealTimers();
    }
    expect(Math.abs(Date.now() - statSync(file).mtimeMs)).toBeLessThan(60_000);
    expect(readFileSync(file, 'utf8')).toBe('{"pid":7}');
  },
);

test('a local folder, and one that is not there, are shared with no other machine', () => {
  expect(isShared(temporaryFolder())).toBe(false);
  expect(isShared('/nonexistent/folder')).toBe(false);
});

const wait = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds));
