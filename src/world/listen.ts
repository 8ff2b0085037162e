// An HTTP server of this machine, with requests and answers in their web-standard form. Knows nothing of what is served.

import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import type { ReadableStream as WebStream } from 'node:stream/web';
import { errorCode, errorWords, type Failure, usageFailure } from '../errors.ts';
import type { Listening, Servers } from './types/network.ts';

type Answer = Parameters<Servers['listen']>[1];

/** How long answers may take to come to their end when the server is closed, and how long a client that is refused may be silent, in milliseconds. */
const LAST_WORDS = 1000;

/** So many clients at a time; the connection of a further one is closed. */
const MOST_CONNECTIONS = 2000;
/** A client sends its headers, and all of its request, in so many milliseconds. */
const HEADERS_TIME = 10_000;
const REQUEST_TIME = 120_000;
/**
 * With so many bytes of answers unread, a client that reads nothing loses its connection; with twice as many nothing is answered, and with
 * four times as many those that wait longest lose theirs, whether they read or not.
 */
const MOST_UNREAD = 64 * 1024 * 1024;
/** A client of which the system has taken nothing for so long, in milliseconds, reads nothing. */
const STALLED = 3000;

/** As `Servers.listen` says. */
export async function listen(
  place: { readonly host: string; readonly port: number },
  answer: Answer,
): Promise<Listening> {
  const times = {
    headersTimeout: HEADERS_TIME,
    requestTimeout: REQUEST_TIME,
    connectionsCheckingInterval: HEADERS_TIME / 2,
  };
  const server = createServer(times, (incoming, outgoing) => {
    void serve(incoming, outgoing, answer);
  });
  server.maxConnections = MOST_CONNECTIONS;
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
    await send(await answered(request, answer), outgoing);
  } catch {
    if (!outgoing.headersSent) outgoing.writeHead(500);
  }
  if (!incoming.complete) await passOver(incoming);
  outgoing.end();
}

async function answered(request: Request | undefined, answer: Answer): Promise<Response> {
  if (request === undefined) return new Response(null, { status: 400 });
  // What is cut is let go only when the platform comes to it.
  if (bytesUnread() <= 2 * MOST_UNREAD || unread.size === 1) return answer(request);
  return new Response('too much of what was answered is unread', {
    status: 503,
    headers: { 'retry-after': '1' },
  });
}

/** A client that is answered while it still sends would never see the answer if its connection were closed at once. */
async function passOver(incoming: IncomingMessage): Promise<void> {
  await new Promise<void>((resolve) => {
    const silent = setTimeout(resolve, LAST_WORDS);
    incoming.removeAllListeners('data').on('data', () => silent.refresh());
    incoming.once('close', () => {
      clearTimeout(silent);
      resolve();
    });
    incoming.resume();
  });
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

/** Answers that wait for their client, those that wait longest first. */
const unread = new Set<ServerResponse>();

const bytesUnread = (): number =>
  [...unread].reduce((sum, { writableLength }) => sum + writableLength, 0);

async function send(response: Response, outgoing: ServerResponse): Promise<void> {
  // Who counts answers waits for the end of each, also of one whose client left before it.
  if (outgoing.destroyed) return response.body?.cancel();
  outgoing.writeHead(response.status, Object.fromEntries(response.headers));
  if (response.body === null) return;
  // A stream whose first event comes late is told of at once.
  outgoing.flushHeaders();
  const reader = response.body.getReader();
  outgoing.once('close', () => {
    unread.delete(outgoing);
    void reader.cancel().catch(() => {});
  });
  outgoing.on('drain', () => {
    unread.delete(outgoing);
    outgoing.setTimeout(0);
  });
  // A piece that is taken bit by bit is no silence.
  outgoing.on('timeout', () => {
    if (unread.size > 1 && bytesUnread() > MOST_UNREAD) outgoing.destroy();
    else outgoing.setTimeout(STALLED);
  });
  // What was made is held by the stream or by the connection: only here can it be counted.
  for (let piece = await reader.read(); !piece.done; piece = await reader.read()) {
    if (outgoing.destroyed) break;
    if (outgoing.write(piece.value)) continue;
    if (!unread.has(outgoing)) outgoing.setTimeout(STALLED);
    unread.add(outgoing);
    cutFirst();
  }
}

function cutFirst(): void {
  const left = [...unread].filter(({ destroyed }) => !destroyed);
  let bytes = left.reduce((sum, { writableLength }) => sum + writableLength, 0);
  for (const outgoing of left.slice(0, -1)) {
    if (bytes <= 4 * MOST_UNREAD) return;
    bytes -= outgoing.writableLength;
    outgoing.destroy();
  }
}

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
