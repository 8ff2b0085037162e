// What a backend gets of the world for one run.

import type { BackendContext } from '../backends/types.ts';
import { folders } from '../config/folders.ts';
import { modelsFolder } from '../models/places.ts';
import type { World } from '../world/types/world.ts';

/** `stop` ends the run as the world's own signal does. Retries and warnings are told by the round that asks. */
export async function backendContext(world: World, stop?: AbortSignal): Promise<BackendContext> {
  const { cache, ...places } = await folders(world.env, world.files);
  return {
    http: world.http,
    clock: world.clock,
    files: world.files,
    env: world.env,
    signal: stop === undefined ? world.signal : AbortSignal.any([world.signal, stop]),
    onRetry: () => {},
    warn: () => {},
    modelsFolder: modelsFolder(places),
    cacheFolder: cache,
  };
}
