// Resolves endpoints of a temporary folder, whose `home` is SCOUT_HOME.

import { join } from 'node:path';
import type { ChoiceWorld } from '../../src/config/choice.ts';
import {
  type EndpointRequest,
  type EndpointWorld,
  resolveEndpoint,
} from '../../src/config/endpoints.ts';
import type { Endpoint } from '../../src/config/types.ts';
import type { Warning } from '../../src/types.ts';
import type { Environment } from '../../src/world/types/world.ts';
import { type Tree, temporaryFolder } from './folder.ts';
import { createWorld, type RunOptions } from './run.ts';

/** A world without any server: whoever looks for one is refused. */
export function endpointWorld(
  files: Tree = {},
  env: Environment = {},
  parts: RunOptions['world'] = {},
): EndpointWorld & ChoiceWorld & { readonly folder: string } {
  const folder = temporaryFolder({ 'home/': '', ...files });
  const http = { send: () => Promise.reject(new Error('connection refused')) };
  const world = createWorld(folder, {
    env: { SCOUT_HOME: join(folder, 'home'), ...env },
    world: { http, ...parts },
  });
  return { ...world, folder };
}

export interface Resolved {
  readonly endpoint: Endpoint;
  readonly warnings: readonly Warning[];
}

export async function resolved(request: EndpointRequest, world: EndpointWorld): Promise<Resolved> {
  const warnings: Warning[] = [];
  const endpoint = await resolveEndpoint(request, world, (warning) => warnings.push(warning));
  return { endpoint, warnings };
}
