// Connections that are none, or of another kind: told by what is wrong, with what to do. No server is asked twice for what cannot change.

import { readFileSync } from 'node:fs';
import { createServer as plainServer, type Server, type Socket } from 'node:net';
import { join } from 'node:path';
import { createServer as tlsServer } from 'node:tls';
import { describe, expect, onTestFinished, test } from 'vitest';
import { createOpenai } from '../../src/backends/openai/backend.ts';
import { PRESETS } from '../../src/backends/openai/place.ts';
import { askBackend, askContext, fakeEndpoint, fakeRequest } from '../helpers/asking.ts';
import { openaiError } from '../helpers/openai-replies.ts';
import { served } from '../helpers/served.ts';

const TLS = join(import.meta.dirname, '../../fixtures/tls');
const pair = {
  cert: readFileSync(join(TLS, 'loopback.crt'), 'utf8'),
  key: readFileSync(join(TLS, 'loopback.key'), 'utf8'),
};

/** Listens; `count` is how many connections came. */
async function listening(server: Server) {
  const sockets = new Set<Socket>();
  let count = 0;
  server.on('connection', (socket: Socket) => {
    count += 1;
    sockets.add(socket.on('error', () => {}));
  });
  server.on('tlsClientError', () => {});
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  return { port, count: () => count };
}

async function failureAt(url: string) {
  const env = { SSL_CERT_FILE: join(TLS, 'loopback.crt') };
  const endpoint = fakeEndpoint(url, { settings: { retry_max: 1 } });
  const backend = createOpenai(PRESETS.openai);
  const { failure } = await askBackend(backend, fakeRequest(endpoint), askContext({ env }));
  return failure;
}

/** Says something to whoever asks. */
const saying = (words: string): Server =>
  plainServer((socket) => void socket.on('data', () => socket.end(words)));

interface Row {
  readonly name: string;
  readonly server: Server;
  readonly scheme: 'http' | 'https';
  readonly message: RegExp;
  readonly next: RegExp;
  readonly connections: number;
}

/** The first releases of Node 20.18 lose the alert that says why TLS ends: then all that can be told is that the connection was closed. */
const LOSES_ALERTS = /^v20\.18\.[0-2]$/.test(process.version);

describe('a server that is not spoken to in its own way', () => {
  const rows: readonly Row[] = [
    {
      name: 'HTTP/2 alone, over TLS',
      server: tlsServer({ ...pair, ALPNProtocols: ['h2'] }),
      scheme: 'https',
      ...(LOSES_ALERTS
        ? { message: /closed the connection/, next: /./, connections: 2 }
        : {
            message: /^cannot connect to 127\.0\.0\.1:\d+: it speaks no HTTP\/1\.1$/,
            next: /^ask it through a gateway that does/,
            connections: 1,
          }),
    },
    {
      name: 'no TLS',
      server: saying('HTTP/1.1 400 Bad Request\r\n\r\n'),
      scheme: 'https',
      message: /^127\.0\.0\.1:\d+ does not speak TLS$/,
      next: /^try http:/,
      connections: 1,
    },
    {
      name: 'an old TLS alone',
      server: tlsServer({
        ...pair,
        ...{ minVersion: 'TLSv1', maxVersion: 'TLSv1.1', ciphers: 'DEFAULT@SECLEVEL=0' },
      }),
      scheme: 'https',
      message: /: the two sides do not agree on TLS \(\w+\)$/,
      next: /gateway/,
      connections: 1,
    },
    {
      name: 'another protocol, that was not asked for',
      server: saying(
        'HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n',
      ),
      scheme: 'http',
      message: /sent an answer that no request of HTTP\/1\.1 asks for \(bad upgrade\)$/,
      next: /^check "url" of endpoint fake \(etc\/AI\/fake\.yaml\), and what stands before/,
      connections: 1,
    },
    {
      name: 'more head than a head has',
      server: saying(`HTTP/1.1 200 OK\r\nx-long: ${'x'.repeat(100_000)}\r\n\r\n`),
      scheme: 'http',
      message: /Headers Overflow/,
      next: /^try again later, or ask another endpoint \(-e\)$/,
      connections: 2,
    },
    {
      name: 'a close in the middle of the head',
      server: saying('HTTP/1.1 200 OK\r\nx: '),
      scheme: 'http',
      message: /closed the connection before the answer ended \(2 attempts\)$/,
      next: /^try again later/,
      connections: 2,
    },
  ];
  for (const { name, server, scheme, message, next, connections } of rows)
    test(name, async () => {
      const { port, count } = await listening(server);
      const failure = await failureAt(`${scheme}://127.0.0.1:${port}/v1`);
      expect(failure).toMatchObject({ code: 'connection-failed', exitCode: 4 });
      expect(failure?.message).toMatch(message);
      expect(failure?.next).toMatch(next);
      expect(count()).toBe(connections);
    });

  for (const words of [
    'The plain HTTP request was sent to HTTPS port',
    'Client sent an HTTP request to an HTTPS server.',
  ])
    test(`plain HTTP to one that wants TLS, and says "${words}"`, async () => {
      const server = await served(openaiError(400, words));
      expect((await failureAt(`${server.url}/v1`))?.next).toBe('write https:// in "url"');
    });
});
