// Clients over HTTP that ask for more than there is room for: they are told, and the others are served.

import { request } from 'node:http';
import { connect } from 'node:net';
import { expect, test } from 'vitest';
import { createAdmission, MOST_OPEN } from '../../src/serve/admission.ts';
import { listen } from '../../src/world/listen.ts';
import { until } from '../helpers/children.ts';
import { project, startHttp } from '../helpers/serving.ts';

const MEGA = 1024 * 1024;

type Server = Awaited<ReturnType<typeof startHttp>>;

interface Answer {
  readonly status: number | undefined;
  readonly session: string;
  readonly retryAfter: string | undefined;
}

function post({ url, token }: Server, body: string, session = ''): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const headers = {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      authorization: `Bearer ${token}`,
      ...(session === '' ? {} : { 'mcp-session-id': session }),
    };
    const sent = request(url, { method: 'POST', headers, agent: false }, (response) => {
      response.destroy();
      resolve({
        status: response.statusCode,
        session: String(response.headers['mcp-session-id']),
        retryAfter: response.headers['retry-after'],
      });
    });
    sent.on('error', reject).end(body);
  });
}

const message = (id: number, method: string, params: unknown) => ({
  jsonrpc: '2.0',
  id,
  method,
  params,
});

const INITIALIZE = JSON.stringify(
  message(1, 'initialize', {
    protocolVersion: '2025-03-26',
    capabilities: {},
    clientInfo: { name: 'x', version: '1' },
  }),
);

/** A request that is never sent to its end; what is answered. */
function half({ url, token }: Server, bytes: number) {
  const socket = connect(Number(new URL(url).port), '127.0.0.1');
  let text = '';
  socket
    .on('error', () => {})
    .on('data', (piece) => {
      text += String(piece);
    });
  socket.write(
    `POST /mcp HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${token}\r\nContent-Type: application/json\r\nContent-Length: ${bytes + 1}\r\n\r\n`,
  );
  socket.write(Buffer.alloc(bytes, ' '));
  return { socket, text: () => text };
}

test('bodies that fill the memory, each of which is allowed, are refused together', async () => {
  const server = await startHttp(project(), ['Words']);
  const halves = [1, 2, 3].map(() => half(server, 50 * MEGA));
  await until(() => halves.some(({ text }) => text().includes('\r\n\r\n')));
  const answers = halves.map(({ text }) => text()).filter((text) => text !== '');
  expect(answers).toHaveLength(1);
  expect(answers[0]).toMatch(/^HTTP\/1\.1 503 [\s\S]*retry-after: 1/i);
  expect((await post(server, INITIALIZE)).status).toBe(200);
  for (const { socket } of halves) socket.destroy();
});

test('a client that sends too long a body is told so, and finds no broken connection', async () => {
  const server = await startHttp(project(), ['Words']);
  expect((await post(server, ' '.repeat(80 * MEGA))).status).toBe(413);
});

test('thousands of calls that are not answered yet end in a refusal; cancelling one is heard all the same', async () => {
  const server = await startHttp(project(), ['Odd']);
  const { session } = await post(server, INITIALIZE);
  const call = (id: number) =>
    message(id, 'tools/call', { name: 'steps', arguments: { until: 1e6 } });
  const calls = (count: number) =>
    JSON.stringify(Array.from({ length: count }, (_, index) => call(index + 2)));
  expect((await post(server, calls(MOST_OPEN + 1), session)).status).toBe(413);
  const { url, token } = server;
  const open = new AbortController();
  const headers = {
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    authorization: `Bearer ${token}`,
    'mcp-session-id': session,
  };
  // The library takes so many in one body.
  const body = calls(100);
  for (let sent = 0; sent < MOST_OPEN; sent += 100) {
    const held = await fetch(url, { method: 'POST', headers, body, signal: open.signal });
    expect(held.status).toBe(200);
  }
  expect(await post(server, JSON.stringify(call(1)), session)).toMatchObject({
    status: 503,
    retryAfter: '1',
  });
  const cancelled = { method: 'notifications/cancelled', params: { requestId: 2 } };
  const note = JSON.stringify({ jsonrpc: '2.0', ...cancelled });
  expect((await post(server, note, session)).status).toBe(202);
  open.abort();
  let status: number | undefined;
  while (status !== 200) status = (await post(server, INITIALIZE)).status;
});

test('answers that nobody reads do not pile up: who reads nothing is cut', async () => {
  const answer = new Uint8Array(16 * MEGA);
  let cut = 0;
  const { port, close } = await listen({ host: '127.0.0.1', port: 0 }, async ({ url }) => {
    if (url.endsWith('/short')) return new Response('read');
    // More is to come.
    const start = (made: ReadableStreamDefaultController) => made.enqueue(answer);
    const cancel = () => {
      cut += 1;
    };
    return new Response(new ReadableStream({ start, cancel }));
  });
  const sockets = Array.from({ length: 8 }, () => {
    const socket = connect(port, '127.0.0.1').pause();
    socket.on('error', () => {}).write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
    return socket;
  });
  await until(() => cut >= 2);
  expect(await (await fetch(`http://127.0.0.1:${port}/short`)).text()).toBe('read');
  for (const socket of sockets) socket.destroy();
  await close();
});

test('room is free again when an answer is at its end, when nobody wants it, and when it is refused', async () => {
  const admit = createAdmission();
  const full = () => {
    const place = admit();
    const answer = place.takeRequests(1);
    place.leave();
    return answer?.status === 503;
  };
  const read = admit();
  expect(read.takeRequests(MOST_OPEN)).toBeUndefined();
  expect(full()).toBe(true);
  const answer = read.until(new Response('text', { status: 201 }));
  expect(full()).toBe(true);
  expect([answer.status, await answer.text()]).toEqual([201, 'text']);
  expect(full()).toBe(false);
  const left = admit();
  left.takeRequests(MOST_OPEN);
  await left.until(new Response('text')).body?.cancel();
  expect(full()).toBe(false);
  const bare = admit();
  bare.takeRequests(MOST_OPEN);
  bare.until(new Response(null, { status: 202 }));
  expect(full()).toBe(false);
});
