import { spawn } from 'node:child_process';
import * as fs from 'node:fs';
import { tmpdir } from 'node:os';
import * as path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createLocks } from '../../src/world/lock.ts';
import { buildProgram } from '../helpers/program.ts';

let program: Awaited<ReturnType<typeof buildProgram>>;
let folder: string;

beforeAll(async () => {
  program = await buildProgram('append-turns');
  folder = fs.mkdtempSync(path.join(tmpdir(), 'scout-lock-'));
});
afterAll(() => {
  program.remove();
  fs.rmSync(folder, { recursive: true, force: true });
});

function start(file: string, name: string, count: number) {
  const child = spawn(process.execPath, [program.file, file, name, String(count)], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let errors = '';
  child.stderr.on('data', (text) => {
    errors += text;
  });
  const ended = new Promise<{ code: number | null; errors: string }>((resolve) => {
    child.on('close', (code) => resolve({ code, errors }));
  });
  return { child, ended };
}

/** Names of the records in the file; throws when one is not whole or two are mixed. */
function records(file: string): string[] {
  const lines = fs.readFileSync(file, 'utf8').split('\n');
  expect(lines.pop()).toBe('');
  const found: string[] = [];
  for (let at = 0; at < lines.length; at += 402) {
    const name = lines[at]?.replace('BEGIN ', '') ?? '';
    expect(lines.slice(at + 1, at + 401).every((line) => line === name)).toBe(true);
    expect(lines[at + 401]).toBe(`END ${name}`);
    found.push(name);
  }
  return found;
}

describe('the lock of a file', () => {
  it('lets eight processes write ten whole records each, none mixed, and leaves nothing behind', async () => {
    const file = path.join(folder, 'eight.chat');
    const results = await Promise.all(
      Array.from({ length: 8 }, (_, index) => start(file, `p${index}`, 10).ended),
    );
    expect(results.map(({ code, errors }) => [code, errors])).toEqual(results.map(() => [0, '']));
    const found = records(file);
    expect(new Set(found).size).toBe(80);
    expect(fs.readdirSync(folder).filter((name) => name.startsWith('eight'))).toEqual([
      'eight.chat',
    ]);
  });

  it('is taken over from killed processes: every record is whole, at random moments of death', async () => {
    const file = path.join(folder, 'killed.chat');
    let killed = 0;
    for (let trial = 0; trial < 25; trial++) {
      const run = start(file, `t${trial}`, 1000);
      const other = start(file, `u${trial}`, 1000);
      await new Promise((resolve) => setTimeout(resolve, 60 + Math.random() * 60));
      run.child.kill('SIGKILL');
      other.child.kill('SIGKILL');
      await Promise.all([run.ended, other.ended]);
      killed += 2;
      // The mark of the one inside would stop the next one for good.
      fs.rmSync(`${file}.inside`, { force: true });
    }
    const last = await start(file, 'last', 1).ended;
    expect(last).toEqual({ code: 0, errors: '' });
    expect(killed).toBe(50);
    expect(records(file).at(-1)).toBe('last 0');
    expect(fs.readdirSync(folder).filter((name) => name.startsWith('killed'))).toEqual([
      'killed.chat',
    ]);
  }, 600_000);

  it('finishes a write of which only a part had reached the file', async () => {
    const file = path.join(folder, 'half.chat');
    const text = 'user:\n\nwhole question\n';
    fs.writeFileSync(file, `before\n${text.slice(0, 9)}`);
    const dead = {
      pid: 2 ** 22 + 1,
      started: '1',
      host: (await import('node:os')).hostname(),
      space: spaceOfThisMachine(),
      token: 'dead',
    };
    fs.writeFileSync(`${file}.lock`, JSON.stringify({ ...dead, append: { offset: 7, text } }));
    const lock = await createLocks().hold(file);
    expect(fs.readFileSync(file, 'utf8')).toBe(`before\n${text}`);
    await lock.release();
  });

  it('leaves text alone that somebody else wrote where a cut write had started', async () => {
    const file = path.join(folder, 'edited.chat');
    fs.writeFileSync(file, 'before\nmy own edit\n');
    const dead = {
      pid: 2 ** 22 + 1,
      started: '1',
      host: (await import('node:os')).hostname(),
      space: spaceOfThisMachine(),
      token: 'dead',
    };
    fs.writeFileSync(
      `${file}.lock`,
      JSON.stringify({ ...dead, append: { offset: 7, text: 'user:\n\nother\n' } }),
    );
    const lock = await createLocks().hold(file);
    expect(fs.readFileSync(file, 'utf8')).toBe('before\nmy own edit\n');
    await lock.release();
  });

  it('waits for a holder that lives, and says who it is', async () => {
    const file = path.join(folder, 'waits.chat');
    const first = await createLocks().hold(file);
    const told: string[] = [];
    const stop = new AbortController();
    const second = createLocks().hold(file, {
      signal: stop.signal,
      onWait: (holder) => {
        told.push(holder);
        stop.abort(new Error('enough'));
      },
    });
    await expect(second).rejects.toThrow('enough');
    expect(told).toHaveLength(1);
    expect(told[0]).toContain(String(process.pid));
    await first.release();
  });
});

function spaceOfThisMachine(): string {
  const boot = fs.readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
  return `${boot} ${fs.readlinkSync('/proc/self/ns/pid')}`;
}
