// Where an endpoint of the Chat Completions family is. Sends nothing.

import type { Endpoint } from '../../config/types.ts';
import { baseUrl } from '../place.ts';

/** What differs between servers that speak the same protocol. */
export interface Preset {
  readonly name: string;
  /** Base address when the endpoint names none. */
  readonly url: string;
  /** Path that is added to a base that has none. */
  readonly root?: string;
}

/** llama.cpp, OpenRouter, LM Studio and others differ in their address only: `openai` with a `url`. */
export const PRESETS = {
  openai: { name: 'openai', url: 'https://api.openai.com/v1' },
  vllm: { name: 'vllm', url: 'http://localhost:8000/v1', root: '/v1' },
  openwebui: { name: 'openwebui', url: 'http://localhost:3000/api', root: '/api' },
} as const satisfies Record<string, Preset>;

/** The address of `path` below the endpoint's base; the base keeps its query. Throws a Failure (exit 3) for an address that is none. */
export function placeOf(preset: Preset, endpoint: Endpoint, path: string): URL {
  const url = baseUrl(endpoint, preset.url);
  const own = url.pathname.replace(/\/+$/, '').replace(/\/chat\/completions$/, '');
  url.pathname = `${own === '' ? (preset.root ?? '') : own}${path}`;
  return url;
}

/** Whether it is the provider whose protocol this is: some of its own rules hold nowhere else. */
export function isOriginal(preset: Preset, endpoint: Endpoint): boolean {
  return placeOf(preset, endpoint, '').hostname === 'api.openai.com';
}
