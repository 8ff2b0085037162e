// The real Http against real servers on loopback: proxies, certificates, redirects, timeouts, connections.

import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { readFileSync } from 'node:fs';
import { connect, createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { Failure } from '../../src/errors.ts';
import { createHttp } from '../../src/world/http.ts';
import { proxyFor } from '../../src/world/proxy.ts';
import type { HttpRequest, HttpResponse } from '../../src/world/types/network.ts';
import type { Environment } from '../../src/world/types/world.ts';
import {
  type Answers,
  answerEnded,
  type FakeServer,
  type FakeServerOptions,
  NOBODY,
  startFakeServer,
} from '../helpers/fake-server.ts';

const folder = join(import.meta.dirname, '../../fixtures/tls');
const certificate = join(folder, 'loopback.crt');
const tls = {
  key: readFileSync(join(folder, 'loopback.key'), 'utf8'),
  cert: readFileSync(certificate, 'utf8'),
};

const servers: FakeServer[] = [];
afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server.close()));
});

async function serve(answers: Answers, options?: FakeServerOptions): Promise<FakeServer> {
  const server = await startFakeServer(answers, options);
  servers.push(server);
  return server;
}

const get = (url: string, rest: Partial<HttpRequest> = {}): HttpRequest => ({
  method: 'GET',
  url,
  headers: {},
  ...rest,
});

async function bodyOf(response: HttpResponse): Promise<string> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of response.body) chunks.push(chunk);
  return Buffer.concat(chunks).toString('utf8');
}

const codeOf = async (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => undefined,
    (error) => error.code,
  );

describe('a request', () => {
  test('carries method, headers and body, and says who asks', async () => {
    const server = await serve({ body: 'fine' });
    const response = await createHttp({}).send({
      method: 'POST',
      url: `${server.url}/a/b?c=d`,
      headers: { 'x-one': '1' },
      body: '{"ž":1}',
    });
    expect(await bodyOf(response)).toBe('fine');
    const [request] = server.requests;
    expect(request).toMatchObject({ method: 'POST', path: '/a/b?c=d', json: { ž: 1 } });
    expect(request?.headers['x-one']).toBe('1');
    expect(request?.headers['user-agent']).toMatch(/^scout-chat\/\d/);
  });

  test('has its status and lower-case headers, a doubled header joined', async () => {
    const server = await serve({
      status: 429,
      headers: { 'Retry-After': ['2', '9'] },
      body: 'slow',
    });
    const response = await createHttp({}).send(get(server.url));
    expect(response.status).toBe(429);
    expect(response.headers['retry-after']).toBe('2, 9');
    await bodyOf(response);
  });

  test('uses one connection for requests one after the other, also when the end of an answer is not read', async () => {
    const server = await serve({ body: ['first', 'rest'] });
    const http = createHttp({});
    for (let round = 0; round < 3; round++) {
      const ended = answerEnded();
      const response = await http.send(get(server.url));
      for await (const _ of response.body) break;
      await ended;
    }
    expect(server.connections()).toBe(1);
  });

  test('closes the connection of an answer that goes on after nobody reads it', async () => {
    const server = await serve({ body: ['first', { wait: 5_000 }], ending: 'hang' });
    const response = await createHttp({}).send(get(server.url));
    for await (const _ of response.body) break;
    await expect.poll(() => server.requests[0]?.aborted).toBe(true);
  });

  test('ends with the reason of its signal, before the head and in the middle of the body', async () => {
    const server = await serve([{ delay: 5_000 }, { body: ['one', { wait: 5_000 }] }]);
    const http = createHttp({});
    const first = new AbortController();
    const sent = http.send(get(server.url, { signal: first.signal }));
    await expect.poll(() => server.requests.length).toBe(1);
    first.abort('stopped');
    await expect(sent).rejects.toBe('stopped');
    const second = new AbortController();
    const response = await http.send(get(server.url, { signal: second.signal }));
    const read = bodyOf(response);
    second.abort(new Error('enough'));
    await expect(read).rejects.toThrow('enough');
  });

  test('gives up a server that is silent for too long, before the head and in the body', async () => {
    const server = await serve([{ delay: 5_000 }, { body: ['one', { wait: 5_000 }] }]);
    const http = createHttp({});
    const quick = get(server.url, { readTimeout: 50 });
    expect(await codeOf(http.send(quick))).toBe('UND_ERR_HEADERS_TIMEOUT');
    expect(await codeOf(http.send(quick).then(bodyOf))).toBe('UND_ERR_BODY_TIMEOUT');
  });

  test('may be silent for ten minutes, where the client library gives up after five', async () => {
    const server = await serve([{ body: 'one' }]);
    const limits: unknown[] = [];
    const note = (message: unknown) => {
      const { request } = message as { request: Record<string, unknown> };
      limits.push(request.headersTimeout, request.bodyTimeout);
    };
    subscribe('undici:request:create', note);
    await bodyOf(await createHttp({}).send(get(server.url)));
    unsubscribe('undici:request:create', note);
    expect(limits).toEqual([600_000, 600_000]);
  });

  test('has a code when the connection is refused, reset, or no HTTP', async () => {
    const server = await serve([{ ending: 'reset' }, { raw: 'SSH-2.0-no\r\n\r\n' }]);
    const http = createHttp({});
    expect(await codeOf(http.send(get(server.url)).then(bodyOf))).toMatch(
      /ECONNRESET|UND_ERR_SOCKET/,
    );
    await expect(http.send(get(server.url))).rejects.toMatchObject({ name: 'HTTPParserError' });
    expect(await codeOf(http.send(get(NOBODY)))).toBe('ECONNREFUSED');
  });
});

describe('a redirect', () => {
  const key = { authorization: 'Bearer KEY-mock-123', 'x-api-key': 'KEY-mock-123', accept: 'a/b' };

  test('is an answer like any other unless it is to be followed', async () => {
    const server = await serve({ status: 302, headers: { location: '/other' } });
    const response = await createHttp({}).send(get(server.url));
    expect(response.status).toBe(302);
  });

  test('within a host keeps the key', async () => {
    const server = await serve([
      { status: 307, headers: { location: '/other' } },
      { body: 'there' },
    ]);
    const response = await createHttp({}).send({
      ...get(`${server.url}/one`, { headers: key, redirects: 3 }),
      method: 'POST',
      body: '{"a":1}',
    });
    expect(await bodyOf(response)).toBe('there');
    expect(response.url).toBe(`${server.url}/other`);
    expect(server.requests[1]).toMatchObject({ method: 'POST', path: '/other', json: { a: 1 } });
    expect(server.requests[1]?.headers.authorization).toBe('Bearer KEY-mock-123');
  });

  test('to another host takes no key along', async () => {
    const other = await serve({ body: 'there' });
    const server = await serve({ status: 302, headers: { location: `${other.url}/x` } });
    const response = await createHttp({}).send(get(server.url, { headers: key, redirects: 3 }));
    expect(await bodyOf(response)).toBe('there');
    expect(JSON.stringify(other.requests)).not.toContain('KEY-mock-123');
    expect(other.requests[0]?.headers.accept).toBe('a/b');
  });

  test('never takes a question to another host', async () => {
    const other = await serve({ body: 'there' });
    const server = await serve({ status: 307, headers: { location: `${other.url}/x` } });
    const response = await createHttp({}).send({
      ...get(server.url, { headers: key, redirects: 3 }),
      method: 'POST',
      body: 'secret question',
    });
    expect(response.status).toBe(307);
    expect(other.requests).toEqual([]);
  });

  test('in a circle ends after the allowed number', async () => {
    const server = await serve({ status: 302, headers: { location: '/again' } });
    const response = await createHttp({}).send(get(server.url, { redirects: 3 }));
    expect(response.status).toBe(302);
    expect(server.requests.length).toBe(4);
  });
});

describe('the proxy of the environment (HTTP_PROXY, HTTPS_PROXY and NO_PROXY ignored)', () => {
  const proxy = 'http://proxy.example:3128';
  const rows: readonly [string, string, Environment, string | undefined][] = [
    ['no variable', 'http://a.example/', {}, undefined],
    ['small letters', 'http://a.example/', { http_proxy: proxy }, `${proxy}/`],
    ['capitals', 'http://a.example/', { HTTP_PROXY: proxy }, `${proxy}/`],
    ['https by its own', 'https://a.example/', { https_proxy: proxy }, `${proxy}/`],
    ['https is not http', 'https://a.example/', { http_proxy: proxy }, undefined],
    ['small letters win', 'http://a.example/', { http_proxy: '', HTTP_PROXY: proxy }, undefined],
    ['no scheme', 'http://a.example/', { http_proxy: 'proxy.example:3128' }, `${proxy}/`],
    ['localhost is direct', 'http://localhost:11434/', { http_proxy: proxy }, undefined],
    ['0.0.0.0 is this machine', 'http://0.0.0.0:11434/', { http_proxy: proxy }, undefined],
    ['[::] is this machine', 'http://[::]:1/', { http_proxy: proxy }, undefined],
    ['127.0.0.1 as IPv6 is direct', 'http://[::ffff:127.0.0.1]/', { http_proxy: proxy }, undefined],
    ['127.0.0.1 is direct', 'http://127.0.0.1:1/', { http_proxy: proxy }, undefined],
    ['::1 is direct', 'http://[::1]:1/', { http_proxy: proxy }, undefined],
    ['a star', 'http://a.example/', { http_proxy: proxy, no_proxy: '*' }, undefined],
    ['a name', 'http://a.example/', { http_proxy: proxy, NO_PROXY: 'b,A.example' }, undefined],
    [
      'its subdomains',
      'http://x.a.example/',
      { http_proxy: proxy, no_proxy: 'a.example' },
      undefined,
    ],
    ['a suffix', 'http://x.lan/', { http_proxy: proxy, no_proxy: '10.0.0.1,.lan' }, undefined],
    ['a starred suffix', 'http://x.lan/', { http_proxy: proxy, no_proxy: '*.lan' }, undefined],
    ['not a part of a word', 'http://plan/', { http_proxy: proxy, no_proxy: 'lan' }, `${proxy}/`],
    [
      'its port',
      'http://a.example:81/',
      { http_proxy: proxy, no_proxy: 'a.example:81' },
      undefined,
    ],
    [
      'another port',
      'http://a.example/',
      { http_proxy: proxy, no_proxy: 'a.example:81' },
      `${proxy}/`,
    ],
    ['an address', 'http://10.1.2.3/', { http_proxy: proxy, no_proxy: '10.1.2.3' }, undefined],
    ['a subnet', 'http://10.1.2.3/', { http_proxy: proxy, no_proxy: '10.0.0.0/8' }, undefined],
    [
      'another subnet',
      'http://11.1.2.3/',
      { http_proxy: proxy, no_proxy: '10.0.0.0/8' },
      `${proxy}/`,
    ],
    ['a six address', 'http://[fd00::2]/', { http_proxy: proxy, no_proxy: '[fd00::2]' }, undefined],
  ];
  for (const [name, url, env, expected] of rows)
    test(name, () => {
      expect(proxyFor(new URL(url), env)?.href).toBe(expected);
    });

  test('a value that is no address is one clear error, without its password, and none for a local endpoint', async () => {
    const env = { HTTPS_PROXY: 'not a url' };
    const failed = createHttp(env).send(get('https://far.example/'));
    await expect(failed).rejects.toMatchObject({
      code: 'bad-proxy',
      exitCode: 3,
      message: 'HTTPS_PROXY is not the address of a proxy: "not a url"',
    });
    const hidden = createHttp({ http_proxy: 'http://me:KEY-mock-123@h h' });
    const error = await hidden.send(get('http://far.example/')).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(Failure);
    expect(String(error)).not.toContain('KEY-mock-123');
    const server = await serve({ body: 'near' });
    expect(await bodyOf(await createHttp({ http_proxy: 'no url' }).send(get(server.url)))).toBe(
      'near',
    );
  });

  test('a plain request goes to the proxy whole, with its credentials', async () => {
    const server = await serve({ body: 'by proxy' });
    const env = { http_proxy: `http://me:pass%20word@127.0.0.1:${server.port}` };
    const response = await createHttp(env).send(get('http://far.example:81/path?q=1'));
    expect(await bodyOf(response)).toBe('by proxy');
    expect(server.requests[0]?.path).toBe('http://far.example:81/path?q=1');
    expect(server.requests[0]?.headers).toMatchObject({
      host: 'far.example:81',
      'proxy-authorization': `Basic ${Buffer.from('me:pass word').toString('base64')}`,
    });
  });

  test('an encrypted request goes through a tunnel', async () => {
    const target = await serve({ body: 'through' }, { tls });
    const asked: string[] = [];
    const proxyServer = await serve(
      {},
      {
        onConnect(name) {
          asked.push(name);
          return connect(target.port, '127.0.0.1');
        },
      },
    );
    const env = { https_proxy: proxyServer.url, SSL_CERT_FILE: certificate };
    const response = await createHttp(env).send(get('https://far.example/v1/models'));
    expect(await bodyOf(response)).toBe('through');
    expect(asked).toEqual(['far.example:443']);
    expect(target.requests[0]?.path).toBe('/v1/models');
  });

  test('a proxy that cannot be reached, or refuses, is named', async () => {
    const refusing = await serve({}, { onConnect: () => 407 });
    const env = { https_proxy: refusing.url };
    await expect(createHttp(env).send(get('https://far.example/'))).rejects.toMatchObject({
      proxy: refusing.url,
      message: expect.stringContaining('407'),
    });
    const gone = { http_proxy: 'http://me:KEY-mock-123@127.0.0.1:9' };
    await expect(createHttp(gone).send(get('http://far.example/'))).rejects.toMatchObject({
      code: 'ECONNREFUSED',
      proxy: 'http://127.0.0.1:9',
    });
  });
});

describe('certificates', () => {
  test('of a server that nobody vouches for are not taken', async () => {
    const server = await serve({ body: 'x' }, { tls });
    expect(await codeOf(createHttp({}).send(get(server.url)))).toBe('DEPTH_ZERO_SELF_SIGNED_CERT');
  });

  test('in SSL_CERT_FILE, or named by the request, are trusted', async () => {
    const server = await serve({ body: 'x' }, { tls });
    const byFile = await createHttp({ SSL_CERT_FILE: certificate }).send(get(server.url));
    expect(await bodyOf(byFile)).toBe('x');
    const byRequest = await createHttp({}).send(get(server.url, { certificates: certificate }));
    expect(await bodyOf(byRequest)).toBe('x');
  });

  test('in a file that is not there are a clear error, for encrypted requests only', async () => {
    const http = createHttp({ SSL_CERT_FILE: '/no/such.pem' });
    await expect(http.send(get('https://127.0.0.1:9/'))).rejects.toMatchObject({
      code: 'bad-certificates',
      exitCode: 3,
      at: 'SSL_CERT_FILE',
    });
    const server = await serve({ body: 'x' });
    expect((await http.send(get(server.url))).status).toBe(200);
  });

  test('in a file that holds none are told, not found missing when a server is not trusted', async () => {
    const http = createHttp({ SSL_CERT_FILE: import.meta.filename });
    await expect(http.send(get('https://127.0.0.1:9/'))).rejects.toMatchObject({
      code: 'bad-certificates',
      message: expect.stringContaining('there is no certificate in'),
    });
  });
});

test('a server that says nothing while a connection is made is given up after the time limit', async () => {
  const sockets: Socket[] = [];
  const server = createServer({ pauseOnConnect: true }, (socket) => sockets.push(socket));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as { port: number };
  const code = await codeOf(
    createHttp({}).send(get(`https://127.0.0.1:${port}/`, { connectTimeout: 50 })),
  );
  expect(code).toBe('UND_ERR_CONNECT_TIMEOUT');
  for (const socket of sockets) socket.destroy();
  server.close();
});
