// A call to an endpoint as the request that goes out: headers of the endpoint's file on top, its time limits. Sends nothing.

import { configFailure } from '../../errors.ts';
import type { HttpRequest } from '../../world/types/network.ts';
import { numberSetting } from '../settings.ts';
import { basicToken } from './redact.ts';
import type { Call } from './types.ts';

/** The request. A header that cannot be sent, and a limit that is no number, are configuration Failures (exit 3). */
export function httpRequest(call: Call, signal: AbortSignal): HttpRequest {
  const { endpoint, method, url, body } = call;
  const headers = { ...userInfo(url), ...lowerCase(call.headers), ...lowerCase(endpoint.headers) };
  for (const [name, value] of Object.entries(headers)) {
    const problem = problemOf(name, value);
    if (problem === undefined) continue;
    throw configFailure('bad-header', `the header "${name}" ${problem}`, {
      at: `endpoint ${endpoint.name} (${endpoint.source})`,
      next: 'check the key and the headers there',
      facts: { kind: 'configuration' },
    });
  }
  const read = numberSetting(endpoint, 'request_timeout');
  const connect = numberSetting(endpoint, 'connect_timeout');
  return {
    method,
    url: url.href,
    headers,
    signal,
    redirects: 3,
    ...(body === undefined ? {} : { body }),
    ...(read === undefined ? {} : { readTimeout: read * 1000 }),
    ...(connect === undefined ? {} : { connectTimeout: connect * 1000 }),
  };
}

/** Names differ in their case only when they are the same header: the later one counts. */
const lowerCase = (headers: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));

/** User and password of an address are for whoever guards the server; a key goes before them. */
function userInfo({ username, password }: URL): Record<string, string> {
  if (username === '' && password === '') return {};
  return { authorization: `Basic ${basicToken(username, password)}` };
}

/** What belongs to the connection, and not to those who use it. */
const OF_CONNECTION: ReadonlySet<string> = new Set([
  ...['connection', 'content-length', 'expect', 'keep-alive', 'te', 'trailer'],
  ...['transfer-encoding', 'upgrade'],
]);

/** Why a header cannot be sent, without its value, which may be a secret. */
function problemOf(name: string, value: string): string | undefined {
  if (!/^[!#$%&'*+.^_`|~\w-]+$/.test(name)) return 'has no name that a header can have';
  if (OF_CONNECTION.has(name)) return 'belongs to the connection and cannot be set';
  if (/[\r\n\0]/.test(value)) return 'holds a line end';
  // Bytes are sent one for each character.
  return /[^\t\x20-\x7e\x80-\xff]/.test(value) ? 'holds letters that no header has' : undefined;
}
