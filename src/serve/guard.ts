// Who may ask over HTTP: those that come by a name of this server, not from a page of elsewhere, and know the token.

import { createHash, timingSafeEqual } from 'node:crypto';
import type { Secret } from '../config/types.ts';
import type { Library } from './library.ts';

export interface GuardOptions {
  /** As it listens. */
  readonly host: string;
  readonly token: Secret;
}

/** The only path that there is. */
export const PATH = '/mcp';

const LOOPBACK: readonly string[] = ['localhost', '127.0.0.1', '[::1]'];
/** Every address of the machine: its names are not known here. */
const ANY: readonly string[] = ['0.0.0.0', '[::]'];

/** Whether nobody on another machine can reach it. */
export function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || /^127\.\d+\.\d+\.\d+$/.test(host);
}

/** As it stands in an address. */
export const inUrl = (host: string): string => (host.includes(':') ? `[${host}]` : host);

/**
 * Makes the function that answers a request that may not be served, with 403 for a wrong Host or Origin (a page that was made to
 * lead here), 404 for a wrong path, 401 for a wrong token.
 */
export function createGuard(
  { host, token }: GuardOptions,
  library: Pick<Library, 'validateHostHeader' | 'validateOriginHeader'>,
): (request: Request) => Response | undefined {
  const own = inUrl(host).toLowerCase();
  const names = [...LOOPBACK, own];
  const wanted = digest(`Bearer ${token.reveal()}`);
  return ({ url, headers }) => {
    const named = library.validateHostHeader(headers.get('host'), names);
    if (!named.ok && !ANY.includes(own)) return refusal(403, named.message);
    const origin = library.validateOriginHeader(headers.get('origin'), names);
    if (!origin.ok) return refusal(403, origin.message);
    if (new URL(url).pathname !== PATH) return refusal(404, `there is only ${PATH}`);
    const given = headers.get('authorization') ?? '';
    if (timingSafeEqual(digest(given.replace(/^bearer +/i, 'Bearer ')), wanted)) return undefined;
    return refusal(401, 'a bearer token is needed', { 'www-authenticate': 'Bearer' });
  };
}

/** Digests have one length, so that comparing them takes one time. */
const digest = (text: string): Buffer => createHash('sha256').update(text).digest();

/** An error of the protocol without an id, under an HTTP status. */
export function refusal(
  status: number,
  message: string,
  headers: Readonly<Record<string, string>> = {},
): Response {
  const error = { code: status === 400 ? -32700 : -32000, message };
  return Response.json({ jsonrpc: '2.0', error, id: null }, { status, headers });
}
