// What the file of an endpoint gets of the user's secrets. A folder that somebody else made can bring such a file along, and with it an address.

import { configFailure, type Failure } from '../errors.ts';
import { builtIn, type Definition, serviceOf } from './definitions.ts';

export interface Trust {
  /** Whether its `key_cmd` may be run. */
  readonly mayRun: boolean;
  /** Whether it may have this variable of the environment. */
  mayRead(variable: string): boolean;
  /** It stands in the place of an endpoint that is known by its name wherever one works. */
  readonly shadows: boolean;
}

/** This machine: what is sent there leaves it no more than the file that says so. */
export const LOOPBACK = /^(localhost|127(\.\d+){3}|\[::1\])$/;

/**
 * A file of the user's own, or one that the user named, has all. One that the working directory brought along runs nothing, and gets a variable only
 * when it stays on this machine or goes to the service that it belongs to. To name a built-in endpoint, or one of the user's own, is not to name the file
 * that stands in its place.
 */
export function trustIn({ foreign, shadows = false, fields }: Definition, named: boolean): Trust {
  const own = !foreign || (named && !shadows);
  const isNear = fields.url !== undefined && LOOPBACK.test(new URL(fields.url).hostname);
  return {
    mayRun: own,
    mayRead: (variable) => own || isNear || serviceOf(fields)?.key_env === variable,
    shadows,
  };
}

/** The Failure of a secret that is kept from a file of the working directory. `what` is the variable or the command. */
export function keptBack(
  what: string,
  {
    name,
    source,
    kind,
    shadows = false,
  }: {
    readonly name: string;
    readonly source: string;
    readonly kind?: string;
    readonly shadows?: boolean;
  },
): Failure {
  const called = `${kind ?? 'endpoint'} "${name}"`;
  return configFailure(
    'key-held-back',
    `${what}: the file of ${called} lies in the working directory`,
    {
      at: source,
      next:
        kind !== undefined || builtIn(name) !== undefined
          ? 'move the file to your own folder'
          : shadows
            ? 'there is one of that name in your own folder: rename the file, and choose it yourself with `-e`'
            : `choose it yourself with \`-e ${name}\`, or move the file to your own folder`,
    },
  );
}
