// The known name that a mistyped one probably meant. Loaded only when something is wrong.

import { closest, distance } from 'fastest-levenshtein';

/** The candidate that is closest to the word, undefined when none is close: a third of the letters may differ, or it is how one begins. */
export function nearest(word: string, candidates: readonly string[]): string | undefined {
  if (word === '' || candidates.length === 0) return undefined;
  const lower = word.toLowerCase();
  const found = closest(lower, [...candidates]);
  const allowed = Math.max(1, Math.floor(Math.max(lower.length, found.length) / 3));
  if (distance(lower, found) <= allowed || sameLetters(lower, found)) return found;
  return lower.length < 3 ? undefined : candidates.find((name) => name.startsWith(lower));
}

/** `did you mean "ask"?`, with what stands around the name, or undefined. */
export function didYouMean(
  word: string,
  candidates: readonly string[],
  show: (name: string) => string = (name) => name,
): string | undefined {
  const found = nearest(word, candidates);
  return found === undefined ? undefined : `did you mean "${show(found)}"?`;
}

/** Two letters in the wrong order count as one slip. */
function sameLetters(one: string, other: string): boolean {
  const sorted = (text: string) => [...text].sort().join('');
  return distance(one, other) <= 2 && sorted(one) === sorted(other);
}
