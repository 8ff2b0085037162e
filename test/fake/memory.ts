// What a fake server remembers: what it gave out and must get back, and which prompts it has read.

import { createHash } from 'node:crypto';
import type { Fields } from '../../src/json.ts';
import { greatest } from '../../src/lists.ts';
import { countTokens } from './tokens.ts';
import type { Prompt } from './types.ts';

export interface Memory {
  /** Blocks and items that were given out, by what they are known by (a signature, an id). */
  readonly issued: Map<string, unknown>;
  /** Items of stored conversations, by the id of the response they end in. */
  readonly chains: Map<string, readonly unknown[]>;
  /** Reads a prompt: how many of its tokens were in the cache, how many are now. */
  read(prompt: Prompt): { readonly cached: number; readonly written: number };
  /** How much of the prompt before is the beginning of this one. */
  compare(prompt: Prompt): Kept;
  /** Forgets the prompts, so that the next one begins a conversation. */
  startOver(): void;
  /** The body of the request before. */
  last?: Fields;
}

export interface Kept {
  /** Pieces that are the same as before, from the first on. */
  readonly same: number;
  /** Pieces of the prompt before. */
  readonly before: number;
  /** What stands where the first difference is, before and now. */
  readonly difference?: readonly [string, string | undefined];
}

export function createMemory(): Memory {
  const prefixes = new Set<string>();
  let previous: readonly string[] = [];
  return {
    issued: new Map(),
    chains: new Map(),
    read({ pieces, marks }) {
      const ends = marks ?? pieces.map((_, index) => index + 1);
      const last = greatest(ends);
      const digests = prefixDigests(pieces.slice(0, last));
      let hit = last;
      while (hit > 0 && !prefixes.has(digests[hit] ?? '')) hit--;
      for (const end of ends) prefixes.add(digests[end] ?? '');
      const cached = countTokens(pieces.slice(0, hit));
      return { cached, written: countTokens(pieces.slice(hit, last)) };
    },
    compare({ pieces }) {
      const before = previous;
      previous = pieces;
      const at = before.findIndex((piece, index) => piece !== pieces[index]);
      if (at === -1) return { same: before.length, before: before.length };
      return { same: at, before: before.length, difference: [before[at] ?? '', pieces[at]] };
    },
    startOver() {
      previous = [];
    },
  };
}

/** For each number of pieces a digest of those: long prompts have many beginnings, and each is looked up. */
function prefixDigests(pieces: readonly string[]): readonly string[] {
  const digests = [''];
  for (const piece of pieces)
    digests.push(
      createHash('sha256')
        .update(JSON.stringify([digests.at(-1), piece]))
        .digest('base64'),
    );
  return digests;
}
