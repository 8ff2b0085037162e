// What bounds a request, and how it is cancelled, against a real server.

import { describe, expect, test } from 'vitest';
import { isRemote } from '../../src/backends/http/remote.ts';
import { openai } from '../../src/backends/openai/backend.ts';
import { askBackend, askContext, fakeEndpoint, fakeRequest } from '../helpers/asking.ts';
import type { Script } from '../helpers/fake-server.ts';
import { chatChunks, chunk, openaiStream } from '../helpers/openai-replies.ts';
import { served } from '../helpers/served.ts';
import { ask } from '../helpers/transport-asks.ts';

describe('limits and cancelling', () => {
  const quiet = { body: [': still here\n\n', { wait: 60 }, ': still here\n\n', { wait: 5_000 }] };

  test('a first token that is late ends the request, keep-alives or not, and is not asked for again', async () => {
    const { failure, server } = await ask(
      { ...quiet, ending: 'hang' },
      { first_token_timeout: 0.1 },
    );
    expect(failure).toMatchObject({ code: 'first-token-timeout', exitCode: 4 });
    expect(failure?.message).toMatch(/sent no text within 0\.1 s$/);
    expect(server.requests.length).toBe(1);
    await expect.poll(() => server.requests[0]?.aborted).toBe(true);
  });

  test('it does not count once the model has begun, even with a tool call', async () => {
    const delta = { tool_calls: [{ index: 0, id: 'a', function: { name: 'x', arguments: '' } }] };
    const body = [chunk(delta), { wait: 150 }, chunk({}, 'tool_calls')];
    const { failure, events } = await ask({ body }, { first_token_timeout: 0.1 });
    expect([failure, events.some(({ kind }) => kind === 'tool-call')]).toEqual([undefined, true]);
  });

  test('it holds for far servers by itself, and not for near ones', async () => {
    const waits = async (settings: Record<string, unknown>) => {
      const slept: number[] = [];
      const clock = { ...askContext().clock, sleep: async (ms: number) => void slept.push(ms) };
      await ask({ ...openaiStream('x'), delay: 20 }, settings, {}, { clock });
      // What follows the end of an answer is waited for too, with a shorter limit.
      return slept.filter((ms) => ms > 10_000);
    };
    expect(await waits({})).toEqual([]);
    expect(await waits({ remote: true })).toContain(120_000);
    expect(await waits({ remote: true, first_token_timeout: 0 })).toEqual([]);
    expect(await waits({ remote: true, stream: false })).toEqual([]);
  });

  for (const [url, remote] of [
    ['https://10.0.0.1/', true],
    ['http://api.example/', true],
    ['http://8.8.8.8/', true],
    ['http://172.32.0.1/', true],
    ['http://[2001:db8::1]/', true],
    ['http://localhost/', false],
    ['http://gpu-box:8000/', false],
    ['http://gpu.lan/', false],
    ['http://127.1.2.3/', false],
    ['http://10.0.0.1/', false],
    ['http://172.16.0.1/', false],
    ['http://192.168.1.1/', false],
    ['http://169.254.1.1/', false],
    ['http://100.64.0.1/', false],
    ['http://[::1]/', false],
    ['http://[fd12::1]/', false],
    ['http://[fe80::1]/', false],
    ['http://[::ffff:10.0.0.1]/', false],
  ] as const)
    test(`${url} is ${remote ? 'far' : 'near'}`, () => {
      expect(isRemote(new URL(url))).toBe(remote);
    });

  const stops: readonly [string, Script, number][] = [
    ['before the first byte', { delay: 5_000 }, 0],
    [
      'in the middle of the text',
      { body: [...chatChunks('Blue').slice(0, 2), { wait: 5_000 }] },
      1,
    ],
    ['during a wait before a repeat', { status: 503, headers: { 'retry-after': '30' } }, 0],
  ];
  for (const [name, script, seen] of stops)
    test(`a signal stops it ${name}`, async () => {
      const server = await served(script);
      const stop = new AbortController();
      const context = askContext({ signal: stop.signal });
      const texts: string[] = [];
      const asking = (async () => {
        for await (const event of openai.reply(
          fakeRequest(fakeEndpoint(`${server.url}/v1`)),
          context,
        ))
          if (event.kind === 'text') texts.push(event.text);
      })();
      asking.catch(() => {});
      await expect.poll(() => server.requests.length).toBe(1);
      await expect
        .poll(() => texts.length + context.retries.length >= (seen || script.status ? 1 : 0))
        .toBe(true);
      const reason = new Error('stopped by SIGINT');
      stop.abort(reason);
      await expect(asking).rejects.toBe(reason);
      expect(server.requests.length).toBe(1);
      if (script.status === undefined)
        await expect.poll(() => server.requests[0]?.aborted).toBe(true);
    });

  test('a signal that is stopped already sends nothing', async () => {
    const server = await served(openaiStream('x'));
    const context = askContext({ signal: AbortSignal.abort('gone') });
    const request = fakeRequest(fakeEndpoint(`${server.url}/v1`));
    await expect(askBackend(openai, request, context)).rejects.toBe('gone');
    expect(server.requests).toEqual([]);
  });

  test('request_timeout is the longest silence, in seconds', async () => {
    const { failure } = await ask(
      { body: [chunk({ content: 'x' }), { wait: 5_000 }] },
      { request_timeout: 0.05 },
    );
    expect(failure?.facts).toMatchObject({
      kind: 'stream_dropped',
      network_code: 'UND_ERR_BODY_TIMEOUT',
    });
  });

  test('a setting that is no number is a clear error', async () => {
    const { failure, server } = await ask(openaiStream('x'), { retry_max: 'many' });
    expect(failure).toMatchObject({
      exitCode: 3,
      code: 'bad-setting',
      message: '"retry_max" must be a number from 0 on, not "many"',
    });
    expect(server.requests).toEqual([]);
  });
});
