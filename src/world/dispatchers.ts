// The client library, loaded when the first request goes out: one keep-alive agent for each way out (direct, or a proxy).

import { setFlagsFromString } from 'node:v8';
import type { Dispatcher } from 'undici';
import Agent from 'undici/lib/dispatcher/agent.js';
import { configFailure } from '../errors.ts';
import type { Environment } from './types/world.ts';

export { default as request } from 'undici/lib/api/api-request.js';

/** How a connection is made. */
export interface Route {
  readonly secure: boolean;
  readonly proxy: URL | undefined;
  /** Milliseconds. */
  readonly connectTimeout: number;
  /** A PEM file with certificates to trust as well. */
  readonly certificates: string | undefined;
}

/** Agents by route; each is made once. A certificate file that cannot be read rejects with a Failure (exit 3). */
export function createDispatchers(env: Environment): (route: Route) => Promise<Dispatcher> {
  const made = new Map<string, Promise<Dispatcher>>();
  return (route) => {
    const { secure, connectTimeout, certificates = '', proxy } = route;
    const key = [secure, connectTimeout, certificates, proxy?.href ?? ''].join(' ');
    const dispatcher = made.get(key) ?? create(route, env);
    made.set(key, dispatcher);
    return dispatcher;
  };
}

async function create(route: Route, env: Environment): Promise<Dispatcher> {
  const ca = route.secure ? await trusted(route.certificates, env) : undefined;
  const connect = { timeout: route.connectTimeout, ...(ca === undefined ? {} : { ca }) };
  if (route.proxy === undefined) return new Agent({ connect });
  return createProxyAgent(route.proxy, connect);
}

async function createProxyAgent(
  proxy: URL,
  tls: { readonly timeout: number; readonly ca?: string[] },
): Promise<Dispatcher> {
  const [{ default: ProxyAgent }, { default: Pool }, { default: connect }] = await Promise.all([
    import('undici/lib/dispatcher/proxy-agent.js'),
    import('undici/lib/dispatcher/pool.js'),
    import('undici/lib/api/api-connect.js'),
  ]);
  return new ProxyAgent({
    uri: proxy.href,
    // As every client does it: plain requests are given to the proxy whole, only encrypted ones need a tunnel.
    proxyTunnel: false,
    proxyTls: tls,
    requestTls: tls,
    // `connect` is put on all dispatchers by undici's index, which is not loaded here.
    clientFactory: (origin, options) => Object.assign(new Pool(origin, options), { connect }),
  });
}

/**
 * All trusted certificates when the request or SSL_CERT_FILE adds some, undefined when the runtime's own choice stands. Naming any
 * replaces that choice, so what it consists of (its roots, NODE_EXTRA_CA_CERTS) is named too.
 */
async function trusted(file: string | undefined, env: Environment): Promise<string[] | undefined> {
  const named = [
    ['the request', file],
    ['SSL_CERT_FILE', env.SSL_CERT_FILE],
  ] as const;
  if (named.every(([, path]) => !path)) return undefined;
  const all = [...named, ['NODE_EXTRA_CA_CERTS', env.NODE_EXTRA_CA_CERTS] as const];
  const { rootCertificates } = await import('node:tls');
  const texts = all.map(([source, path]) => (path ? readCertificates(source, path) : ''));
  return [...rootCertificates, ...(await Promise.all(texts)).filter((text) => text !== '')];
}

async function readCertificates(source: string, file: string): Promise<string> {
  const { readFile } = await import('node:fs/promises');
  const refused = (message: string, cause?: unknown) =>
    configFailure('bad-certificates', message, {
      at: source,
      next: 'name a PEM file that this user may read, or none',
      facts: { kind: 'configuration' },
      cause,
    });
  const text = await readFile(file, 'utf8').catch((cause) => {
    throw refused(`cannot read the certificates in "${file}"`, cause);
  });
  // TLS passes over what is none, and says later that a server is not trusted.
  if (text.trim() !== '' && !/-----BEGIN [A-Z0-9 ]*CERTIFICATE-----/.test(text))
    throw refused(`there is no certificate in "${file}"`);
  return text;
}

/**
 * Node 20 optimises the WebAssembly of undici's parser after one answer, in 80 ms that a short run waits for when it ends. Its
 * successors wait for seven times as much work; so does this process after this call. No effect on other versions.
 */
export function deferParserOptimisation(): void {
  if (process.versions.node.startsWith('20.')) setFlagsFromString('--wasm-tiering-budget=13000000');
}
