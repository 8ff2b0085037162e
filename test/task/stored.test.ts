// What the `task` commands show of a stored job, and how they remove it.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { createLocks } from '../../src/world/lock.ts';
import { temporaryFolder } from '../helpers/folder.ts';
import { runCli } from '../helpers/run.ts';
import { run } from '../helpers/task-runs.ts';

describe('a stored job', () => {
  test('is shown by task info, for people and for programs', async () => {
    const { folder } = await run(['run', 'Words', 'count', '--text', 'one two', '--jobname', 'j']);
    const place = (
      await run(['run', 'Words', 'count', '--text', 'one two', '--jobname', 'j', '--path'], {
        folder,
      })
    ).stdout.trim();
    const { code, stdout } = await run(['info', place], { folder });
    expect(code).toBe(0);
    expect(stdout).toMatch(
      /^status {4}done\njob {7}Words\/count j_[0-9a-f]{32}\npath {6}var\/jobs\/Words\/count\/j_[0-9a-f]{32}\ntype {6}integer\ninput {5}text = one two\ninput {5}least = 1\n/,
    );
    expect(stdout).toMatch(/\nneeds {5}done Words\/split Default_[0-9a-f]{32}\n/);
    expect(stdout).toMatch(/\nlog {7}var\/jobs\/Words\/count\/j_[0-9a-f]{32}\.files\/job\.log\n$/);
    const json = JSON.parse((await run(['info', place, '--json'], { folder })).stdout);
    expect(json).toMatchObject({
      status: 'done',
      done: true,
      type: 'integer',
      inputs: { text: 'one two', least: 1 },
      dependencies: [{ status: 'done' }],
      error: null,
      info: { workflow: 'Words', provided_inputs: { text: 'one two' } },
    });
    expect((await run(['status', place], { folder })).stdout).toBe('done\n');
    expect((await run(['log', place], { folder })).stdout).toBe('counting with plain\n');
  });

  test('that failed shows why, and its log has the whole', async () => {
    const { folder } = await run(['run', 'Words', 'bad']);
    const shown = await run(['info', 'Words/bad/Default'], { folder });
    expect(shown.stdout).toMatch(
      /^status {4}error\n[\s\S]*\nerror {5}the command failed with status 3: about to fail\n/,
    );
    expect((await run(['status', 'Words/bad/Default'], { folder })).stdout).toBe('error\n');
    expect((await run(['log', 'Words/bad/Default'], { folder })).stdout).toMatch(
      /^about to fail\nthe command failed/,
    );
  });

  test('is removed by task clean, with --deps also what it needs, and is then computed again', async () => {
    const { folder, read } = await run(['run', 'Words', 'count', '--text', 'a b']);
    const place = (
      await run(['run', 'Words', 'count', '--text', 'a b', '--path'], { folder })
    ).stdout.trim();
    const cleaned = await run(['clean', place], { folder });
    expect(cleaned).toMatchObject({ code: 0, stdout: '', stderr: `removed ${place}\n` });
    await run(['run', 'Words', 'count', '--text', 'a b'], { folder });
    expect(read('ran')).toBe('ran\n');
    const all = await run(['clean', '--deps', place], { folder });
    expect(all.stderr.split('\n')).toHaveLength(3);
    await run(['run', 'Words', 'count', '--text', 'a b'], { folder });
    expect(read('ran')).toBe('ran\nran\n');
    expect((await run(['clean', place, '-q'], { folder })).stderr).toBe('');
  });

  test('with a broken .info is told, keeps its result, and can be cleaned', async () => {
    const files = {
      'var/jobs/Words/bytes/Default': 'x',
      'var/jobs/Words/bytes/Default.info': '{"status": "do',
    };
    const { folder, stdout, code, read } = await run(['info', 'Words/bytes/Default'], { files });
    expect(code).toBe(0);
    expect(stdout).toMatch(/^status {4}done\n[\s\S]*\.info {5}cannot be read: it is no JSON/);
    expect((await runCli(['task', 'run', 'Words', 'bytes'], { folder })).code).toBe(0);
    expect(read('var/jobs/Words/bytes/Default')).toBe('x');
    expect((await runCli(['task', 'clean', 'Words/bytes/Default'], { folder })).code).toBe(0);
    expect(read('var/jobs/Words/bytes/Default')).toBeUndefined();
  });

  for (const command of ['info', 'status', 'clean', 'log'])
    test(`task ${command} of what is no job ends with 2, and touches nothing`, async () => {
      const { code, stdout, stderr, read } = await run([command, 'notes.txt']);
      expect([code, stdout]).toEqual([2, '']);
      expect(stderr).toMatch(
        /^error: "notes\.txt" is no job: there is no \.info beside it\n {2}next: name the path of a result/,
      );
      expect(read('notes.txt')).toBe('one two three');
    });

  test('that is being computed is not removed', async () => {
    const folder = temporaryFolder({ 'var/jobs/W/t/n.info': '{"status":"running"}' });
    const lock = await createLocks().hold(join(folder, 'var/jobs/W/t/n'));
    const { code, stderr, read } = await runCli(['task', 'clean', 'W/t/n'], { folder });
    expect(code).toBe(1);
    expect(stderr).toMatch(/is being computed by process \d+ on /);
    expect(read('var/jobs/W/t/n.info')).toBeDefined();
    await lock.release();
  });

  test('without a log says so on standard error', async () => {
    const { folder } = await run(['run', 'Words', 'bytes']);
    expect(await run(['log', 'Words/bytes/Default'], { folder })).toMatchObject({
      code: 0,
      stdout: '',
      stderr: 'this job wrote no log\n',
    });
  });

  test('whose log grows is followed until it ends, control characters shown harmlessly on a terminal', async () => {
    const folder = temporaryFolder({
      'var/jobs/W/t/n.info': '{"status":"running"}',
      'var/jobs/W/t/n.files/job.log': 'first\n',
    });
    const place = join(folder, 'var/jobs/W/t/n');
    const lock = await createLocks().hold(place);
    const following = runCli(['task', 'log', '-f', 'W/t/n'], { folder, terminal: {} });
    await new Promise((resolve) => setTimeout(resolve, 50));
    writeFileSync(`${place}.files/job.log`, 'first\nsecond \x1b[2J\n');
    await lock.release();
    expect((await following).stdout).toBe('first\nsecond ␛[2J\n');
  });
});
