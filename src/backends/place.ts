// Where an endpoint is and how it is told who asks, for all protocols. Sends nothing.

import type { Endpoint } from '../config/types.ts';
import { configFailure } from '../errors.ts';
import { choiceSetting, textSetting } from './settings.ts';

/** The endpoint's address, else `standard`. Throws a Failure (exit 3) for one that is none. */
export function baseUrl(endpoint: Endpoint, standard: string): URL {
  const base = endpoint.url ?? standard;
  const url = URL.canParse(base) ? new URL(base) : undefined;
  if (url !== undefined && (url.protocol === 'http:' || url.protocol === 'https:')) return url;
  throw configFailure('bad-url', `"url" must be an http or https address, not "${base}"`, {
    at: `endpoint ${endpoint.name} (${endpoint.source})`,
    next: `for example url: ${standard}`,
    facts: { kind: 'configuration' },
  });
}

type Style = 'bearer' | 'x-api-key';

/** The header that carries the key, in the style of the endpoint's `auth`, else in the protocol's; none without a key. */
export function keyHeader(endpoint: Endpoint, usual: Style = 'bearer'): Record<string, string> {
  const key = endpoint.key?.reveal();
  if (key === undefined || key === '') return {};
  const style =
    choiceSetting(endpoint, 'auth', ['bearer', 'x-api-key', 'api-key', 'none']) ?? usual;
  if (style === 'none') return {};
  return style === 'bearer' ? { authorization: `Bearer ${key}` } : { [style]: key };
}

/** Headers that name the run, for servers and gateways that keep one conversation in one place; `own` is the server's. */
export function sessionHeaders(
  endpoint: Endpoint,
  sessionId: string,
  own?: string,
): Record<string, string> {
  if (sessionId === '') return {};
  const names = ['session-id', own, textSetting(endpoint, 'session_header')];
  return Object.fromEntries(
    names.flatMap((name) => (name === undefined ? [] : [[name.toLowerCase(), sessionId]])),
  );
}
