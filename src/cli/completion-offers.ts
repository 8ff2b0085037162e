// What completion knows about the command line: what may stand where. Read from the command literals.

import { allOptions } from './globals.ts';
import type { ArgumentSpec, CommandSpec, OptionSpec } from './spec.ts';

export const SHELLS = ['bash', 'zsh', 'fish'] as const;
export type Shell = (typeof SHELLS)[number];

/** What a script asks the program for, because it is not known when the script is made. */
export const LISTED = ['endpoint', 'model', 'agent', 'workflow', 'knowledge'] as const;
export type Listed = (typeof LISTED)[number];

/** What stands in a place: one of a few words, a name that the program lists, a chat file, any file, a folder, or free text. */
export type Offer =
  | { readonly kind: 'words'; readonly words: readonly string[] }
  | { readonly kind: 'listed'; readonly what: Listed }
  | { readonly kind: 'chat' | 'file' | 'folder' | 'nothing' };

/** The offer for the value of an option. */
export function optionOffer(option: OptionSpec): Offer {
  return offer(option);
}

/** The offers for the arguments of a command, in their order. A file that is an argument is a chat: those come first. */
export function argumentOffers(spec: CommandSpec): readonly Offer[] {
  return spec.arguments.map((argument) =>
    argument.complete === 'file' ? { kind: 'chat' } : offer(argument),
  );
}

/** Whether the last argument may be given again and again. */
export function repeatsLast(spec: CommandSpec): boolean {
  return spec.arguments.at(-1)?.repeat === true;
}

/** Every way to write an option. */
export function spellings({ long, short }: OptionSpec): readonly string[] {
  return short === undefined ? [`--${long}`] : [`--${long}`, `-${short}`];
}

/** The options of a command behind which a word is a value, and no argument. */
export function valueSpellings({ options }: Pick<CommandSpec, 'options'>): readonly string[] {
  return allOptions(options)
    .filter(({ value }) => value !== undefined)
    .flatMap(spellings);
}

function offer({
  choices,
  offers,
  complete,
}: Pick<OptionSpec | ArgumentSpec, 'choices' | 'offers' | 'complete'>): Offer {
  const words = choices ?? offers;
  if (words !== undefined) return { kind: 'words', words };
  const what = LISTED.find((each) => each === complete);
  if (what !== undefined) return { kind: 'listed', what };
  if (complete === 'path') return { kind: 'file' };
  return { kind: complete === 'file' || complete === 'folder' ? complete : 'nothing' };
}

/** Programs that are short for a command of the same name. */
export const SHORT_FORMS = ['agent', 'prov'] as const;

/** A step on the way to a command: `''` and `endpoint` with what may follow, `ask` with nothing. */
export interface Step {
  readonly words: string;
  readonly next: readonly { readonly word: string; readonly summary: string }[];
}

/** Words of commands that are short for something. */
const SPELLED: Readonly<Record<string, string>> = { kb: 'knowledge bases' };

/** Every step that is not a command itself, the empty one first. */
export function steps(specs: readonly CommandSpec[]): readonly Step[] {
  const groups = new Map<string, Map<string, string>>([['', new Map()]]);
  for (const { path, summary } of specs)
    for (const [depth, word] of path.entries()) {
      const words = path.slice(0, depth).join(' ');
      const next = groups.get(words) ?? new Map<string, string>();
      const last = depth === path.length - 1;
      if (last || !next.has(word))
        next.set(word, last ? summary : `Commands about ${SPELLED[word] ?? `${word}s`}`);
      groups.set(words, next);
    }
  return [...groups].map(([words, next]) => ({
    words,
    next: [...next].map(([word, text]) => ({ word, summary: text })),
  }));
}

/** Every beginning of a command: `ask`, `endpoint`, `endpoint list`. */
export function beginnings(specs: readonly CommandSpec[]): readonly string[] {
  return [
    ...new Set(
      specs.flatMap(({ path }) => path.map((_, depth) => path.slice(0, depth + 1).join(' '))),
    ),
  ];
}
