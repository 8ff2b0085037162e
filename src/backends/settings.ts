// Settings of an endpoint as the types that a backend needs. Settings from a chat or a command line are text, those of a file are typed.

import type { Endpoint } from '../config/types.ts';
import { configFailure } from '../errors.ts';

/** A number from `least` on; undefined when it is not set. Throws a Failure (exit 3) that names the setting. */
export function numberSetting(endpoint: Endpoint, name: string, least = 0): number | undefined {
  const value = endpoint.settings[name];
  if (value === undefined || value === null || value === '') return undefined;
  const number = typeof value === 'string' ? Number(value) : value;
  if (typeof number === 'number' && Number.isFinite(number) && number >= least) return number;
  throw badSetting(endpoint, name, `a number from ${least} on`, value);
}

/** `true`, `false` and the words for them; undefined when it is not set. */
export function flagSetting(endpoint: Endpoint, name: string): boolean | undefined {
  const value = endpoint.settings[name];
  if (value === undefined || value === null || value === '') return undefined;
  if (value === true || value === 'true' || value === 'yes' || value === 'on') return true;
  if (value === false || value === 'false' || value === 'no' || value === 'off') return false;
  throw badSetting(endpoint, name, 'true or false', value);
}

/** A text, undefined when it is not set or empty. */
export function textSetting(endpoint: Endpoint, name: string): string | undefined {
  const value = endpoint.settings[name];
  if (value === undefined || value === null || value === '') return undefined;
  if (typeof value === 'string') return value;
  throw badSetting(endpoint, name, 'a text', value);
}

/** One of these words. */
export function choiceSetting<Word extends string>(
  endpoint: Endpoint,
  name: string,
  words: readonly Word[],
): Word | undefined {
  const value = textSetting(endpoint, name);
  const found = words.find((word) => word === value);
  if (value === undefined || found !== undefined) return found;
  throw badSetting(endpoint, name, `one of ${words.join(', ')}`, value);
}

/** For backends whose protocol has no search of the provider's own: the warning when one is asked for. */
export function searchWarning(endpoint: Endpoint): readonly string[] {
  return flagSetting(endpoint, 'websearch') === true
    ? ['"websearch" has no effect: this backend asks for no search']
    : [];
}

function badSetting(endpoint: Endpoint, name: string, expected: string, value: unknown) {
  return configFailure(
    'bad-setting',
    `"${name}" must be ${expected}, not ${JSON.stringify(value)}`,
    {
      at: `endpoint ${endpoint.name} (${endpoint.source})`,
      facts: { kind: 'configuration' },
    },
  );
}
