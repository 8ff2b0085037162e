// The real Http, over undici: proxies, certificates, timeouts, redirects. Knows no provider and never repeats a request.

import type { Dispatcher } from 'undici';
import manifest from '../../package.json' with { type: 'json' };
import type { createDispatchers } from './dispatchers.ts';
import { decoded } from './encoded.ts';
import { proxyFor } from './proxy.ts';
import type { Http, HttpRequest, HttpResponse } from './types/network.ts';
import type { Environment } from './types/world.ts';

const CONNECT_TIMEOUT = 10_000;
const READ_TIMEOUT = 600_000;
/** What may follow a redirect to somebody else. */
const HARMLESS_HEADERS = ['accept', 'accept-encoding', 'content-type', 'range', 'user-agent'];
/** An answer that nobody reads to its end is given so much more, and so long, to end by itself; then its connection closes. */
const REST = { bytes: 16_384, milliseconds: 200 };

export interface HttpOptions {
  /** This process is ours alone, so its engine may be tuned for short runs. */
  readonly ownProcess?: boolean;
}

interface Client {
  readonly dispatcher: ReturnType<typeof createDispatchers>;
  readonly request: typeof import('./dispatchers.ts').request;
}

/** The Http of this machine. The client library is loaded by the first request. */
export function createHttp(env: Environment, options: HttpOptions = {}): Http {
  let client: Promise<Client> | undefined;
  return {
    async send(request) {
      client ??= loadClient(env, options);
      return follow(await client, request, env);
    },
  };
}

async function loadClient(env: Environment, options: HttpOptions): Promise<Client> {
  const { createDispatchers, deferParserOptimisation, request } = await import('./dispatchers.ts');
  if (options.ownProcess === true) deferParserOptimisation();
  return { dispatcher: createDispatchers(env), request };
}

async function follow(
  client: Client,
  request: HttpRequest,
  env: Environment,
): Promise<HttpResponse> {
  let current = request;
  for (let left = request.redirects ?? 0; ; left--) {
    const answer = await sendOnce(client, current, env);
    const next = left > 0 ? redirected(current, answer) : undefined;
    if (next === undefined) return toResponse(answer, current.url);
    release(answer.body);
    current = next;
  }
}

async function sendOnce(
  client: Client,
  request: HttpRequest,
  env: Environment,
): Promise<Dispatcher.ResponseData> {
  const url = new URL(request.url);
  const proxy = proxyFor(url, env);
  const dispatcher = await client.dispatcher({
    secure: url.protocol === 'https:',
    proxy,
    connectTimeout: request.connectTimeout ?? CONNECT_TIMEOUT,
    certificates: request.certificates,
  });
  const silence = request.readTimeout ?? READ_TIMEOUT;
  try {
    return await client.request.call(dispatcher, {
      origin: url.origin,
      path: `${url.pathname}${url.search}`,
      method: request.method,
      headers: {
        'user-agent': `scout-chat/${manifest.version}`,
        'accept-encoding': 'identity',
        ...request.headers,
      },
      headersTimeout: silence,
      bodyTimeout: silence,
      ...(request.body === undefined ? {} : { body: request.body }),
      ...(request.signal === undefined ? {} : { signal: request.signal }),
    });
  } catch (error) {
    throw proxy === undefined ? error : withProxy(error, proxy);
  }
}

/** The same error, with the proxy that stood between (without its password) as a field. */
function withProxy(error: unknown, proxy: URL): unknown {
  if (!(error instanceof Error) || !('code' in error)) return error;
  const { message, code } = error;
  return Object.assign(new Error(message, { cause: error }), { code, proxy: proxy.origin });
}

/**
 * The request that a redirect asks for; undefined when the answer is none, or must not be followed: a question is never sent on
 * to another host, nor turned into a GET.
 */
function redirected(
  request: HttpRequest,
  answer: Dispatcher.ResponseData,
): HttpRequest | undefined {
  const location = joined(answer.headers.location);
  if (![301, 302, 303, 307, 308].includes(answer.statusCode) || location === undefined)
    return undefined;
  if (!URL.canParse(location, request.url)) return undefined;
  const from = new URL(request.url);
  const to = new URL(location, from);
  if (to.protocol !== 'http:' && to.protocol !== 'https:') return undefined;
  const same = isSameParty(from, to);
  if (request.method === 'POST' && (!same || answer.statusCode < 307)) return undefined;
  return { ...request, url: to.href, headers: same ? request.headers : harmless(request.headers) };
}

/** The same origin, or the same host reached by https where it was http. */
function isSameParty(from: URL, to: URL): boolean {
  if (from.origin === to.origin) return true;
  const upgraded = from.protocol === 'http:' && to.protocol === 'https:';
  return upgraded && from.hostname === to.hostname && from.port === '' && to.port === '';
}

function harmless(headers: HttpRequest['headers']): HttpRequest['headers'] {
  return Object.fromEntries(
    Object.entries(headers).filter(([name]) => HARMLESS_HEADERS.includes(name.toLowerCase())),
  );
}

function toResponse(answer: Dispatcher.ResponseData, url: string): HttpResponse {
  const headers: Record<string, string> = {};
  for (const [name, value] of Object.entries(answer.headers)) {
    const text = joined(value);
    if (text !== undefined) headers[name] = text;
  }
  const sent = pieces(answer.body);
  const body = decoded(sent, headers['content-encoding'], () => release(answer.body));
  // It counts what was compressed.
  if (body !== sent) delete headers['content-length'];
  return { status: answer.statusCode, headers, url, body };
}

const joined = (value: string | string[] | undefined): string | undefined =>
  Array.isArray(value) ? value.join(', ') : value;

type Body = Dispatcher.ResponseData['body'];

async function* pieces(body: Body): AsyncGenerator<Uint8Array> {
  try {
    for await (const piece of body.iterator({ destroyOnReturn: false })) yield piece as Uint8Array;
  } finally {
    release(body);
  }
}

/** Lets the rest of an answer pass, so that its connection can serve the next request; closes it when the rest is long or late. */
function release(body: Body): void {
  if (body.readableEnded || body.destroyed) return;
  let left = REST.bytes;
  const timer = setTimeout(() => body.destroy(), REST.milliseconds);
  body
    .on('error', () => {})
    .on('close', () => clearTimeout(timer))
    .on('data', (piece: Uint8Array) => {
      left -= piece.length;
      if (left < 0) body.destroy();
    })
    .resume();
}
