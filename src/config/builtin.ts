// The endpoints that are there without any file, and the backends that this version has. Data only.

import type { Price } from '../types.ts';

/** Backends of this version; the table of backends is checked against it. */
export const BACKENDS = [
  'responses',
  'openai',
  'vllm',
  'openwebui',
  'anthropic',
  'ollama',
  'local',
  'replay',
] as const;
export type BackendName = (typeof BACKENDS)[number];

/** What an endpoint file can say, before its key is looked up. */
export interface EndpointFields {
  readonly backend?: string;
  readonly url?: string;
  readonly model?: string;
  readonly key?: string;
  readonly key_env?: string;
  readonly key_cmd?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly price?: Price;
  readonly description?: string;
}

/** Names that stand for a backend at a well-known address. */
export const PRESETS: Readonly<
  Record<string, { readonly backend: BackendName; readonly url: string }>
> = {
  openrouter: { backend: 'openai', url: 'https://openrouter.ai/api/v1' },
  llamacpp: { backend: 'openai', url: 'http://127.0.0.1:8080/v1' },
  lmstudio: { backend: 'openai', url: 'http://127.0.0.1:1234/v1' },
};

/** What `-b` and `backend:` take. */
export const BACKEND_NAMES: readonly string[] = [...BACKENDS, ...Object.keys(PRESETS)];

/** Addresses of backends when nothing else is said. */
export const ADDRESSES: Readonly<Record<string, string>> = {
  openai: 'https://api.openai.com/v1',
  responses: 'https://api.openai.com/v1',
  anthropic: 'https://api.anthropic.com',
  ollama: 'http://127.0.0.1:11434',
  vllm: 'http://127.0.0.1:8000/v1',
  openwebui: 'http://127.0.0.1:3000/api',
};

/** Where the key of a well-known service is looked for when nothing else is said. */
export const OPENAI = { url: 'https://api.openai.com/v1', key_env: 'OPENAI_API_KEY' };
export const ANTHROPIC = { url: 'https://api.anthropic.com', key_env: 'ANTHROPIC_API_KEY' };
export const OPENROUTER = { url: 'https://openrouter.ai/api/v1', key_env: 'OPENROUTER_API_KEY' };

export const BUILT_IN: Readonly<Record<string, EndpointFields>> = {
  openai: {
    backend: 'openai',
    url: OPENAI.url,
    key_env: OPENAI.key_env,
    model: 'gpt-5-mini',
    description: 'OpenAI, Chat Completions',
  },
  responses: {
    backend: 'responses',
    url: OPENAI.url,
    key_env: OPENAI.key_env,
    model: 'gpt-5-mini',
    description: 'OpenAI, Responses',
  },
  anthropic: {
    backend: 'anthropic',
    url: ANTHROPIC.url,
    key_env: ANTHROPIC.key_env,
    model: 'claude-sonnet-4-5',
    description: 'Anthropic, Messages',
  },
  ollama: { backend: 'ollama', description: 'Ollama on this machine' },
  vllm: { backend: 'vllm', description: 'vLLM on this machine' },
  openwebui: {
    backend: 'openwebui',
    key_env: 'OPENWEBUI_API_KEY',
    description: 'Open WebUI on this machine',
  },
  openrouter: {
    backend: 'openrouter',
    key_env: OPENROUTER.key_env,
    description: 'OpenRouter, models of many providers',
  },
  llamacpp: { backend: 'llamacpp', description: 'a llama.cpp server on this machine' },
  lmstudio: { backend: 'lmstudio', description: 'LM Studio on this machine' },
  local: { backend: 'local', description: 'the embedded model, in this process' },
};

/** Variables that choose an endpoint by being set, in order. */
export const KEY_RULES: readonly { readonly variable: string; readonly endpoint: string }[] = [
  { variable: ANTHROPIC.key_env, endpoint: 'anthropic' },
  { variable: OPENAI.key_env, endpoint: 'responses' },
];
