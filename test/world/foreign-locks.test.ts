// Lock files that something else wrote: nobody can be asked about them, so only their age tells.

import { execFileSync } from 'node:child_process';
import fs, {
  chmodSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
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

test('a lock that came with a folder leads to no file outside of it: none is made, replaced or removed there', async () => {
  for (const token of ['/../../victim', '/../../none', '../x', 'a/b', '', 'x'.repeat(300)]) {
    const folder = temporaryFolder({
      'project/a.chat': '',
      'project/a.chat.lock./': '',
      victim: 'v',
    });
    const lockFile = join(folder, 'project/a.chat.lock');
    writeFileSync(lockFile, JSON.stringify({ ...JSON.parse(FOREIGN), token }));
    for (const each of [lockFile, join(folder, 'victim')]) makeOld(each);
    const lock = await createLocks().hold(join(folder, 'project/a.chat'));
    await lock.release();
    expect([token, readdirSync(folder)]).toEqual([token, ['project', 'victim']]);
    expect(readFileSync(join(folder, 'victim'), 'utf8')).toBe('v');
    expect(readdirSync(join(folder, 'project'))).toEqual(['a.chat', 'a.chat.lock.']);
  }
});

test.each([
  { offset: 0, text: { length: 1_000_000_000 } },
  { offset: -1, text: 'x' },
  { offset: 'a', text: 'old and new' },
])('what a lock says is to be appended is not when it is none: %j', async (append) => {
  const file = join(temporaryFolder({ 'a.chat': 'old' }), 'a.chat');
  writeFileSync(`${file}.lock`, JSON.stringify({ ...JSON.parse(FOREIGN), append }));
  makeOld(`${file}.lock`);
  const lock = await createLocks().hold(file);
  await lock.release();
  expect(readFileSync(file, 'utf8')).toBe('old');
});

test('a pipe, a device or a folder in the place of a lock is nobody’s, and never read', async () => {
  const folder = temporaryFolder({ a: '', b: '', c: '', 'c.lock/': '' });
  execFileSync('mkfifo', [join(folder, 'a.lock'), join(folder, 'a.lock.left')]);
  symlinkSync('/dev/zero', join(folder, 'b.lock'));
  for (const each of ['a.lock', 'c.lock']) makeOld(join(folder, each));
  const locks = createLocks();
  const lock = await locks.hold(join(folder, 'a'));
  await lock.release();
  await locks.holder(join(folder, 'b'));
  await expect(locks.hold(join(folder, 'c'))).rejects.toMatchObject({
    code: 'is-folder',
    message: `cannot create "${folder}/c.lock": it is a folder`,
  });
  expect(readdirSync(folder)).toEqual(['a', 'a.lock.left', 'b', 'b.lock', 'c', 'c.lock']);
});

test('a lock that cannot lie beside its file lies in no temporary folder that others can write to', async () => {
  const temporary = temporaryFolder();
  vi.stubEnv('TMPDIR', temporary);
  const own = join(temporary, `scout-locks-${process.getuid?.()}`);
  mkdirSync(own);
  chmodSync(own, 0o777);
  const file = join(temporary, 'gone/a.chat');
  const hold = () => createLocks().hold(file);
  try {
    await expect(hold()).rejects.toMatchObject({
      message: `cannot create "${file}.lock": others can write to ${own}`,
    });
    chmodSync(own, 0o700);
    expect((await hold()).takenOver).toBe(false);
  } finally {
    vi.unstubAllEnvs();
  }
});

function makeOld(file: string): void {
  const old = new Date(Date.now() - 2 * HEARTBEAT_LIMIT);
  utimesSync(file, old, old);
}

test.each([
  ['an hour ahead', 3_600_000, 0, true],
  ['an hour behind', -3_600_000, 0, true],
  ['an hour ahead', 3_600_000, 2 * HEARTBEAT_LIMIT, false],
  ['an hour behind', -3_600_000, 2 * HEARTBEAT_LIMIT, false],
  ['right', 0, -2 * HEARTBEAT_LIMIT, false],
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
