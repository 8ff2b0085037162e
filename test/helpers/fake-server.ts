// A scripted HTTP server on loopback: a request in, an answer out, with exact bytes, cuts, waits and broken ends. Knows no provider.

import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import * as http from 'node:http';
import * as https from 'node:https';
import type { AddressInfo, Socket } from 'node:net';

/** Something to send, or something to do in between. */
export type Piece =
  | string
  | Uint8Array
  /** Milliseconds of silence. */
  | { readonly wait: number }
  /** Waits for a promise of the test. */
  | { readonly until: Promise<unknown> };

export interface Script {
  /** Default 200. */
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string | readonly string[]>>;
  /** Milliseconds before the head of the answer. */
  readonly delay?: number;
  /** Written piece by piece, each its own write. An object becomes JSON. */
  readonly body?: string | Uint8Array | readonly Piece[] | Readonly<Record<string, unknown>>;
  /** Cuts all bytes again: every so many bytes, or at these offsets. Each part is its own write. */
  readonly cut?: number | readonly number[];
  /** Milliseconds between two writes; 0 still lets the reader run in between. */
  readonly pause?: number;
  /** `end`: as HTTP wants it. `close`: the socket closes in the middle. `reset`: a TCP reset. `hang`: nothing more comes. */
  readonly ending?: 'end' | 'close' | 'reset' | 'hang';
  /** Bytes for the bare socket in place of an HTTP answer. */
  readonly raw?: string;
}

export interface RecordedRequest {
  readonly method: string;
  /** With the query. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** The body as JSON, undefined when it is none. */
  // biome-ignore lint/suspicious/noExplicitAny: tests reach into bodies of every shape
  readonly json: any;
  /** Milliseconds on the monotonic clock when the request was whole. */
  readonly at: number;
  /** The client closed the connection before the answer ended. */
  aborted: boolean;
}

/** Answers by request, or a list: the first request gets the first script, and so on; the last one repeats. */
export type Answers =
  | Script
  | readonly Script[]
  | ((request: RecordedRequest, index: number) => Script | Promise<Script>);

/** An address of this machine where nobody listens. The port of a server that was closed may be that of another one a moment later; this one is given to no program that asks for any. */
export const NOBODY = 'http://127.0.0.1:9';

/** Resolves when the client has got the next answer to its end, read by anybody or not: only then its connection is free again. */
export const answerEnded = (): Promise<void> =>
  new Promise((resolve) => {
    const note = () => {
      unsubscribe('undici:request:trailers', note);
      // The client waits a turn of the event loop before it uses the connection again.
      setImmediate(() => setImmediate(resolve));
    };
    subscribe('undici:request:trailers', note);
  });

export interface FakeServer {
  /** `http://127.0.0.1:PORT`, no slash at the end. */
  readonly url: string;
  readonly port: number;
  readonly requests: RecordedRequest[];
  /** Connections accepted so far. */
  readonly connections: () => number;
  /** Replaces the answers from the next request on. */
  answer(answers: Answers): void;
  close(): Promise<void>;
}

export interface FakeServerOptions {
  /** PEM texts: the server speaks TLS. */
  readonly tls?: { readonly key: string; readonly cert: string };
  /** Default: one that is free. */
  readonly port?: number;
  /** Called for the CONNECT method with `host:port`; returns the socket to join, or a status to refuse with. */
  readonly onConnect?: (target: string) => Socket | number;
}

/** Starts a server; `close` ends it and every connection. */
export async function startFakeServer(
  answers: Answers,
  options: FakeServerOptions = {},
): Promise<FakeServer> {
  const requests: RecordedRequest[] = [];
  let current = answers;
  let base = 0;
  let connections = 0;
  const onRequest = async (incoming: http.IncomingMessage, reply: http.ServerResponse) => {
    const request = await record(incoming).catch(() => undefined);
    // The client went away before its request was whole: nobody waits for an answer.
    if (request === undefined) return;
    requests.push(request);
    reply.on('close', () => {
      request.aborted = !reply.writableFinished;
    });
    await play(await pick(current, request, requests.length - 1 - base), reply);
  };
  const server =
    options.tls === undefined
      ? http.createServer(onRequest)
      : https.createServer({ ...options.tls }, onRequest);
  server.on('connection', () => {
    connections++;
  });
  if (options.onConnect !== undefined) tunnel(server, options.onConnect);
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(options.port ?? 0, '127.0.0.1', resolve);
  });
  const { port } = server.address() as AddressInfo;
  return {
    url: `${options.tls === undefined ? 'http' : 'https'}://127.0.0.1:${port}`,
    port,
    requests,
    connections: () => connections,
    answer(next) {
      current = next;
      base = requests.length;
    },
    close() {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}

async function record(incoming: http.IncomingMessage): Promise<RecordedRequest> {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk);
  const body = Buffer.concat(chunks).toString('utf8');
  const headers: Record<string, string> = {};
  for (const [name, value] of Object.entries(incoming.headers))
    if (value !== undefined) headers[name] = Array.isArray(value) ? value.join(', ') : value;
  return {
    method: incoming.method ?? '',
    path: incoming.url ?? '',
    headers,
    body,
    json: parseJson(body),
    at: performance.now(),
    aborted: false,
  };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

async function pick(answers: Answers, request: RecordedRequest, index: number): Promise<Script> {
  if (typeof answers === 'function') return answers(request, index);
  if (!Array.isArray(answers)) return answers as Script;
  return answers[Math.min(index, answers.length - 1)] ?? { status: 500 };
}

async function play(script: Script, reply: http.ServerResponse): Promise<void> {
  if (script.delay !== undefined) await wait(script.delay);
  if (script.raw !== undefined) {
    reply.socket?.end(script.raw);
    return;
  }
  const pieces = piecesOf(script);
  const whole = typeof script.body === 'string' || script.body instanceof Uint8Array;
  const headers = { ...defaultHeaders(script), ...script.headers } as http.OutgoingHttpHeaders;
  reply.writeHead(script.status ?? 200, headers);
  if (!whole || (script.ending ?? 'end') !== 'end') reply.flushHeaders();
  reply.socket?.setNoDelay(true);
  for (const piece of pieces) {
    if (reply.destroyed) return;
    if (typeof piece === 'string' || piece instanceof Uint8Array) {
      if (piece.length > 0) await write(reply, piece);
      await wait(script.pause ?? 0);
    } else if ('wait' in piece) await wait(piece.wait);
    else await piece.until;
  }
  finish(script.ending ?? 'end', reply);
}

function defaultHeaders(script: Script): Record<string, string> {
  const { body } = script;
  if (body !== null && typeof body === 'object' && isPlain(body))
    return { 'content-type': 'application/json' };
  return { 'content-type': 'text/event-stream' };
}

const isPlain = (body: object): body is Readonly<Record<string, unknown>> =>
  !Array.isArray(body) && !(body instanceof Uint8Array);

function piecesOf(script: Script): readonly Piece[] {
  const { body, cut } = script;
  if (body === undefined) return [];
  const pieces: readonly Piece[] =
    typeof body === 'string' || body instanceof Uint8Array
      ? [body]
      : isPlain(body)
        ? [JSON.stringify(body)]
        : (body as readonly Piece[]);
  if (cut === undefined) return pieces;
  const bytes = Buffer.concat(
    pieces.map((piece) =>
      typeof piece === 'string' || piece instanceof Uint8Array
        ? Buffer.from(piece as string)
        : Buffer.alloc(0),
    ),
  );
  return cutBytes(bytes, cut);
}

/** Every `cut` bytes, or at these offsets. */
export function cutBytes(bytes: Uint8Array, cut: number | readonly number[]): Uint8Array[] {
  const offsets =
    typeof cut === 'number'
      ? Array.from({ length: Math.ceil(bytes.length / cut) - 1 }, (_, index) => (index + 1) * cut)
      : [...cut].sort((a, b) => a - b);
  const starts = [0, ...offsets];
  return starts.map((start, index) => bytes.subarray(start, starts[index + 1] ?? bytes.length));
}

function write(reply: http.ServerResponse, piece: string | Uint8Array): Promise<void> {
  return new Promise((resolve) => {
    reply.write(piece, () => resolve());
  });
}

function finish(ending: NonNullable<Script['ending']>, reply: http.ServerResponse): void {
  if (ending === 'end') reply.end();
  // An orderly close of the socket without the closing chunk: the body is cut.
  if (ending === 'close') reply.socket?.end();
  if (ending === 'reset') reply.socket?.resetAndDestroy();
}

function tunnel(
  server: http.Server | https.Server,
  onConnect: NonNullable<FakeServerOptions['onConnect']>,
): void {
  server.on('connect', (incoming: http.IncomingMessage, socket: Socket, head: Buffer) => {
    const target = onConnect(incoming.url ?? '');
    if (typeof target === 'number') {
      socket.end(`HTTP/1.1 ${target} Refused\r\n\r\n`);
      return;
    }
    socket.write('HTTP/1.1 200 Connection established\r\n\r\n');
    target.write(head);
    target.pipe(socket);
    socket.pipe(target);
    target.on('error', () => socket.destroy());
    socket.on('error', () => target.destroy());
    socket.on('close', () => target.destroy());
  });
}

const wait = (milliseconds: number): Promise<void> =>
  new Promise((resolve) => {
    if (milliseconds === 0) setImmediate(resolve);
    else setTimeout(resolve, milliseconds);
  });
