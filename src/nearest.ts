// Known names close to one that is not known.

import { distance } from 'fastest-levenshtein';

/** The closest candidates, best first, at most three; none when nothing is close. */
export function nearestNames(word: string, candidates: readonly string[]): readonly string[] {
  if (word === '') return [];
  return [...new Set(candidates)]
    .map((name) => ({
      name,
      steps: stepsBetween(word.toLowerCase(), name.toLowerCase()),
    }))
    .filter(({ steps }) => steps !== undefined)
    .sort((a, b) => (a.steps ?? 0) - (b.steps ?? 0))
    .slice(0, 3)
    .map(({ name }) => name);
}

/**
 * How far two words are apart; undefined when that is too far. A third of the letters may differ, two letters may have changed
 * places, and a name that only goes on (or had an extension too many) is close too.
 */
function stepsBetween(one: string, other: string): number | undefined {
  const steps = distance(one, other);
  if (steps <= Math.max(1, Math.floor(Math.max(one.length, other.length) / 3))) return steps;
  if (steps === 2 && sorted(one) === sorted(other)) return steps;
  const goesOn = one.length >= 3 && (other.startsWith(one) || one.startsWith(`${other}.`));
  return goesOn ? steps : undefined;
}

const sorted = (text: string): string => [...text].sort().join('');

/** `did you mean "a" or "b"?`, or undefined. */
export function didYouMean(word: string, candidates: readonly string[]): string | undefined {
  const names = nearestNames(word, candidates);
  const shown = names.map((name) => `"${name}"`).join(' or ');
  return names.length === 0 ? undefined : `did you mean ${shown}?`;
}
