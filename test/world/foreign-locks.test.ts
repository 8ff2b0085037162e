// Lock files that something else wrote: nobody can be asked about them, so only their age tells.

import { readdirSync, utimesSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createLocks, HEARTBEAT_LIMIT } from '../../src/world/lock.ts';
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
