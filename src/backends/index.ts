// The backends by name, each loaded when it is asked for. Adding one is a file and a row.

import { configFailure } from '../errors.ts';
import type { Backend } from './types.ts';

const BACKENDS: Readonly<Record<string, () => Promise<Backend>>> = {
  openai: async () => (await import('./openai/backend.ts')).openai,
  vllm: async () => (await import('./openai/backend.ts')).vllm,
  openwebui: async () => (await import('./openai/backend.ts')).openwebui,
  anthropic: async () => (await import('./anthropic/backend.ts')).anthropic,
  responses: async () => (await import('./responses/backend.ts')).responses,
  ollama: async () => (await import('./ollama/backend.ts')).ollama,
  local: async () => (await import('./local.ts')).local,
  replay: async () => (await import('./replay.ts')).replay,
};

/** Names that `loadBackend` takes. */
export const BACKEND_NAMES: readonly string[] = Object.keys(BACKENDS);

/** The backend of that name. Rejects with a Failure (exit 3) that lists the known ones. */
export async function loadBackend(name: string): Promise<Backend> {
  const load = Object.hasOwn(BACKENDS, name) ? BACKENDS[name] : undefined;
  if (load !== undefined) return load();
  const known = `backends: ${BACKEND_NAMES.join(', ')}`;
  const facts = { kind: 'configuration' };
  const { didYouMean } = await import('../nearest.ts');
  throw configFailure('unknown-backend', `unknown backend "${name}"`, {
    detail: [known],
    next: didYouMean(name, BACKEND_NAMES) ?? 'choose one of those (-b)',
    facts,
  });
}
