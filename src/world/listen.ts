// An HTTP server of this machine, with requests and answers in their web-standard form. Knows nothing of what is served.

import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import type { ReadableStream as WebStream } from 'node:stream/web';
import { errorCode, errorWords, type Failure, usageFailure } from '../errors.ts';
import type { Listening, Servers } from './types/network.ts';

type Answer = Parameters<Servers['listen']>[1];

/** How long answers may take to come to their end when the server is closed, in milliseconds. */
const LAST_WORDS = 1000;

/** As `Servers.listen` says. */
export async function listen(
  place: { readonly host: string; readonly port: number },
  answer: Answer,
): Promise<Listening> {
  const server = createServer((incoming, outgoing) => void serve(incoming, outgoing, answer));
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error) => reject(cannotListen(place, error)));
    server.listen(place.port, place.host, resolve);
  });
  // Trouble with one connection is that connection's own.
  server.on('error', () => {});
  return {
    port: (server.address() as AddressInfo).port,
    async close() {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      server.closeIdleConnections();
      const cut = setTimeout(() => server.closeAllConnections(), LAST_WORDS);
      await closed;
      clearTimeout(cut);
    },
  };
}

/** The requests that are being answered. */
const held = new Map<ServerResponse, Request | undefined>();

async function serve(
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  answer: Answer,
): Promise<void> {
  const gone = new AbortController();
  outgoing.on('error', () => {});
  const request = webRequest(incoming, gone.signal);
  outgoing.once('close', () => {
    if (!outgoing.writableFinished) gone.abort(new DOMException('the client left', 'AbortError'));
    // A request that is collected as garbage hands on no signal: it is held as long as its client is there.
    held.delete(outgoing);
  });
  held.set(outgoing, request);
  try {
    await send(
      request === undefined ? new Response(null, { status: 400 }) : await answer(request),
      outgoing,
    );
  } catch {
    if (!outgoing.headersSent) outgoing.writeHead(500);
    outgoing.end();
  }
}

/** Undefined for an address that is none, and for what no web request can be: with a password in its address, or of a kind like TRACE. */
function webRequest(incoming: IncomingMessage, signal: AbortSignal): Request | undefined {
  const { method = 'GET', url = '/', headers: given } = incoming;
  const hasBody = method !== 'GET' && method !== 'HEAD';
  // Joined, not resolved: what begins with two slashes is a path here, not another host.
  const address = url.startsWith('/') ? `http://${given.host ?? 'localhost'}${url}` : url;
  try {
    const headers = new Headers();
    for (const [name, value] of Object.entries(given))
      for (const each of [value ?? []].flat()) headers.append(name, each);
    return new Request(address, {
      method,
      headers,
      signal,
      ...(hasBody
        ? { body: Readable.toWeb(incoming) as WebStream as ReadableStream, duplex: 'half' }
        : {}),
    });
  } catch {
    return undefined;
  }
}

async function send(response: Response, outgoing: ServerResponse): Promise<void> {
  outgoing.writeHead(response.status, Object.fromEntries(response.headers));
  if (response.body === null) {
    outgoing.end();
    return;
  }
  // A stream whose first event comes late is told of at once.
  outgoing.flushHeaders();
  const reader = response.body.getReader();
  outgoing.once('close', () => void reader.cancel().catch(() => {}));
  for (let piece = await reader.read(); !piece.done; piece = await reader.read()) {
    if (outgoing.destroyed) break;
    if (!outgoing.write(piece.value)) await roomIn(outgoing);
  }
  outgoing.end();
}

const roomIn = (outgoing: ServerResponse): Promise<void> =>
  new Promise((resolve) => {
    const done = () => {
      outgoing.off('drain', done).off('close', done);
      resolve();
    };
    outgoing.once('drain', done).once('close', done);
  });

function cannotListen(
  { host, port }: { readonly host: string; readonly port: number },
  error: unknown,
): Failure {
  const code = errorCode(error);
  if (code === 'EADDRINUSE')
    return usageFailure('port-in-use', `port ${port} of ${host} is in use`, {
      next: 'name another port, or none: then a free one is taken',
      cause: error,
    });
  if (code === 'EACCES')
    return usageFailure('no-permission', `port ${port} of ${host} may not be used`, {
      next: 'name a port from 1024 on',
      cause: error,
    });
  const reason = errorWords(error);
  return usageFailure('no-such-address', `cannot listen at "${host}": ${reason}`, {
    next: 'name an address of this machine',
    cause: error,
  });
}
