// Ids of tool calls as a provider takes them: valid, and unique in the whole conversation. The same conversation gives the same ids each
// time, and a conversation that went on keeps those of its beginning.

import { COMMON_NAMES, type NameRule, repaired } from './tool-names.ts';

export interface WireIds {
  /** The id on the wire of the next call with this id in the chat. To be asked once for each call, in their order. */
  call(id: string): string;
  /** That of the first call with this id that still waits for its output, which ends the wait; undefined when none waits. */
  output(id: string): string | undefined;
}

/** Ids for one translation of a conversation. Servers that count from zero in each turn repeat theirs; others refuse to see one again. */
export function wireIds(rule: NameRule = COMMON_NAMES): WireIds {
  const used = new Set<string>();
  const waiting = new Map<string, string[]>();
  return {
    call(id) {
      const base = repaired(id === '' ? 'call' : id, rule);
      let unique = base;
      for (let copy = 2; used.has(unique); copy++) unique = numbered(base, copy, rule);
      used.add(unique);
      waiting.set(id, [...(waiting.get(id) ?? []), unique]);
      return unique;
    },
    output: (id) => waiting.get(id)?.shift(),
  };
}

function numbered(base: string, copy: number, { longest }: NameRule): string {
  const ending = `_${copy}`;
  return `${base.slice(0, longest - ending.length)}${ending}`;
}
