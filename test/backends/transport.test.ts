// Repeats, limits, cancelling and the words of failures, against a real server.

import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { isRemote } from '../../src/backends/http/remote.ts';
import { retryAfter } from '../../src/backends/http/retry.ts';
import { openai } from '../../src/backends/openai/backend.ts';
import type { BackendContext } from '../../src/backends/types.ts';
import { secret } from '../../src/config/secret.ts';
import type { Endpoint } from '../../src/config/types.ts';
import { askBackend, askContext, fakeEndpoint, fakeRequest } from '../helpers/asking.ts';
import type { Answers, FakeServer, Script } from '../helpers/fake-server.ts';
import {
  chatChunks,
  chunk,
  openaiError,
  openaiStream,
  openaiWhole,
} from '../helpers/openai-replies.ts';
import { served } from '../helpers/served.ts';

async function serve(answers: Answers): Promise<FakeServer> {
  const server = await served(answers);
  return server;
}

async function ask(
  answers: Answers,
  settings: Record<string, unknown> = {},
  rest: Partial<Endpoint> = {},
  context: Partial<BackendContext> = {},
) {
  const server = await serve(answers);
  const endpoint = fakeEndpoint(`${server.url}/v1`, { ...rest, settings });
  const asked = await askBackend(openai, fakeRequest(endpoint), askContext(context));
  return { ...asked, server };
}

/** All that a failure could show anywhere. */
const shown = (failure: unknown): string => {
  const { message, detail, next, at, facts, stack } = failure as Record<string, unknown>;
  return JSON.stringify([message, detail, next, at, facts, stack]);
};

const times = (count: number, script: Script): Script[] =>
  Array.from({ length: count }, () => script);

describe('a proxy that lets nothing through is told as what it is', () => {
  const rows: readonly [number, number, RegExp][] = [
    [403, 1, /NO_PROXY/],
    [407, 1, /USER:PASSWORD/],
    [502, 2, /check the proxy/],
  ];
  for (const [status, tunnels, next] of rows)
    test(`${status}`, async () => {
      let asked = 0;
      const proxy = createServer().on('connect', (_, socket) => {
        asked += 1;
        socket.end(`HTTP/1.1 ${status} no\r\n\r\n`);
      });
      await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
      onTestFinished(() => void proxy.close());
      const { port } = proxy.address() as AddressInfo;
      const settings = { retry_max: 1, retry_base: 0.001 };
      const endpoint = fakeEndpoint('https://llm.example/v1', { settings });
      const env = { https_proxy: `http://u:secretpw@127.0.0.1:${port}` };
      const { failure } = await askBackend(openai, fakeRequest(endpoint), askContext({ env }));
      expect(failure?.message).toContain(
        `cannot connect to llm.example: the proxy answered ${status} (through the proxy http://127.0.0.1:${port})`,
      );
      expect(failure?.next).toMatch(next);
      expect(asked).toBe(tunnels);
    });
});

describe('a certificate that is not taken is told by what is wrong with it', () => {
  const folder = join(import.meta.dirname, '../../fixtures/tls');
  const pair = (file: string) => ({
    cert: readFileSync(join(folder, `${file}.crt`), 'utf8'),
    key: readFileSync(join(folder, `${file}.key`), 'utf8'),
  });
  const rows: readonly (readonly [string, string, string, RegExp, RegExp])[] = [
    ['unknown', 'loopback', '', /is not trusted \(DEPTH_ZERO/, /SSL_CERT_FILE/],
    ['expired', 'expired', 'expired', /: its certificate has expired$/, /^if the clock of this/],
    ['of others', 'loopback', 'loopback', /is for other names \(through/, /correct "url" in etc/],
  ];
  for (const [name, held, trusted, message, next] of rows)
    test(name, async () => {
      const server = await served({ body: 'x' }, { tls: pair(held) });
      const onConnect = () => connect(server.port, '127.0.0.1');
      const proxy = await served({ status: 500 }, { onConnect });
      const elsewhere = name === 'of others';
      const env = {
        ...(trusted === '' ? {} : { SSL_CERT_FILE: join(folder, `${trusted}.crt`) }),
        ...(elsewhere ? { https_proxy: proxy.url } : {}),
      };
      const endpoint = fakeEndpoint(elsewhere ? 'https://llm.example/v1' : `${server.url}/v1`);
      const { failure } = await askBackend(openai, fakeRequest(endpoint), askContext({ env }));
      expect(failure?.message).toMatch(message);
      expect(failure?.next).toMatch(next);
      expect([failure?.facts.attempts, server.requests.length]).toEqual([1, 0]);
    });
});

test('a proxy that is not there is what is to be corrected, not the server behind it', async () => {
  const endpoint = fakeEndpoint('http://llm.example/v1');
  const env = { http_proxy: 'http://u:secretpw@127.0.0.1:9' };
  const { failure } = await askBackend(openai, fakeRequest(endpoint), askContext({ env }));
  expect(failure?.message).toBe(
    'cannot connect to 127.0.0.1:9: the connection was refused (the proxy for llm.example)',
  );
  expect(failure?.next).toBe('correct the address of the proxy, or name llm.example in NO_PROXY');
  expect(shown(failure)).not.toContain('secretpw');
});

describe('a refusal', () => {
  const page = `<html><h1>nope</h1>${'x'.repeat(200_000)}</html>`;
  const rows: readonly {
    name: string;
    answer: Script;
    kind: string;
    code: string;
    requests: number;
    message?: RegExp;
    next?: RegExp;
  }[] = [
    {
      name: '502 with 200 KB of a web page',
      answer: { status: 502, body: page },
      ...{ kind: 'retry_exhausted', code: 'server-error', requests: 3 },
      message: /^127\.0\.0\.1:\d+ answered 502 \(bad gateway\): a web page, "nope" \(3 attempts\)$/,
    },
    {
      name: '401 in plain text',
      answer: { status: 401, body: 'bad key' },
      ...{ kind: 'auth', code: 'not-authorized', requests: 1 },
      message: /answered 401 \(not authorized\): bad key$/,
      next: /has no key: set "key_env" or "key_cmd" there$/,
    },
    {
      name: '503 without a body',
      answer: { status: 503, body: '' },
      ...{ kind: 'retry_exhausted', code: 'server-error', requests: 3 },
      message: /answered 503 \(unavailable\) \(3 attempts\)$/,
      next: /^try again later, or ask another endpoint/,
    },
    {
      name: '429 whose error is a text',
      answer: { status: 429, body: { error: 'slow' } },
      ...{ kind: 'retry_exhausted', code: 'rate-limited', requests: 3 },
      message: /answered 429 \(too many requests\): slow/,
      next: /^try again later, or ask another endpoint/,
    },
    {
      name: '429 for a used-up quota',
      answer: openaiError(429, 'fake quota used up', { code: 'insufficient_quota' }),
      ...{ kind: 'credits', code: 'out-of-credits', requests: 1 },
    },
    {
      name: '429 for a limit that the account has set itself',
      answer: {
        status: 429,
        body: {
          type: 'error',
          error: {
            type: 'rate_limit_error',
            message: 'enough',
            details: { code: 'enforced_spend_limit_reached' },
          },
        },
      },
      ...{ kind: 'credits', code: 'out-of-credits', requests: 1 },
    },
    {
      name: '402 for credit that others hold',
      answer: {
        ...openaiError(402, 'credit held by in-flight requests'),
        headers: { 'retry-after': '0' },
      },
      ...{ kind: 'retry_exhausted', code: 'credits-held', requests: 3 },
    },
    {
      name: '402 without credit',
      answer: openaiError(402, 'buy some'),
      ...{ kind: 'credits', code: 'out-of-credits', requests: 1 },
    },
    {
      name: '404 for a model',
      answer: openaiError(404, 'The model `fake-mini` does not exist', { code: 'model_not_found' }),
      ...{ kind: 'bad_request', code: 'model-not-found', requests: 1 },
      next: /choose another model \(-m\), or correct "fake-mini" in etc\/AI\/fake\.yaml/,
    },
    {
      name: '404 for an address',
      answer: { status: 404, body: '404 page not found' },
      ...{ kind: 'bad_request', code: 'not-found', requests: 1 },
      next: /nothing answers at \/v1\/chat\/completions$/,
    },
    {
      name: '404 for tools',
      answer: openaiError(404, 'No endpoints found that support tool use'),
      ...{ kind: 'bad_request', code: 'tools-unsupported', requests: 1 },
    },
    {
      name: '400 for images',
      answer: openaiError(400, 'image input is not supported - hint: provide the mmproj'),
      ...{ kind: 'vision_unsupported', code: 'images-unsupported', requests: 1 },
    },
    {
      name: '408',
      answer: { status: 408 },
      kind: 'retry_exhausted',
      code: 'server-error',
      requests: 3,
    },
    {
      name: '409',
      answer: { status: 409 },
      kind: 'retry_exhausted',
      code: 'server-error',
      requests: 3,
    },
    {
      name: '529',
      answer: { status: 529 },
      kind: 'retry_exhausted',
      code: 'server-error',
      requests: 3,
    },
    {
      name: '422',
      answer: {
        status: 422,
        body: { detail: [{ loc: ['body', 'top_p'], msg: 'is odd' }, { msg: 'no' }] },
      },
      kind: 'bad_request',
      code: 'bad-request',
      requests: 1,
      message: /: body\.top_p: is odd; no$/,
    },
    {
      name: 'a redirect to another host',
      answer: { status: 307, headers: { location: 'http://127.0.0.2:9/v2?key=x' } },
      ...{ kind: 'protocol', code: 'redirected', requests: 1 },
      message: /sends requests on to http:\/\/127\.0\.0\.2:9\/v2, which was not followed$/,
    },
  ];
  for (const { name, answer, kind, code, requests, message, next } of rows)
    test(name, async () => {
      const { failure, server } = await ask(answer, { retry_max: 2 });
      expect(failure).toMatchObject({ code, exitCode: 4, at: 'endpoint fake' });
      expect(failure?.facts.kind).toBe(kind);
      expect(failure?.facts.host).toBe(`127.0.0.1:${server.port}`);
      expect(server.requests.length).toBe(requests);
      if (message !== undefined) expect(failure?.message).toMatch(message);
      if (next !== undefined) expect(failure?.next).toMatch(next);
      expect(failure?.message.length).toBeLessThan(700);
    });

  const overflows: readonly [string, Script, RegExp][] = [
    [
      'of the original',
      openaiError(
        400,
        "This model's maximum context length is 8192 tokens. However, your messages resulted in 9001 tokens.",
        { code: 'context_length_exceeded' },
      ),
      /^the prompt is too long for fake-mini: 9,001 tokens, and 8,192 fit: /,
    ],
    [
      'of llama.cpp',
      {
        status: 500,
        body: {
          error: {
            code: 400,
            message: 'the request exceeds the available context size, try increasing it',
            type: 'exceed_context_size_error',
            n_prompt_tokens: 9001,
            n_ctx: 4096,
          },
        },
      },
      /^the prompt is too long for fake-mini: 9,001 tokens, and 4,096 fit: /,
    ],
    [
      'of Ollama',
      { status: 400, body: { error: 'the input length exceeds the context length' } },
      /^the prompt is too long for fake-mini: about \d+ tokens: /,
    ],
    [
      'of Messages',
      {
        status: 400,
        body: {
          type: 'error',
          error: {
            type: 'invalid_request_error',
            message: 'input length and `max_tokens` exceed context limit: 190000 + 20000 > 200000',
          },
        },
      },
      /^the prompt is too long for fake-mini: /,
    ],
    [
      'that names no sizes',
      { status: 429, body: { error: { message: 'context length exceeded' } } },
      /^the prompt is too long for fake-mini: about \d+ tokens: /,
    ],
  ];
  for (const [name, answer, message] of overflows)
    test(`for a prompt that is too long names the sizes: ${name}`, async () => {
      const { failure, server } = await ask(answer);
      expect(failure?.message).toMatch(message);
      expect(failure).toMatchObject({
        code: 'context-overflow',
        facts: { context_overflow: true },
      });
      expect(server.requests.length).toBe(1);
    });
});

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
    const server = await serve(openaiStream('x'));
    const context = askContext();
    const request = fakeRequest(fakeEndpoint(`${server.url}/v1`));
    for (let round = 0; round < 3; round++) {
      await askBackend(openai, request, context);
      // The end of an answer comes a moment after its last event.
      await new Promise((resolve) => setTimeout(resolve, 30));
    }
    expect([server.requests.length, server.connections()]).toEqual([3, 1]);
  });

  test('a refused connection fails at once and asks whether the server runs', async () => {
    const server = await serve({});
    await server.close();
    const { failure, retries } = await askBackend(
      openai,
      fakeRequest(fakeEndpoint(`${server.url}/v1`)),
    );
    expect(failure).toMatchObject({ code: 'connection-failed', exitCode: 4 });
    expect(failure?.message).toBe(
      `cannot connect to 127.0.0.1:${server.port}: the connection was refused`,
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
    const server = await serve([
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
      const server = await serve(script);
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
    const server = await serve(openaiStream('x'));
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

describe('keys in the open', () => {
  const key = 'KEY-mock-123';
  const echo = (request: { headers: Readonly<Record<string, string>>; path: string }) =>
    `${request.headers.authorization} ${request.headers['x-api-key']} ${request.path} ${JSON.stringify(request.headers)}`;
  const ways: readonly [string, Partial<Endpoint>][] = [
    ['the key', { key: secret(key) }],
    ['a header of the endpoint file', { headers: { authorization: `Bearer ${key}` } }],
    ['another header of the endpoint file', { headers: { 'x-api-key': key } }],
  ];
  const echoes: readonly [string, (text: string) => Script][] = [
    ['a 400', (text) => ({ status: 400, body: { error: { message: text } } })],
    ['a plain 401', (text) => ({ status: 401, body: text })],
    ['a web page', (text) => ({ status: 500, body: `<html><title>${text}</title>` })],
    [
      'an error in a stream',
      (text) => ({
        body: [`data: ${JSON.stringify({ error: { message: text, code: 400 } })}\n\n`],
      }),
    ],
    ['an answer that is none', (text) => ({ body: text })],
    [
      'an error after text',
      (text) => ({
        body: [
          chunk({ content: 'x' }),
          `data: ${JSON.stringify({ error: { message: text } })}\n\n`,
        ],
      }),
    ],
    ['a long text, at its cut', (text) => ({ status: 400, body: `${'y'.repeat(490)}${text}` })],
  ];
  for (const [way, rest] of ways)
    for (const [name, script] of echoes)
      test(`${way}, repeated by the server in ${name}, is shown nowhere`, async () => {
        const { failure, retries, warnings, server } = await ask(
          (request) => script(echo(request)),
          { retry_max: 1 },
          rest,
        );
        expect(JSON.stringify(server.requests[0]?.headers)).toContain(key);
        expect(failure).toBeDefined();
        expect(shown(failure) + JSON.stringify([retries, warnings])).not.toContain(key);
        expect(shown(failure) + JSON.stringify([retries, warnings])).not.toContain('KEY-mock');
      });

  test('in the query of the address are shown nowhere', async () => {
    const server = await serve((request) => ({ status: 400, body: request.path }));
    const endpoint = fakeEndpoint(`${server.url}/v1?api_key=${key}`);
    const { failure } = await askBackend(openai, fakeRequest(endpoint));
    expect(server.requests[0]?.path).toBe(`/v1/chat/completions?api_key=${key}`);
    expect(shown(failure)).not.toContain(key);
    await server.close();
    const refused = await askBackend(openai, fakeRequest(endpoint));
    expect(shown(refused.failure) + String(refused.failure?.cause)).not.toContain(key);
  });

  test('are not sent to another host', async () => {
    const other = await serve(openaiWhole('caught'));
    const { failure, server } = await ask(
      { status: 308, headers: { location: `${other.url}/v1/chat/completions` } },
      {},
      { key: secret(key) },
    );
    expect(failure?.code).toBe('redirected');
    expect(server.requests.length).toBe(1);
    expect(other.requests).toEqual([]);
  });

  test('a header of the file goes once, in whatever case it is written', async () => {
    const server = await serve(openaiWhole('x'));
    const endpoint = {
      ...fakeEndpoint(`${server.url}/v1`, { key: secret(key) }),
      headers: { Authorization: 'Bearer other', 'Content-TYPE': 'application/json' },
    };
    await askBackend(openai, fakeRequest(endpoint));
    expect(server.requests[0]?.headers).toMatchObject({
      authorization: 'Bearer other',
      'content-type': 'application/json',
    });
  });

  const HEADERS: readonly [string, Record<string, string>][] = [
    ['has no name', { 'a b': 'c' }],
    ['holds letters', { 'x-a': 'žluť' }],
    ['belongs to the connection', { 'Content-Length': '3' }],
  ];
  for (const [why, headers] of HEADERS)
    test(`a header that ${why} is told before anything is sent, not as a lost connection`, async () => {
      const server = await serve(openaiWhole('x'));
      const endpoint = { ...fakeEndpoint(`${server.url}/v1`), headers };
      const { failure } = await askBackend(openai, fakeRequest(endpoint));
      expect(failure).toMatchObject({ code: 'bad-header', exitCode: 3 });
      expect(failure?.message).toContain(why);
      expect(server.requests).toEqual([]);
    });

  test('user and password of the address reach the server, and nobody else', async () => {
    const server = await serve(({ headers }) => ({
      status: 401,
      body: `bad ${headers.authorization}`,
    }));
    const url = `${server.url}/v1`.replace('http://', `http://me:${key}%21@`);
    const { failure } = await askBackend(openai, fakeRequest(fakeEndpoint(url)));
    const token = Buffer.from(`me:${key}!`).toString('base64');
    expect(server.requests[0]?.headers.authorization).toBe(`Basic ${token}`);
    expect(shown(failure)).not.toContain(key);
    expect(shown(failure)).not.toContain(token);
  });

  test('with a line end in them are told without them', async () => {
    const { failure, server } = await ask(openaiStream('x'), {}, { key: secret(`${key}\n`) });
    expect(failure).toMatchObject({ code: 'bad-header', exitCode: 3 });
    expect(shown(failure)).not.toContain(key);
    expect(server.requests).toEqual([]);
  });

  test('go out in the style that the endpoint asks for', async () => {
    for (const [auth, header, value] of [
      [undefined, 'authorization', `Bearer ${key}`],
      ['bearer', 'authorization', `Bearer ${key}`],
      ['x-api-key', 'x-api-key', key],
      ['api-key', 'api-key', key],
    ] as const) {
      const { server } = await ask(openaiStream('x'), { auth }, { key: secret(key) });
      expect(server.requests[0]?.headers[header]).toBe(value);
    }
    const { server } = await ask(openaiStream('x'), { auth: 'none' }, { key: secret(key) });
    expect(JSON.stringify(server.requests)).not.toContain(key);
  });
});
