// What an endpoint's `cache` says about the provider's prompt cache.

import type { Endpoint } from '../config/types.ts';
import { type Fields, fields, isObject, parseJson } from '../json.ts';
import { numberSetting } from './settings.ts';

export interface CacheSetting {
  /** Whether anything is marked for the cache. */
  readonly on: boolean;
  /** How long the marked part is to be kept, when it is said. */
  readonly ttl?: string;
  /** The run is named to the provider, so that its requests meet the same cache. */
  readonly session: boolean;
}

/** `false` marks nothing, a time such as `1h` is kept so long, a mapping has `ttl` and `key: session`. On unless it says otherwise. */
export function cacheSetting({ settings }: Pick<Endpoint, 'settings'>): CacheSetting {
  const { cache } = settings;
  const given: unknown = typeof cache === 'string' ? (parseJson(cache) ?? cache) : cache;
  if (isObject(given)) return fromMapping(given);
  if (given === false || given === 'off' || given === 'no') return { on: false, session: false };
  return typeof given === 'string' && /^\d+[smh]$/.test(given)
    ? { on: true, ttl: given, session: false }
    : { on: true, session: false };
}

function fromMapping(mapping: Fields): CacheSetting {
  const { ttl, key, on } = fields(mapping);
  return {
    on: on !== false,
    session: key === 'session',
    ...(typeof ttl === 'string' ? { ttl } : {}),
  };
}

/** The mark of a part that the provider is to keep. */
export function cacheMark({ ttl }: CacheSetting): Fields {
  return { type: 'ephemeral', ...(ttl === undefined || ttl === '5m' ? {} : { ttl }) };
}

/**
 * A system text as the part that stays the same, as long as `cache_split` says (in characters), and the rest; as one where either would be blank, for
 * blank parts are refused. A character of two units is not cut.
 */
export function stableParts(endpoint: Endpoint, system: string): readonly string[] {
  const split = numberSetting(endpoint, 'cache_split', 1) ?? system.length;
  const at = /^[\uDC00-\uDFFF]/.test(system.slice(split)) ? split - 1 : split;
  const parts = [system.slice(0, at), system.slice(at)];
  return parts.every((part) => part.trim() !== '') ? parts : [system];
}
