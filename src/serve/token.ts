// The token that clients over HTTP have to know: given by the environment, or made for this run.

import { randomBytes } from 'node:crypto';
import { secret } from '../config/secret.ts';
import type { Secret } from '../config/types.ts';
import { configFailure } from '../errors.ts';
import type { Environment } from '../world/types/world.ts';

/** What can stand after `Authorization: Bearer`. */
const SENDABLE = /^[\w.~+/-]+=*$/;
const SHORTEST = 16;

/** The token in the variable of that name. Throws a configuration Failure when it is not there, or is none that protects. */
export function tokenFrom(name: string, env: Environment): Secret {
  const value = env[name] ?? '';
  const fail = (what: string) =>
    configFailure('bad-token', `the variable ${name} ${what}`, {
      at: '--token-env',
      next: `set it to at least ${SHORTEST} letters, digits or -._~+/, as \`openssl rand -hex 32\` prints`,
    });
  if (value === '') throw fail('is not set');
  if (value.length < SHORTEST) throw fail('holds a token that is too short');
  if (!SENDABLE.test(value)) throw fail('holds characters that no token may have');
  return secret(value);
}

export const newToken = (): Secret => secret(randomBytes(32).toString('base64url'));
