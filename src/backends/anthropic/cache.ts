// Marks for the provider's cache: where the part of a prompt ends that the next request has too. Pure.

import type { Endpoint } from '../../config/types.ts';
import type { Fields } from '../../json.ts';
import { cacheMark, cacheSetting, stableParts } from '../cache-setting.ts';
import { isThinking } from './blocks.ts';
import type { Turn } from './prompt.ts';

export interface Marking {
  /** The mark; undefined when the endpoint wants none. */
  readonly mark?: Fields;
  readonly warnings: readonly string[];
}

/** The mark as `cache` wants it. Hosts keep what is marked for five minutes or an hour. */
export function marking(endpoint: Endpoint): Marking {
  const setting = cacheSetting(endpoint);
  if (!setting.on) return { warnings: [] };
  const { ttl } = setting;
  if (ttl === undefined || ttl === '5m' || ttl === '1h')
    return { mark: cacheMark(setting), warnings: [] };
  const warning = `"cache" of endpoint ${endpoint.name} can be 5m or 1h, not ${ttl}; 5m is used`;
  return { mark: cacheMark({ ...setting, ttl: '5m' }), warnings: [warning] };
}

/**
 * The system text as blocks. With `cache_split` (characters) what changes stands in a block of its own; the first block carries the mark,
 * which covers the tools as well.
 */
export function systemBlocks(endpoint: Endpoint, system: string, mark?: Fields): readonly Fields[] {
  if (system === '') return [];
  return stableParts(endpoint, system).map((text, index) => ({
    type: 'text',
    text,
    ...(index === 0 && mark !== undefined ? { cache_control: mark } : {}),
  }));
}

/** The turns as messages. The last block of the user's that will stand at the same place in the next request carries the mark. */
export function markedMessages(turns: readonly Turn[], mark?: Fields): readonly Fields[] {
  const marked = mark === undefined ? undefined : lastStable(turns);
  return turns.map(({ role, pieces }) => ({
    role,
    content: pieces.map((piece) =>
      piece === marked ? { ...piece.block, cache_control: mark } : piece.block,
    ),
  }));
}

function lastStable(turns: readonly Turn[]) {
  const said = turns.filter(({ role }) => role === 'user').flatMap(({ pieces }) => pieces);
  return said.findLast(({ block, moves }) => moves !== true && !isThinking(block));
}
