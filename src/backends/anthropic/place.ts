// Where a Messages server is, how it is told who asks, and what differs between the hosts of that protocol. Sends nothing.

import { createHash } from 'node:crypto';
import type { Endpoint } from '../../config/types.ts';
import { configFailure } from '../../errors.ts';
import { choiceSetting, textSetting } from '../settings.ts';

/** A host's habits. */
export interface Dialect {
  readonly name: 'standard' | 'fireworks';
  /** How the key is sent when the endpoint does not say. */
  readonly auth: 'x-api-key' | 'bearer';
  /** How thinking is to be shown; absent where the host does not take the field. */
  readonly display?: 'summarized';
  /** Whether marks for the cache are understood; other hosts cache by themselves. */
  readonly marks: boolean;
  /** A header of the host's own that keeps one conversation at one server. */
  readonly sessionHeader?: string;
}

const STANDARD: Dialect = {
  name: 'standard',
  auth: 'x-api-key',
  display: 'summarized',
  marks: true,
};
const FIREWORKS: Dialect = {
  name: 'fireworks',
  auth: 'bearer',
  marks: false,
  sessionHeader: 'x-session-affinity',
};

/** The endpoint's dialect; one that nobody knows counts as none, with a warning. */
export function dialectOf(endpoint: Endpoint): { dialect: Dialect; warnings: readonly string[] } {
  const name = textSetting(endpoint, 'dialect');
  if (name === undefined || name === STANDARD.name) return { dialect: STANDARD, warnings: [] };
  if (name === FIREWORKS.name) return { dialect: FIREWORKS, warnings: [] };
  const warning = `unknown dialect "${name}" of endpoint ${endpoint.name} has no effect; the known one is fireworks`;
  return { dialect: STANDARD, warnings: [warning] };
}

const ADDRESS = 'https://api.anthropic.com';

/** The address of `path` below the endpoint's root; the base keeps its query. Throws a Failure (exit 3) for an address that is none. */
export function placeOf(endpoint: Endpoint, path: string): URL {
  const base = endpoint.url ?? ADDRESS;
  const url = URL.canParse(base) ? new URL(base) : undefined;
  if (url === undefined || (url.protocol !== 'http:' && url.protocol !== 'https:'))
    throw configFailure('bad-url', `"url" must be an http or https address, not "${base}"`, {
      at: `endpoint ${endpoint.name} (${endpoint.source})`,
      next: `for example url: ${ADDRESS}`,
      facts: { kind: 'configuration' },
    });
  // People also give the address with the version, or that of the request.
  const root = url.pathname.replace(/\/+$/, '').replace(/\/v1(?:\/messages)?$/, '');
  url.pathname = `${root}/v1${path}`;
  return url;
}

/** The host as a short text that goes into chats and names nobody: thinking is signed for whom it came from. */
export function placeKey(endpoint: Endpoint): string {
  return createHash('sha256').update(placeOf(endpoint, '').host).digest('hex').slice(0, 16);
}

const VERSION = '2023-06-01';

/** Headers of every request; those of the endpoint file come on top. */
export function headersFor(endpoint: Endpoint, dialect: Dialect): Record<string, string> {
  return { 'anthropic-version': VERSION, ...keyHeader(endpoint, dialect) };
}

/** Headers that name the run, for hosts and gateways that keep one conversation at one server. */
export function sessionHeaders(
  endpoint: Endpoint,
  { sessionHeader }: Dialect,
  sessionId: string,
): Record<string, string> {
  if (sessionId === '') return {};
  const names = ['session-id', sessionHeader, textSetting(endpoint, 'session_header')];
  return Object.fromEntries(
    names.flatMap((name) => (name === undefined ? [] : [[name.toLowerCase(), sessionId]])),
  );
}

function keyHeader(endpoint: Endpoint, { auth }: Dialect): Record<string, string> {
  const key = endpoint.key?.reveal();
  if (key === undefined || key === '') return {};
  const style = choiceSetting(endpoint, 'auth', ['bearer', 'x-api-key', 'api-key', 'none']) ?? auth;
  if (style === 'none') return {};
  return style === 'bearer' ? { authorization: `Bearer ${key}` } : { [style]: key };
}
