// Lock files that something else wrote: nobody can be asked about them, so only their age tells.

import fs, { readdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import os, { hostname } from 'node:os';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { createLocks, HEARTBEAT_LIMIT } from '../../src/world/lock.ts';
import { isAlive, thisProcess } from '../../src/world/owner.ts';
import { temporaryFolder } from '../helpers/folder.ts';

test.each([
  '',
  'host: elsewhere\npid: 7\n',
  'null',
  '7',
  '{}',
  '[]',
  JSON.stringify({ pid: process.pid, host: hostname(), token: 'x' }),
  JSON.stringify({ pid: 'x', host: hostname(), started: '', space: '', token: 'x' }),
])(
  'a lock file that holds %j is held while it is fresh, and taken over when it is old',
  async (text) => {
    const file = join(temporaryFolder(), 'a.chat');
    const lockFile = `${file}.lock`;
    writeFileSync(file, '');
    writeFileSync(lockFile, text);
    const locks = createLocks();
    expect(await locks.holder(file)).toBe('something that does not say what it is');
    const old = new Date(Date.now() - 2 * HEARTBEAT_LIMIT);
    utimesSync(lockFile, old, old);
    expect(await locks.holder(file)).toBeUndefined();
    const lock = await locks.hold(file);
    expect(lock.takenOver).toBe(true);
    await lock.release();
    expect(readdirSync(join(file, '..'))).toEqual(['a.chat']);
  },
);

const FOREIGN = JSON.stringify({ pid: 7, host: 'elsewhere', started: '1', space: 'x', token: 'x' });

test.each([
  ['an hour ahead', 3_600_000, 0, true],
  ['an hour behind', -3_600_000, 0, true],
  ['an hour ahead', 3_600_000, 2 * HEARTBEAT_LIMIT, false],
  ['an hour behind', -3_600_000, 2 * HEARTBEAT_LIMIT, false],
])(
  'a clock that is %s takes no lock of a living process on another host, and every lock of a dead one (%i, beat %i ms ago)',
  async (_what, skew, age, isHeld) => {
    const file = join(temporaryFolder({ 'a.chat': '' }), 'a.chat');
    const beatAt = new Date(Date.now() - age);
    writeFileSync(`${file}.lock`, FOREIGN);
    utimesSync(`${file}.lock`, beatAt, beatAt);
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + skew });
    try {
      expect(await createLocks().holder(file)).toBe(isHeld ? 'process 7 on elsewhere' : undefined);
    } finally {
      vi.useRealTimers();
    }
    expect(readdirSync(join(file, '..'))).toEqual(['a.chat', 'a.chat.lock']);
  },
);

test('a process that is number 1 of its container is alive', () => {
  const stat = readFileSync('/proc/1/stat', 'utf8');
  const started = stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? '';
  expect(isAlive({ ...thisProcess(), pid: 1, started })).toBe(true);
  expect(isAlive({ ...thisProcess(), pid: 1, started: '' })).toBe(true);
  expect(isAlive({ ...thisProcess(), pid: 1, started: `${started}1` })).toBe(false);
});

test('a lock of another machine that has the same name is not taken over while it is fresh', async () => {
  const file = join(temporaryFolder({ 'a.chat': '' }), 'a.chat');
  const twin = { ...thisProcess(), pid: 2 ** 22 + 1, space: 'another-boot pid:[4026531836]' };
  writeFileSync(`${file}.lock`, JSON.stringify({ ...twin, token: 'x' }));
  expect(await createLocks().holder(file)).toBe(`process ${twin.pid} on ${hostname()}`);
});

test('a file system without hard links has locks: one holder at a time, and a dead one is followed', async () => {
  const file = join(temporaryFolder({ 'a.chat': '' }), 'a.chat');
  // Such a file system cannot be mounted without rights, so the one call is refused as it refuses it.
  const { linkSync } = fs;
  fs.linkSync = () => {
    throw Object.assign(new Error('operation not permitted'), { code: 'EPERM' });
  };
  syncBuiltinESMExports();
  try {
    const locks = createLocks();
    const first = await locks.hold(file);
    const waits = new AbortController();
    const second = locks.hold(file, {
      signal: waits.signal,
      onWait: () => waits.abort(new Error('held')),
    });
    await expect(second).rejects.toThrow('held');
    await first.release();
    const dead = { ...thisProcess(), pid: 2 ** 22 + 1, started: '1', token: 'dead' };
    writeFileSync(`${file}.lock`, JSON.stringify(dead));
    const third = await locks.hold(file);
    expect(third.takenOver).toBe(true);
    await third.release();
  } finally {
    fs.linkSync = linkSync;
    syncBuiltinESMExports();
  }
  expect(readdirSync(join(file, '..'))).toEqual(['a.chat']);
});

test('an account that the system has no name for (a number in a container) can look at locks', async () => {
  const file = join(temporaryFolder({ 'a.chat': '' }), 'a.chat');
  const { userInfo } = os;
  os.userInfo = () => {
    throw new Error('uv_os_get_passwd returned ENOENT');
  };
  syncBuiltinESMExports();
  try {
    expect(await createLocks().holder(file)).toBeUndefined();
  } finally {
    os.userInfo = userInfo;
    syncBuiltinESMExports();
  }
});
