// All endpoints as a list for people: what each is, where it comes from, whether its key is there, and which one would be used.

import { Failure } from '../errors.ts';
import type { Warn } from '../types.ts';
import { chooseEndpoint, isBackend, type Step } from './choice.ts';
import { type Definition, definition, endpointNames } from './definitions.ts';
import type { EndpointWorld } from './endpoints.ts';
import { keyStatus, variableOf } from './key.ts';
import { shownUrl } from './shown-url.ts';
import { keptBack, trustIn } from './trust.ts';

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
  const { name: chosen, named, why, steps } = await chooseEndpoint({}, world);
  const endpoints: ListedEndpoint[] = [];
  for (const name of await endpointNames(world))
    endpoints.push(await listed(name, name !== chosen || named, world, warn));
  return { endpoints, chosen, why, steps };
}

/** `named`: whether it is asked only by those who name it. */
async function listed(
  name: string,
  named: boolean,
  world: EndpointWorld,
  warn: Warn,
): Promise<ListedEndpoint> {
  try {
    const found = await definition(name, world, warn);
    const { fields, source } = found;
    const { backend, model, url, description } = fields;
    const problem = problemOf(backend) ?? keptFrom(found, named);
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

/** That a secret is kept from a file of the working directory, in words. */
function keptFrom(found: Definition, named: boolean): string | undefined {
  const { fields } = found;
  const trust = trustIn(found, named);
  const variable = variableOf(fields);
  if (variable !== undefined && !trust.mayRead(variable))
    return keptBack(`${variable} is not sent`, found).message;
  const isKept = fields.key_cmd !== undefined && !trust.mayRun;
  return isKept ? keptBack('key_cmd is not run', found).message : undefined;
}

function problemOf(backend: string | undefined): string | undefined {
  if (backend === undefined) return 'says neither backend nor url';
  return isBackend(backend) ? undefined : `there is no backend "${backend}"`;
}
