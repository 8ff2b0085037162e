// What is asked again, how often, and after what wait, against a real server.

import { describe, expect, test } from 'vitest';
import { retryAfter, waitInWords } from '../../src/backends/http/retry.ts';
import { openai } from '../../src/backends/openai/backend.ts';
import { askBackend, askContext, fakeEndpoint, fakeRequest } from '../helpers/asking.ts';
import { answerEnded, NOBODY, type Script } from '../helpers/fake-server.ts';
import { openaiError, openaiStream } from '../helpers/openai-replies.ts';
import { served } from '../helpers/served.ts';
import { ask } from '../helpers/transport-asks.ts';

const times = (count: number, script: Script): Script[] =>
  Array.from({ length: count }, () => script);

describe('repeats', () => {
  test('go on until an answer comes, with waits that double', async () => {
    const { text, retries, server } = await ask([
      ...times(5, { status: 503 }),
      openaiStream('at last'),
    ]);
    expect(text).toBe('at last');
    expect(retries.map(({ delay }) => delay)).toEqual([1, 2, 4, 8, 16]);
    expect(retries.map(({ attempt }) => attempt)).toEqual([1, 2, 3, 4, 5]);
    expect(server.requests.length).toBe(6);
  });

  test('wait at most 8 seconds, and up to a fifth longer by chance', async () => {
    const slept: number[] = [];
    const clock = {
      ...askContext().clock,
      random: () => 1,
      sleep: async (ms: number) => void slept.push(ms),
    };
    const { failure } = await ask(
      { status: 503 },
      { retry_base: 0.5, retry_max: 7 },
      {},
      { clock },
    );
    expect(failure?.facts.attempts).toBe(8);
    expect(slept).toEqual([600, 1200, 2400, 4800, 9600, 9600, 9600]);
  });

  test('wait 20 seconds for credit that other requests hold, when the server names no time', async () => {
    const slept: number[] = [];
    const clock = { ...askContext().clock, sleep: async (ms: number) => void slept.push(ms) };
    const held = openaiError(402, 'credit held by in-flight requests');
    await ask(held, { retry_max: 2 }, {}, { clock });
    expect(slept).toEqual([20_000, 20_000]);
  });

  test('retry_max 0 means none', async () => {
    const { failure, server } = await ask({ status: 503 }, { retry_max: '0' });
    expect(failure?.facts).toMatchObject({ kind: 'server', attempts: 1 });
    expect(server.requests.length).toBe(1);
  });

  test('requests of one run share a connection', async () => {
    const server = await served(openaiStream('x'));
    const context = askContext();
    const request = fakeRequest(fakeEndpoint(`${server.url}/v1`));
    for (let round = 0; round < 3; round++) {
      // The end of an answer comes a moment after its last event.
      const ended = answerEnded();
      await askBackend(openai, request, context);
      await ended;
    }
    expect([server.requests.length, server.connections()]).toEqual([3, 1]);
  });

  test('a refused connection fails at once and asks whether the server runs', async () => {
    const { failure, retries } = await askBackend(
      openai,
      fakeRequest(fakeEndpoint(`${NOBODY}/v1`)),
    );
    expect(failure).toMatchObject({ code: 'connection-failed', exitCode: 4 });
    expect(failure?.message).toBe(
      `cannot connect to ${NOBODY.replace('http://', '')}: the connection was refused`,
    );
    expect(failure?.next).toMatch(/^is the server running\?/);
    expect(retries).toEqual([]);
  });

  test('a reset connection is repeated', async () => {
    const { text, retries } = await ask([{ ending: 'reset' }, openaiStream('fine')]);
    expect([text, retries[0]?.kind]).toEqual(['fine', 'connection']);
  });

  test('a server that speaks no HTTP is not asked again', async () => {
    const { failure, server } = await ask({ raw: 'SSH-2.0-no\r\n\r\n' });
    expect(failure?.message).toBe(`127.0.0.1:${server.port} does not speak HTTP`);
  });

  test('a broken answer to the model list is repeated too', async () => {
    const server = await served([
      { status: 500 },
      { body: { object: 'list', data: [{ id: 'a' }, { id: 'b', max_model_len: 4096 }, {}] } },
    ]);
    const models = await openai.models(fakeEndpoint(`${server.url}/v1/`), askContext());
    expect(models).toEqual([{ id: 'a' }, { id: 'b', contextWindow: 4096 }]);
    expect(server.requests.map(({ method, path }) => `${method} ${path}`)).toEqual(
      times(2, {}).map(() => 'GET /v1/models'),
    );
  });
});

describe('Retry-After in all its forms', () => {
  const now = new Date('2026-03-01T12:00:00Z');
  const rows: readonly [Record<string, string>, number | undefined][] = [
    [{ 'retry-after': '2' }, 2],
    [{ 'retry-after': '0' }, 0],
    [{ 'retry-after': '1.5' }, 1.5],
    [{ 'retry-after': '-5' }, undefined],
    [{ 'retry-after': 'soon' }, undefined],
    [{ 'retry-after': '9'.repeat(400) }, 1e10],
    [{ 'retry-after': '' }, undefined],
    [{ 'retry-after': 'Sun, 01 Mar 2026 12:00:03 GMT' }, 3],
    // The older forms of a date, which count in Greenwich too.
    [{ 'retry-after': 'Sun Mar  1 12:00:03 2026' }, 3],
    [{ 'retry-after': 'Sunday, 01-Mar-26 12:00:03 GMT' }, 3],
    [{ 'retry-after': 'Wed, 21 Oct 2015 07:28:00 GMT' }, 0],
    [{ 'retry-after': 'Fri, 31 Dec 9999 23:59:59 GMT' }, 251_629_934_399],
    [{ 'retry-after': 'Sun, 99 Foo 2026 12:00:03 GMT' }, undefined],
    [{ 'retry-after': '86400' }, 86_400],
    [{ 'retry-after': '2, 9' }, 2],
    [{ 'retry-after': 'soon, 9' }, 9],
    [{ 'retry-after': 'Sun, 01 Mar 2026 12:00:03 GMT, 9' }, 3],
    [{ 'retry-after-ms': '250' }, 0.25],
    [{ 'retry-after-ms': '250', 'retry-after': '5' }, 0.25],
    [{ 'retry-after-ms': 'x', 'retry-after': '5' }, 5],
    [{}, undefined],
  ];
  for (const [headers, expected] of rows)
    test(JSON.stringify(headers), () => {
      expect(retryAfter(headers, now)).toBe(expected);
    });

  const told: readonly (readonly [string, number | undefined])[] = [
    ['Limit reached. Please try again in 20s. Visit https://x', 20],
    ['Please try again in 7m12.5s.', 432.5],
    ['Please try again in 1h0m3s', 3603],
    ['try again in 250ms', 0.25],
    ['Please retry in 34.074 s.', 34.074],
    ['retry in 5m', 300],
    ['try again in a while', undefined],
    ['entry in 20s', undefined],
    ['slow', undefined],
    [`retry in ${'9'.repeat(400)}s`, undefined],
  ];
  for (const [words, seconds] of told)
    test(`in words: ${words.slice(0, 60)}`, () => {
      expect(waitInWords(words)).toBe(seconds);
    });

  test('a limit that passes is not told as credit that is spent, where a wait says so', async () => {
    const message = 'You exceeded your current quota, please check your plan and billing details.';
    const passing = openaiError(429, `${message} Please retry in 20ms.`);
    const { text, retries } = await ask([passing, openaiStream('fine')]);
    expect([text, retries[0]?.delay]).toEqual(['fine', 20]);
    const spent = openaiError(429, message, { code: 'insufficient_quota' });
    expect((await ask(spent)).failure?.code).toBe('out-of-credits');
  });

  test('a short wait is obeyed in place of the usual one', async () => {
    const slow = { status: 429, headers: { 'retry-after-ms': '30' } };
    const { text, retries } = await ask([slow, openaiStream('fine')]);
    expect([text, retries[0]?.delay]).toEqual(['fine', 30]);
  });

  for (const [wait, words] of [
    ['86400', '24 hours'],
    ['61', '61 s'],
    ['Fri, 31 Dec 9999 23:59:59 GMT', 'days'],
  ] as const)
    test(`a wait of ${wait} is not waited for, but told`, async () => {
      const { failure, retries } = await ask({ status: 429, headers: { 'retry-after': wait } });
      expect(failure).toMatchObject({ code: 'rate-limited', exitCode: 4 });
      expect(failure?.message).toContain('it wants a wait of ');
      expect(failure?.message).toMatch(new RegExp(`${words}$`));
      expect([failure?.facts.kind, retries]).toEqual(['rate_limited', []]);
    });
});
