// A call to an endpoint as the request that goes out: headers of the endpoint's file on top, its time limits. Sends nothing.

import { configFailure } from '../errors.ts';
import type { HttpRequest } from '../world/types.ts';
import { numberSetting } from './settings.ts';
import type { Call } from './transport.ts';

/** The request. A header that is no line, and a limit that is no number, are configuration Failures (exit 3). */
export function httpRequest(call: Call, signal: AbortSignal): HttpRequest {
  const { endpoint, method, url, body } = call;
  const headers = { ...call.headers, ...endpoint.headers };
  for (const [name, value] of Object.entries(headers))
    if (/[\r\n\0]/.test(value))
      throw configFailure('bad-header', `the header "${name}" holds a line end`, {
        at: `endpoint ${endpoint.name} (${endpoint.source})`,
        next: 'check the key or header there: it must be one line',
        facts: { kind: 'configuration' },
      });
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
