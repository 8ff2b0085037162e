// Where an Ollama is. Sends nothing.

import type { Endpoint } from '../../config/types.ts';
import { placeOf } from '../openai/place.ts';

const PRESET = { name: 'ollama', url: 'http://127.0.0.1:11434' };

/** The address of `path` below the server's root. A base that was meant for another interface of the same server is cut back to it. */
export function ollamaPlace(endpoint: Endpoint, path: string): URL {
  const url = placeOf(PRESET, endpoint, '');
  const root = url.pathname.replace(/\/+$/, '').replace(/\/(?:v1|api(?:\/chat)?)$/, '');
  url.pathname = `${root}${path}`;
  return url;
}

/** Server and model, without what may be secret in the address. */
export function ollamaScope(endpoint: Endpoint): string {
  const { origin, pathname } = ollamaPlace(endpoint, '');
  return `${origin}${pathname} ${endpoint.model ?? ''}`;
}
