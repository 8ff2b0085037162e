// Where an endpoint of the Responses protocol is, and what tells one from another. Sends nothing.

import { createHash } from 'node:crypto';
import type { Endpoint } from '../../config/types.ts';
import { type Preset, placeOf as placeOfPreset } from '../openai/place.ts';

const PRESET: Preset = { name: 'responses', url: 'https://api.openai.com/v1' };

/** The address of `path` below the endpoint's base; the base keeps its query. Throws a Failure (exit 3) for an address that is none. */
export function placeOf(endpoint: Endpoint, path: string): URL {
  const url = placeOfPreset(PRESET, endpoint, '');
  const base = url.pathname.replace(/\/+$/, '').replace(/\/responses$/, '');
  url.pathname = `${base}${path}`;
  return url;
}

/** Whether it is the provider whose protocol this is. */
export function isOriginal(endpoint: Endpoint): boolean {
  return placeOf(endpoint, '').hostname === 'api.openai.com';
}

/** Server and model, for what was learned about them. Without the query: it may hold a key. */
export function scopeOf(endpoint: Endpoint): string {
  const { origin, pathname } = placeOf(endpoint, '');
  return `${origin}${pathname} ${endpoint.model ?? ''}`;
}

/** The same as a short text that goes into chats and names nobody. */
export function placeKey(endpoint: Endpoint): string {
  return createHash('sha256').update(scopeOf(endpoint)).digest('hex').slice(0, 16);
}
