// Whether what a walk saw can be seen again: the same answer from a thread, without one, and when the thread dies.

import { appendFileSync, rmSync, statSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { fileVersion, folderVersion, packSeen } from '../../src/prov/seen.ts';
import { checkSeen, isSeenAgain } from '../../src/prov/seen-check.ts';
import { createFiles } from '../../src/world/files.ts';
import { factsOf } from '../../src/world/read-file.ts';
import type { Workers } from '../../src/world/types/workers.ts';
import { temporaryFolder } from '../helpers/folder.ts';

const files = createFiles();

/** What a walk over one folder saw, so often that a thread is worth it. */
function store() {
  const folder = temporaryFolder({ 'a.chat': 'user: a\n', 'b.chat': 'user: b\n' });
  symlinkSync('a.chat', join(folder, 'link'));
  const version = (name: string) => {
    return [join(folder, name), fileVersion(factsOf(statSync(join(folder, name))))] as const;
  };
  const { isSettled, seen } = packSeen(
    {
      files: [
        ...Array.from({ length: 20_000 }, () => [version('a.chat'), version('b.chat')]).flat(),
        [join(folder, 'gone.chat'), null],
      ],
      folders: [[folder, folderVersion(factsOf(statSync(folder)))]],
      real: [[join(folder, 'link'), join(folder, 'a.chat')]],
    },
    () => true,
  );
  expect(isSettled).toBe(true);
  expect(seen.length).toBeGreaterThan(3);
  return { folder, seen: seen.map((part) => Buffer.from(JSON.stringify(part))) };
}

/** A thread's own code in this one; or one that ends without a word. `done` is how many parts it looked at before it was told to end. */
function workers(dies: boolean) {
  const asked: string[] = [];
  const counts = { answered: 0, done: -1 };
  const made: Workers = {
    cores: () => 8,
    start(name, on) {
      asked.push(name);
      return {
        post(message) {
          const seen = structuredClone(message) as Uint8Array;
          setTimeout(() => {
            if (dies) return on.ended();
            counts.answered++;
            on.message(isSeenAgain(seen, createFiles().now));
          });
        },
        busy: () => {},
        end() {
          counts.done = counts.answered;
        },
      };
    },
  };
  return { asked, counts, workers: made };
}

const changes: readonly (readonly [string, boolean, (folder: string) => void])[] = [
  ['nothing', true, () => {}],
  ['a file', false, (folder) => appendFileSync(join(folder, 'b.chat'), 'more')],
  ['a file that went', false, (folder) => rmSync(join(folder, 'a.chat'))],
  ['a file that came', false, (folder) => appendFileSync(join(folder, 'gone.chat'), '')],
  [
    'where a link leads',
    false,
    (folder) => {
      rmSync(join(folder, 'link'));
      symlinkSync('b.chat', join(folder, 'link'));
    },
  ],
];

describe.each(changes)('after a change of %s', (_, same, change) => {
  test('a thread, one that dies and none say the same', async () => {
    const { folder, seen } = store();
    change(folder);
    const good = workers(false);
    const bad = workers(true);
    expect(await checkSeen(seen, { files, workers: good.workers })()).toBe(same);
    expect(await checkSeen(seen, { files, workers: bad.workers })()).toBe(same);
    expect(await checkSeen(seen, { files })()).toBe(same);
    const none: Workers = { cores: () => 8, start: () => undefined };
    expect(await checkSeen(seen, { files, workers: none })()).toBe(same);
    expect([...good.asked, ...bad.asked]).toEqual(['seen-check', 'seen-check']);
    if (same) expect(good.counts.done).toBeGreaterThan(1);
    expect(good.counts.done).toBeLessThanOrEqual(seen.length);
    expect(good.counts.done).toBeGreaterThanOrEqual(0);
  });
});

test('what is no JSON was not seen', async () => {
  expect(await checkSeen([Buffer.from('{"files":')], { files })()).toBe(false);
});
