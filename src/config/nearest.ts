// Known names close to one that is not known. Loads its measure only then.

/** The closest candidates, best first, at most three; none when nothing is close. */
export async function nearestNames(
  word: string,
  candidates: readonly string[],
): Promise<readonly string[]> {
  if (word === '') return [];
  const { distance } = await import('fastest-levenshtein');
  return [...new Set(candidates)]
    .map((name) => ({
      name,
      steps: stepsBetween(word.toLowerCase(), name.toLowerCase(), distance),
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
function stepsBetween(
  one: string,
  other: string,
  distance: (one: string, other: string) => number,
): number | undefined {
  const steps = distance(one, other);
  if (steps <= Math.max(1, Math.floor(Math.max(one.length, other.length) / 3))) return steps;
  if (steps === 2 && sorted(one) === sorted(other)) return steps;
  const goesOn = one.length >= 3 && (other.startsWith(one) || one.startsWith(`${other}.`));
  return goesOn ? steps : undefined;
}

const sorted = (text: string): string => [...text].sort().join('');

/** `did you mean "a" or "b"?`, or undefined. */
export async function didYouMean(
  word: string,
  candidates: readonly string[],
): Promise<string | undefined> {
  const names = await nearestNames(word, candidates);
  const shown = names.map((name) => `"${name}"`).join(' or ');
  return names.length === 0 ? undefined : `did you mean ${shown}?`;
}
