// What is wrong with a definition, before it is known in which file and line that stands.

import { configFailure } from '../errors.ts';
import { didYouMean } from '../nearest.ts';
import type { Origin } from '../types.ts';

/** What to do next in words, or a name that was probably one of some others. */
export type Advice = string | { readonly word: string; readonly among: readonly string[] };

/** Thrown while a definition is read. `path` leads to the place: ['tasks', 'bake', 'run']. */
export class DefinitionProblem extends Error {
  readonly path: readonly string[];
  readonly advice: Advice | undefined;

  constructor(path: readonly string[], message: string, advice?: Advice) {
    super(message);
    this.name = 'DefinitionProblem';
    this.path = path;
    this.advice = advice;
  }
}

/** A configuration Failure (exit 3) for a problem whose place is known; any other error as it is. */
export async function located(
  error: unknown,
  placeOf: (path: readonly string[]) => Origin,
): Promise<unknown> {
  if (!(error instanceof DefinitionProblem)) return error;
  const { advice } = error;
  const next = typeof advice === 'object' ? await suggest(advice) : advice;
  return configFailure('bad-workflow', error.message, {
    at: placeOf(error.path),
    ...(next === undefined ? {} : { next }),
  });
}

async function suggest({ word, among }: Exclude<Advice, string>): Promise<string> {
  const near = await didYouMean(word, among);
  return near ?? (among.length === 0 ? 'there are none' : `there are: ${among.join(', ')}`);
}

/** Names become folders, tool parameters and words of a chat line. */
export function checkName(what: 'task' | 'input', name: string, path: readonly string[]): void {
  if (/^(?!__)[\p{L}_][\p{L}\p{N}_-]*$/u.test(name) && name.length <= 100) return;
  throw new DefinitionProblem(
    path,
    `a name of ${what === 'task' ? 'a task' : 'an input'} has letters, digits, _ and -, and begins with a letter, unlike ${JSON.stringify(name)}`,
  );
}

/** What a value is, in words. */
export function kindOf(value: unknown): string {
  if (value === null) return 'nothing';
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'object') return 'a mapping';
  if (typeof value === 'function') return 'a function';
  return value === undefined ? 'nothing' : JSON.stringify(value).slice(0, 80);
}

/** Throws a DefinitionProblem for a key that has no meaning there: a slip would otherwise be lost without a word. */
export function checkKeys(
  mapping: Readonly<Record<string, unknown>>,
  known: readonly string[],
  path: readonly string[],
): void {
  const unknown = Object.keys(mapping).find((key) => !known.includes(key));
  if (unknown === undefined) return;
  throw new DefinitionProblem([...path, unknown], `the key "${unknown}" has no meaning here`, {
    word: unknown,
    among: known,
  });
}
