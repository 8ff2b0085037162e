// Where a Messages server is, how it is told who asks, and what differs between the hosts of that protocol. Sends nothing.

import { createHash } from 'node:crypto';
import type { Endpoint } from '../../config/types.ts';
import { baseUrl, keyHeader } from '../place.ts';
import { textSetting } from '../settings.ts';

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
  const url = baseUrl(endpoint, ADDRESS);
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
  return { 'anthropic-version': VERSION, ...keyHeader(endpoint, dialect.auth) };
}
