// All endpoints as a list for people: what each is, where it comes from, whether its key is there, and which one would be used.

import { Failure } from '../errors.ts';
import type { Warn } from '../types.ts';
import { chooseEndpoint, isBackend, type Step } from './choice.ts';
import { definition, endpointNames } from './definitions.ts';
import type { EndpointWorld } from './endpoints.ts';
import { keyStatus } from './key.ts';
import { shownUrl } from './shown-url.ts';

export interface ListedEndpoint {
  readonly name: string;
  readonly backend?: string;
  readonly model?: string;
  /** Without user names, passwords and queries. */
  readonly url?: string;
  /** `set from NAME`, `missing NAME`, `set in the file`, `from a command`, `none needed`. */
  readonly key: string;
  readonly source: string;
  readonly description?: string;
  /** Why it cannot be used. */
  readonly problem?: string;
}

export interface EndpointList {
  readonly endpoints: readonly ListedEndpoint[];
  /** Name of the one that an ask without any other choice would use. */
  readonly chosen: string;
  readonly why: string;
  /** The rules that were looked at, in order; the last one applied. */
  readonly steps: readonly Step[];
}

/** Reads every endpoint file; one that is wrong is listed with its problem and does not hide the others. Runs no command for a key. */
export async function listEndpoints(world: EndpointWorld, warn: Warn): Promise<EndpointList> {
  const endpoints: ListedEndpoint[] = [];
  for (const name of await endpointNames(world)) endpoints.push(await listed(name, world, warn));
  const { name, why, steps } = await chooseEndpoint({}, world);
  return { endpoints, chosen: name, why, steps };
}

async function listed(name: string, world: EndpointWorld, warn: Warn): Promise<ListedEndpoint> {
  try {
    const { fields, source } = await definition(name, world, warn);
    const { backend, model, url, description } = fields;
    const problem = problemOf(backend);
    return {
      name,
      key: keyStatus(fields, world.env),
      source,
      ...(backend === undefined ? {} : { backend }),
      ...(model === undefined ? {} : { model }),
      ...(url === undefined ? {} : { url: shownUrl(url) }),
      ...(description === undefined ? {} : { description }),
      ...(problem === undefined ? {} : { problem }),
    };
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    const { at } = error;
    const source =
      typeof at === 'object' && at.file !== undefined ? `${at.file}:${at.line}` : String(at ?? '');
    return { name, key: 'unknown', source, problem: error.message };
  }
}

function problemOf(backend: string | undefined): string | undefined {
  if (backend === undefined) return 'says neither backend nor url';
  return isBackend(backend) ? undefined : `this version has no backend "${backend}"`;
}
