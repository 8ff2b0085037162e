// The model of an endpoint that names none: a server on this machine is asked what it serves.

import { configFailure, shellWord } from '../errors.ts';
import type { World } from '../world/types/world.ts';
import { listModels } from './choice.ts';
import { addressOf, modelsAddress } from './definitions.ts';
import { shownUrl } from './shown-url.ts';
import { LOOPBACK } from './trust.ts';
import type { Secret } from './types.ts';

export interface Serving {
  readonly name: string;
  readonly source: string;
  readonly backend: string;
  readonly url: string | undefined;
  readonly key: Secret | undefined;
}

/** The first model that the server lists; undefined where none has to be named. Nothing to be had: a configuration Failure (exit 3). */
export async function servedModel(
  { name, source, backend, url, key }: Serving,
  { http, signal }: Pick<World, 'http' | 'signal'>,
): Promise<string | undefined> {
  if (addressOf(backend) === undefined || url === undefined) return undefined;
  const near = LOOPBACK.test(new URL(url).hostname);
  const secret = key === undefined ? {} : { key: key.reveal() };
  const models = near
    ? await listModels(modelsAddress(backend, url), http, { signal, patience: 2000, ...secret })
    : undefined;
  const [model] = models ?? [];
  if (model !== undefined) return model;
  const silent = near ? `, and none is served at ${shownUrl(url)}` : '';
  const none = models === undefined ? silent : ', and its server serves none';
  throw configFailure('no-model', `endpoint "${name}" has no model${none}`, {
    at: source,
    next: `give -m MODEL (\`chat model list -e ${shellWord(name)}\` shows them), or write \`model: …\` into the chat or the endpoint file`,
  });
}
