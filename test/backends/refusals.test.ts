// The words of failures: proxies, certificates, every refusal of a server, and prompts that are too long. Against real servers.

import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { openai } from '../../src/backends/openai/backend.ts';
import { askBackend, askContext, fakeEndpoint, fakeRequest } from '../helpers/asking.ts';
import type { Script } from '../helpers/fake-server.ts';
import { openaiError } from '../helpers/openai-replies.ts';
import { served } from '../helpers/served.ts';
import { ask, shown } from '../helpers/transport-asks.ts';

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
      // 120 KB whose every part could begin its title.
      name: '401 with a web page that has no title, though many beginnings of one',
      answer: { status: 401, body: `<html>${'<title'.repeat(10_000)}${'<h1'.repeat(20_000)}` },
      ...{ kind: 'auth', code: 'not-authorized', requests: 1 },
      message: /answered 401 \(not authorized\): a web page, not an answer$/,
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
