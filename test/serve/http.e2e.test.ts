// Served workflows over HTTP: clients side by side, who is refused, and how it ends.

import { type IncomingMessage, request } from 'node:http';
import { connect as connectSocket } from 'node:net';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { environment, shell } from '../helpers/built.ts';
import { living, until } from '../helpers/children.ts';
import { began, project, startHttp, statusOf } from '../helpers/serving.ts';

interface Asked {
  readonly status: number | undefined;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

const INITIALIZE = JSON.stringify({
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: {
    protocolVersion: '2025-06-18',
    capabilities: {},
    clientInfo: { name: 'x', version: '1' },
  },
});

/** One request, with every header in the test's hands. */
function ask(
  url: string,
  {
    method = 'POST',
    body = INITIALIZE,
    headers = {},
  }: { method?: string; body?: string; headers?: Readonly<Record<string, string>> } = {},
): Promise<Asked> {
  return new Promise((resolve, reject) => {
    const sent = request(
      url,
      {
        method,
        headers: {
          'content-type': 'application/json',
          accept: 'application/json, text/event-stream',
          ...headers,
        },
      },
      (response) => {
        let text = '';
        response.setEncoding('utf8').on('data', (piece: string) => (text += piece));
        response.on('end', () =>
          resolve({ status: response.statusCode, headers: response.headers, body: text }),
        );
      },
    );
    sent.on('error', reject).end(method === 'POST' ? body : undefined);
  });
}

test('two clients at once call tools, share what is computed, and get their own progress', async () => {
  const server = await startHttp(project(), ['Words', 'Odd']);
  const clients = await Promise.all([server.client(), server.client()]);
  const results = await Promise.all(
    clients.map(async (client, index) => {
      const notes: number[] = [];
      const text = 'a '.repeat(index + 1);
      const result = await client.callTool({ name: 'count', arguments: { text } });
      await client.callTool(
        { name: 'steps', arguments: {} },
        { onprogress: ({ progress }) => notes.push(progress) },
      );
      return { result, notes };
    }),
  );
  for (const [index, { result, notes }] of results.entries()) {
    expect(result.content[0]).toMatchObject({
      text: expect.stringContaining(`"words":${index + 1}`),
    });
    expect(notes.map(Math.round)).toContain(2);
  }
  expect(server.stderr().match(/Odd\/steps: started/g)).toHaveLength(1);
  const link = results[0]?.result.content[1];
  if (link?.type !== 'resource_link') throw new Error('no link');
  const { contents } = await (clients[1] as (typeof clients)[number]).readResource({
    uri: link.uri,
  });
  expect(contents[0]).toMatchObject({ text: expect.stringContaining('"words":1') });
});

test('a client of the newest revision needs no session', async () => {
  const server = await startHttp(project(), ['Odd']);
  const client = await server.client({ versionNegotiation: { mode: 'auto' } });
  expect(client.getNegotiatedProtocolVersion()).toBe('2026-07-28');
  const notes: number[] = [];
  await client.callTool(
    { name: 'steps', arguments: {} },
    { onprogress: ({ progress }) => notes.push(progress) },
  );
  expect(notes.map(Math.round)).toContain(3);
});

describe('a request', () => {
  const REFUSED: readonly {
    readonly name: string;
    readonly status: number;
    readonly path?: string;
    readonly headers?: Readonly<Record<string, string>>;
    readonly method?: string;
    readonly body?: string;
    /** Stands in the place of the right token. */
    readonly token?: string;
    /** Stands in the answer. */
    readonly says?: string;
  }[] = [
    { name: 'without a token', status: 401, token: '' },
    { name: 'with a wrong token', status: 401, token: 'Bearer abc' },
    { name: 'with the right token in another scheme', status: 401, token: 'Basic TOKEN' },
    { name: 'with the right token and more', status: 401, token: 'Bearer TOKENx' },
    { name: 'from a page of elsewhere', status: 403, headers: { origin: 'http://evil.example' } },
    { name: 'from a page without an origin', status: 403, headers: { origin: 'null' } },
    {
      name: 'by a name that was made to lead here',
      status: 403,
      headers: { host: 'evil.example' },
    },
    { name: 'to another path', status: 404, path: '/' },
    { name: 'to a path below', status: 404, path: '/mcp/x' },
    { name: 'of a kind that browsers may not send', status: 400, method: 'TRACE' },
    { name: 'of a kind that there is not', status: 405, method: 'PUT' },
    { name: 'of a session that is gone', status: 404, headers: { 'mcp-session-id': 'x' } },
    {
      name: 'without a session that needs one',
      status: 400,
      body: '{"jsonrpc":"2.0","id":1,"method":"tools/list"}',
    },
    { name: 'that is not JSON', status: 400, body: '{' },
    {
      name: 'that is nested too deep',
      status: 400,
      body: '['.repeat(20_000_000),
      says: 'the body is nested too deep',
    },
    { name: 'of another type', status: 415, headers: { 'content-type': 'text/plain' } },
    {
      name: 'of a version that nobody speaks',
      status: 400,
      headers: { 'mcp-protocol-version': '1999-01-01', 'mcp-session-id': 'SESSION' },
      body: '{"jsonrpc":"2.0","id":1,"method":"tools/list"}',
    },
  ];

  test('that may not or cannot be served is refused, and the next one is served', async () => {
    const server = await startHttp(project(), ['Words', '--token-env', 'TOKEN'], {
      TOKEN: '0123456789abcdef0123',
    });
    expect(server.stderr()).not.toContain('0123456789abcdef');
    const opened = await ask(server.url, { headers: { authorization: `Bearer ${server.token}` } });
    const session = String(opened.headers['mcp-session-id']);
    for (const {
      name,
      status,
      path = '/mcp',
      headers,
      token = 'Bearer TOKEN',
      says = '',
      ...rest
    } of REFUSED) {
      const answer = await ask(new URL(path, server.url).href, {
        ...rest,
        headers: {
          ...(token === '' ? {} : { authorization: token.replace('TOKEN', server.token) }),
          ...headers,
          ...(headers?.['mcp-session-id'] === 'SESSION' ? { 'mcp-session-id': session } : {}),
        },
      });
      expect([name, answer.status]).toEqual([name, status]);
      expect(answer.body).toContain(says);
      if (status === 401) expect(answer.headers['www-authenticate']).toBe('Bearer');
      expect(answer.body).not.toContain(server.token);
    }
    const client = await server.client();
    expect((await client.listTools()).tools).toHaveLength(2);
  });

  test('with a session is served until the session is ended', async () => {
    const server = await startHttp(project(), ['Words']);
    const headers = { authorization: `Bearer ${server.token}` };
    const opened = await ask(server.url, {
      headers: { ...headers, origin: 'http://localhost:3000' },
    });
    expect(opened.status).toBe(200);
    const own = { ...headers, 'mcp-session-id': String(opened.headers['mcp-session-id']) };
    const body = '{"jsonrpc":"2.0","id":2,"method":"tools/list"}';
    expect((await ask(server.url, { headers: own, body })).body).toContain('"count"');
    expect((await ask(server.url, { headers: own, method: 'DELETE' })).status).toBe(200);
    expect((await ask(server.url, { headers: own, body })).status).toBe(404);
  });

  for (const [name, target, status] of [
    ['whose path looks like another host', '//evil.example/mcp', 404],
    ['with a password in its address', 'http://user:password@localhost/mcp', 400],
    ['to an address that is none', '*', 400],
  ] as const)
    test(`${name} is refused, and is no fault of the program`, async () => {
      const server = await startHttp(project(), ['Words']);
      const socket = connectSocket(Number(new URL(server.url).port), '127.0.0.1');
      socket.write(
        `GET ${target} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${server.token}\r\nConnection: close\r\n\r\n`,
      );
      let text = '';
      for await (const piece of socket) text += String(piece);
      expect(text.split('\r\n')[0]).toContain(`HTTP/1.1 ${status} `);
    });

  test('that is cut off in the middle, or no HTTP at all, does no harm', async () => {
    const server = await startHttp(project(), ['Words']);
    const { port } = new URL(server.url);
    for (const text of [
      '\0\0nonsense\r\n\r\n',
      'POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 99\r\n\r\n{',
    ])
      await new Promise<void>((resolve) => {
        const socket = connectSocket(Number(port), '127.0.0.1', () => {
          socket.write(text);
          setTimeout(() => socket.destroy(), 50);
        });
        socket.on('error', () => {}).on('close', () => resolve());
      });
    expect((await (await server.client()).listTools()).tools).toHaveLength(2);
  });
});

describe('a run', () => {
  test('ends when its call is cancelled', async () => {
    const folder = project();
    const server = await startHttp(folder, ['Sh']);
    const client = await server.client();
    const stop = new AbortController();
    const called = client.callTool({ name: 'hang', arguments: {} }, { signal: stop.signal });
    await until(() => began(folder) === 1 && living(folder).length > 4);
    stop.abort('changed my mind');
    await expect(called).rejects.toThrow('changed my mind');
    await until(() => living(folder).length === 1);
    expect((await client.listTools()).tools).toHaveLength(2);
  });

  test('ends when its client goes away, and not while another waits for the same job', async () => {
    const folder = project();
    const server = await startHttp(folder, ['Sh']);
    const calls = await Promise.all(
      [1, 2].map(async () => {
        const client = await server.client();
        return { client, result: client.callTool({ name: 'hang', arguments: {} }).catch(() => {}) };
      }),
    );
    await until(() => began(folder) === 1 && living(folder).length > 4);
    await calls[0]?.client.close();
    await (await server.client()).listTools();
    expect(statusOf(folder, 'Sh/hang/Default')).toBe('running');
    await calls[1]?.client.close();
    await until(() => living(folder).length === 1);
    expect(began(folder)).toBe(1);
  });

  test('is stopped by TERM, which its caller is told, and nothing is left', async () => {
    const folder = project();
    const server = await startHttp(folder, ['Sh']);
    const client = await server.client();
    const called = client.callTool({ name: 'hang', arguments: {} });
    await until(() => began(folder) === 1 && living(folder).length > 4);
    server.child.kill('SIGTERM');
    expect(await called).toMatchObject({
      isError: true,
      content: [{ text: 'the call was stopped: stopped by SIGTERM' }],
    });
    expect(await server.ended).toEqual({ code: 143, signal: null });
    expect(living(folder)).toEqual([]);
    expect(server.stdout()).toBe('');
  });
});

describe('starting', () => {
  const run = (command: string, folder = project()) =>
    shell(command, { cwd: folder, env: environment({ HOME: join(folder, 'home') }) });

  test('at a port that is in use says so', async () => {
    const folder = project();
    const { url } = await startHttp(folder, ['Words']);
    const { port } = new URL(url);
    expect(await run(`chat task serve --http=${port} Words`, folder)).toEqual({
      code: 2,
      stdout: '',
      stderr: `error: port ${port} of 127.0.0.1 is in use\n  next: name another port, or none: then a free one is taken\n`,
    });
  });

  for (const { name, command, code, text } of [
    {
      name: 'for other machines without a token',
      command: '--http --host 0.0.0.0 Words',
      code: 2,
      text: '--token-env NAME',
    },
    {
      name: 'quietly without a token',
      command: '-q --http Words',
      code: 2,
      text: '--token-env NAME',
    },
    {
      name: 'with a variable that is not set',
      command: '--http --token-env NOPE Words',
      code: 3,
      text: 'the variable NOPE is not set',
    },
    {
      name: 'with a token that is too short',
      command: '--http --token-env SHELL Words',
      code: 3,
      text: 'SHELL',
    },
    {
      name: 'at an address of another machine',
      command: '--http --host 192.0.2.1 --token-env LONG Words',
      code: 2,
      text: 'cannot listen at "192.0.2.1"',
    },
    {
      name: 'with a port apart from its option',
      command: '--http 8931 Words',
      code: 2,
      text: '--http=8931',
    },
    {
      name: 'with a port that is none',
      command: '--http=99999 Words',
      code: 2,
      text: 'a port from 0 to 65535',
    },
    {
      name: 'at an address that is none',
      command: "--http --host 'a b' --token-env LONG Words",
      code: 2,
      text: '--host takes a name or an address',
    },
    {
      name: 'at an empty address, which would mean every one of the machine,',
      command: "--http --host '' --token-env LONG Words",
      code: 2,
      text: '--host needs a value',
    },
    { name: 'with --host alone', command: '--host 0.0.0.0 Words', code: 2, text: 'add --http' },
  ])
    test(`${name} is refused`, async () => {
      const result = await run(
        `export LONG=0123456789abcdef; export SHELL=/bin/sh; chat task serve ${command}`,
      );
      expect(result).toMatchObject({ code, stdout: '' });
      expect(result.stderr).toContain(text);
    });
});
