// Jobs that fail: what is kept of it, and what may pass.

import { readFileSync, writeFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { configFailure, providerFailure, workFailure } from '../../src/errors.ts';
import { temporaryFolder } from '../helpers/folder.ts';
import { makeTask, storeIn } from '../helpers/tasks.ts';
import { infoOf } from './producing.ts';

describe('a failure', () => {
  interface Passing {
    readonly name: string;
    readonly error: unknown;
    readonly passes: boolean;
    readonly said?: { class: string; message: string };
  }
  const coded = (code: string, cause?: unknown) =>
    Object.assign(new Error(`error ${code}`, { cause }), { code });
  const named = (name: string) => Object.assign(new Error(name), { name });
  const failures: readonly Passing[] = [
    {
      name: 'a plain error',
      error: new Error('wrong'),
      passes: false,
      said: { class: 'Error', message: 'wrong' },
    },
    {
      name: 'a text',
      error: 'just text',
      passes: false,
      said: { class: 'Error', message: 'just text' },
    },
    { name: 'nothing at all', error: undefined, passes: false },
    { name: 'a missing file', error: coded('ENOENT'), passes: false },
    { name: 'a refused connection', error: coded('ECONNREFUSED'), passes: true },
    { name: 'a host that is not known', error: coded('ENOTFOUND'), passes: true },
    { name: 'a time limit', error: named('TimeoutError'), passes: true },
    {
      name: 'a network trouble below another error',
      error: new TypeError('fetch failed', { cause: coded('ECONNRESET') }),
      passes: true,
    },
    {
      name: 'a time limit of the HTTP library',
      error: coded('UND_ERR_HEADERS_TIMEOUT'),
      passes: true,
    },
    { name: 'wrong use of the HTTP library', error: coded('UND_ERR_INVALID_ARG'), passes: false },
    { name: 'a full disk', error: coded('ENOSPC'), passes: true },
    { name: 'a missing python3', error: configFailure('no-python', 'no'), passes: true },
    { name: 'a missing command', error: workFailure('command-not-found', 'no'), passes: true },
    { name: 'a missing key', error: configFailure('missing-key', 'no'), passes: true },
    { name: 'a key that is refused', error: providerFailure('not-authorized', 'no'), passes: true },
    {
      name: 'an endpoint that is not there',
      error: configFailure('unknown-endpoint', 'no'),
      passes: true,
    },
    {
      name: 'a model that was not pulled, below another error',
      error: new Error('no answer', { cause: configFailure('model-missing', 'no') }),
      passes: true,
    },
    { name: 'a setting that is wrong', error: configFailure('bad-setting', 'no'), passes: false },
    { name: 'a command that fails', error: workFailure('command-failed', 'no'), passes: false },
    {
      name: 'a busy provider',
      error: providerFailure('provider-error', 'busy', { facts: { kind: 'rate_limited' } }),
      passes: true,
    },
    {
      name: 'a provider that refuses',
      error: providerFailure('provider-error', 'no', { facts: { kind: 'bad_request' } }),
      passes: false,
    },
    {
      name: 'an error that says so itself',
      error: Object.assign(new Error('later'), { recoverable: true }),
      passes: true,
    },
    {
      name: 'a failure that says so itself',
      error: workFailure('x', 'killed', { facts: { recoverable: true } }),
      passes: true,
    },
  ];
  for (const { name, error, passes, said } of failures)
    test(`of ${name} ${passes ? 'is tried again by the next request' : 'stays the answer until it is cleaned'}`, async () => {
      let tries = 0;
      const task = makeTask('t', {
        run: () => {
          tries += 1;
          throw error;
        },
      });
      const store = await storeIn(temporaryFolder());
      const job = await store.jobFor(task);
      const [first] = await store.produce([job]);
      const [second] = await store.produce([job]);
      expect([first?.kind, second?.kind, tries]).toEqual(['failed', 'failed', passes ? 2 : 1]);
      const stored = await store.readJob(job.path);
      expect(stored).toMatchObject({
        status: 'error',
        done: false,
        error: { recoverable: passes, ...said },
      });
      await store.clean(job.path);
      await store.produce([job]);
      expect(tries).toBe(passes ? 3 : 2);
    });

  test('has the place of its workflow in the .info and in the log, and none of this program', async () => {
    const task = makeTask('t', {
      run: () => {
        throw workFailure('command-failed', 'no flour', { at: { file: 'Baking.yaml', line: 7 } });
      },
    });
    const store = await storeIn(temporaryFolder());
    const job = await store.jobFor(task);
    await store.produce([job]);
    expect(infoOf(job).backtrace).toEqual(['no flour', '    at Baking.yaml:7']);
    expect(readFileSync(`${job.path}.files/job.log`, 'utf8')).toBe(
      'no flour\n    at Baking.yaml:7\n',
    );
  });

  test('has its stack in the .info and in the log, with what caused it', async () => {
    const task = makeTask('t', {
      run: (_, job) => {
        job.log('about to fail');
        throw new Error('outer', { cause: new Error('inner') });
      },
    });
    const store = await storeIn(temporaryFolder());
    const job = await store.jobFor(task);
    await store.produce([job]);
    const { backtrace, exception } = infoOf(job);
    expect(exception).toEqual({ class: 'Error', message: 'outer' });
    expect((backtrace as string[]).join('\n')).toMatch(
      /^Error: outer\n\s+at [\s\S]*\ncaused by: Error: inner\n/,
    );
    expect(readFileSync(`${job.path}.files/job.log`, 'utf8')).toMatch(
      /^about to fail\nError: outer\n/,
    );
  });

  test('that is tried again adds to the log, keeps the artifacts, and says so', async () => {
    let fail = true;
    const task = makeTask('t', {
      run: (_, job) => {
        writeFileSync(job.files('kept.txt'), 'x');
        job.log(fail ? 'first' : 'second');
        if (fail) throw Object.assign(new Error('later'), { recoverable: true });
        return 'ok';
      },
    });
    const store = await storeIn(temporaryFolder());
    const job = await store.jobFor(task);
    await store.produce([job]);
    fail = false;
    expect(await store.result(job)).toBe('ok');
    expect(readFileSync(`${job.path}.files/job.log`, 'utf8')).toMatch(
      /^first\nError: later\n[\s\S]*\n--- computed again at \d{4}-[^\n]*\nsecond\n$/,
    );
    expect(infoOf(job)).not.toHaveProperty('recoverable');
  });

  test('of an interrupted, a killed, an unfinished attempt is tried again', async () => {
    for (const info of [
      '{"status":"aborted"}',
      '{"status":"running","pid":4194305}',
      '{"status":"do',
      '',
    ]) {
      const folder = temporaryFolder({ 'var/jobs/Test/t/Default.info': info });
      const store = await storeIn(folder);
      expect(await store.result(await store.jobFor(makeTask('t')))).toBe('t');
    }
  });
});
