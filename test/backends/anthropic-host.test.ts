// How a Messages host is spoken to: headers, key, dialects, the list of models.

import { describe, expect, test } from 'vitest';
import { createAnthropic } from '../../src/backends/anthropic/backend.ts';
import { loadBackend } from '../../src/backends/index.ts';
import type { Endpoint } from '../../src/config/types.ts';
import { anthropicStream } from '../helpers/anthropic-replies.ts';
import { askBackend, askContext, fakeEndpoint, fakeRequest } from '../helpers/asking.ts';
import { endpointWorld, resolved } from '../helpers/endpoint.ts';
import type { Answers, FakeServer } from '../helpers/fake-server.ts';
import { temporaryFolder } from '../helpers/folder.ts';
import { served } from '../helpers/served.ts';

async function serve(answers: Answers = anthropicStream('fine')) {
  const server = await served(answers);
  return server;
}

const KEY = { reveal: () => 'KEY-mock-123' };
const endpointOf = (
  { url }: FakeServer,
  settings: Record<string, unknown> = {},
  rest: Partial<Endpoint> = {},
) => fakeEndpoint(url, { key: KEY, ...rest, settings });

describe('headers', () => {
  const rows: readonly [string, Record<string, unknown>, Record<string, string | undefined>][] = [
    ['by themselves', {}, { 'x-api-key': 'KEY-mock-123', authorization: undefined }],
    [
      'auth bearer',
      { auth: 'bearer' },
      { 'x-api-key': undefined, authorization: 'Bearer KEY-mock-123' },
    ],
    ['auth none', { auth: 'none' }, { 'x-api-key': undefined, authorization: undefined }],
    [
      'fireworks',
      { dialect: 'fireworks' },
      {
        'x-api-key': undefined,
        authorization: 'Bearer KEY-mock-123',
        'x-session-affinity': 'session-1',
      },
    ],
    [
      'fireworks, auth x-api-key',
      { dialect: 'fireworks', auth: 'x-api-key' },
      { 'x-api-key': 'KEY-mock-123', authorization: undefined },
    ],
    ['a further one with the run', { session_header: 'X-Run' }, { 'x-run': 'session-1' }],
  ];
  for (const [name, settings, expected] of rows)
    test(name, async () => {
      const server = await serve();
      await askBackend(createAnthropic(), fakeRequest(endpointOf(server, settings)));
      const [request] = server.requests;
      expect([request?.method, request?.path]).toEqual(['POST', '/v1/messages']);
      const { headers = {} } = request ?? {};
      expect(headers).toMatchObject({
        'anthropic-version': '2023-06-01',
        'content-type': 'application/json',
        'session-id': 'session-1',
        'user-agent': expect.stringMatching(/^scout-chat\//),
      });
      for (const [header, value] of Object.entries(expected)) expect(headers[header]).toBe(value);
    });

  test('without a key no header for one; those of the endpoint file win', async () => {
    const server = await serve();
    const { key: _, ...open } = endpointOf(
      server,
      {},
      { headers: { 'anthropic-version': '2099-01-01' } },
    );
    await askBackend(createAnthropic(), fakeRequest(open));
    expect(server.requests[0]?.headers).not.toHaveProperty('x-api-key');
    expect(server.requests[0]?.headers['anthropic-version']).toBe('2099-01-01');
  });

  test('the request’s line in the log says what was asked of the cache, and nothing secret', async () => {
    const server = await serve();
    const log: unknown[] = [];
    const context = askContext({ log: (line) => log.push(line) });
    for (const cache of [undefined, '1h', false])
      await askBackend(createAnthropic(), fakeRequest(endpointOf(server, { cache })), context);
    expect(log.map((line) => (line as { cache?: string }).cache)).toEqual(['on', '1h', undefined]);
    expect(JSON.stringify(log)).not.toContain('KEY-mock');
  });
});

describe('a dialect that nobody knows', () => {
  test('is told once and has no effect', async () => {
    const server = await serve();
    const backend = createAnthropic();
    const context = askContext();
    const endpoint = endpointOf(server, { dialect: 'klingon' });
    for (let round = 0; round < 3; round++)
      await askBackend(backend, fakeRequest(endpoint), context);
    expect(context.warnings).toEqual([
      'unknown dialect "klingon" of endpoint fake has no effect; the known one is fireworks',
    ]);
    expect(server.requests[0]?.headers['x-api-key']).toBe('KEY-mock-123');
  });
});

test('a dialect of another backend is told and has no effect', async () => {
  const said = 'has no effect: only the backend anthropic has dialects';
  for (const backend of ['openai', 'anthropic']) {
    const file = `backend: ${backend}\nurl: http://localhost:1/v1\nmodel: m\ndialect: fireworks\n`;
    const world = endpointWorld({ 'home/etc/AI/it.yaml': file });
    const { warnings } = await resolved({ flags: { endpoint: 'it' } }, world);
    expect(warnings.map(({ message }) => message)).toEqual(
      backend === 'anthropic' ? [] : [`"dialect" of endpoint it ${said}`],
    );
  }
});

describe('the list of models', () => {
  const model = (id: string, rest: object = {}) => ({ type: 'model', id, ...rest });
  const page = (data: readonly object[], last?: string) => ({
    body: { data, has_more: last !== undefined, first_id: null, last_id: last ?? null },
  });

  test('is read page by page', async () => {
    const server = await serve(({ path }) => {
      if (path.endsWith('after_id=b')) return page([model('c', { context_length: 4096 })]);
      return page(
        [
          model('a', { max_input_tokens: 200_000, max_tokens: 8192 }),
          model('b', { max_input_tokens: null }),
        ],
        'b',
      );
    });
    const models = await createAnthropic().models(endpointOf(server), askContext());
    expect(models).toEqual([
      { id: 'a', contextWindow: 200_000 },
      { id: 'b' },
      { id: 'c', contextWindow: 4096 },
    ]);
    expect(server.requests.map(({ path }) => path)).toEqual([
      '/v1/models?limit=1000',
      '/v1/models?limit=1000&after_id=b',
    ]);
    expect(server.requests[0]?.headers).toMatchObject({
      'x-api-key': 'KEY-mock-123',
      'anthropic-version': '2023-06-01',
    });
  });

  test('may have more models than a call takes arguments', async () => {
    const data = Array.from({ length: 130_000 }, (_, at) => ({ id: `m${at}` }));
    const server = await serve({ body: { data } });
    const models = await createAnthropic().models(endpointOf(server), askContext());
    expect(models).toHaveLength(data.length);
  });

  test('ends after twenty pages, and where a page leads nowhere new', async () => {
    let count = 0;
    const endless = await serve(() => page([model(`m${++count}`)], `m${count}`));
    expect(await createAnthropic().models(endpointOf(endless), askContext())).toHaveLength(20);
    const circle = await serve(page([model('m')], 'm'));
    expect(await createAnthropic().models(endpointOf(circle), askContext())).toHaveLength(1);
    const lost = await serve({ body: { data: [model('m')], has_more: true } });
    expect(await createAnthropic().models(endpointOf(lost), askContext())).toHaveLength(1);
  });

  const sizes: readonly [object, number | undefined][] = [
    [{ max_input_tokens: 5, context_window: 6 }, 5],
    [{ context_window: 6 }, 6],
    [{ max_model_len: 7 }, 7],
    [{ meta: { n_ctx: 8 } }, 8],
    [{ max_input_tokens: -1, meta: null }, undefined],
  ];
  for (const [fields, expected] of sizes)
    test(`the window in ${JSON.stringify(fields)}`, async () => {
      const server = await serve({ body: { data: [model('m', fields), {}, null, 7] as never } });
      const models = await createAnthropic().models(endpointOf(server), askContext());
      expect(models).toEqual([
        expected === undefined ? { id: 'm' } : { id: 'm', contextWindow: expected },
      ]);
    });

  test('that was listed once says how long an answer may be, also to the next process', async () => {
    const server = await serve(({ method }) =>
      method === 'GET'
        ? page([model('fake-mini', { max_tokens: 8192 }), model('big', { max_tokens: 128_000 })])
        : anthropicStream('fine'),
    );
    const cacheFolder = temporaryFolder();
    await createAnthropic().models(endpointOf(server), askContext({ cacheFolder }));
    const next = createAnthropic();
    for (const name of ['fake-mini', 'big', 'other'])
      await askBackend(
        next,
        fakeRequest(endpointOf(server, {}, { model: name })),
        askContext({ cacheFolder }),
      );
    expect(server.requests.slice(1).map(({ json }) => json.max_tokens)).toEqual([
      8192, 64_000, 64_000,
    ]);
  });

  test('that cannot be had is a failure with what to do', async () => {
    const server = await serve({ status: 404, body: 'no' });
    await expect(createAnthropic().models(endpointOf(server), askContext())).rejects.toThrow(/404/);
  });
});

test('the backend is there by its name', async () => {
  expect((await loadBackend('anthropic')).name).toBe('anthropic');
});
