// From a command line to the row of the table that it names. Reads only the words of the path and the global options
// between them; everything else is left for the command's own parser.

import { GLOBAL_OPTIONS } from './globals.ts';
import type { CommandRow } from './spec.ts';

export interface Route {
  /** Undefined when the words name no command. */
  readonly row: CommandRow | undefined;
  /** The arguments without the words of the path. */
  readonly rest: readonly string[];
  /** The first words that are not options, as many as the longest path has. */
  readonly words: readonly string[];
}

/** Finds the longest path that the command line begins with; global options may stand before and between its words. */
export function route(argv: readonly string[], rows: readonly CommandRow[]): Route {
  const places = wordPlaces(argv, Math.max(...rows.map(({ path }) => path.length)));
  const words = places.map((place) => argv[place] ?? '');
  const row = rows
    .filter(({ path }) => path.every((word, index) => words[index] === word))
    .sort((one, other) => other.path.length - one.path.length)[0];
  if (row === undefined) return nameFirst(argv, rows) ?? { row, rest: argv, words };
  const taken = new Set(places.slice(0, row.path.length));
  return { row, rest: argv.filter((_, index) => !taken.has(index)), words };
}

/** `kb NAME list` for `kb list NAME`, where a command allows that. */
function nameFirst(argv: readonly string[], rows: readonly CommandRow[]): Route | undefined {
  const [first = -1, second = -1, third = -1] = wordPlaces(argv, 3);
  const path = [argv[first] ?? '', argv[third] ?? ''];
  const row = rows.find(
    (each) => each.nameFirst === true && each.path.every((word, index) => word === path[index]),
  );
  if (row === undefined) return undefined;
  const rest = argv.filter((_, index) => index !== first && index !== third);
  return { row, rest, words: [argv[first] ?? '', argv[second] ?? ''] };
}

function wordPlaces(argv: readonly string[], limit: number): readonly number[] {
  const places: number[] = [];
  for (let index = 0; index < argv.length && places.length < limit; index++) {
    const argument = argv[index] ?? '';
    if (!argument.startsWith('-') || argument === '-') {
      places.push(index);
      continue;
    }
    const option = GLOBAL_OPTIONS.find(
      ({ long, short }) =>
        argument === `-${short}` || argument === `--${long}` || argument.startsWith(`--${long}=`),
    );
    if (option === undefined) break;
    if (option.value !== undefined && !argument.includes('=')) index++;
  }
  return places;
}
