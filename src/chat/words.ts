// Words as a shell splits them, and `key=value` among them. Nothing is expanded.

import { shellQuoted, usageFailure } from '../errors.ts';

/** Splits at white space outside quotes. `'…'` is literal; in `"…"` and outside, a backslash makes the next character literal. An open quote is a usage Failure. */
export function splitWords(text: string): readonly string[] {
  const words: string[] = [];
  let word: string | undefined;
  let quote = '';
  for (let index = 0; index < text.length; index++) {
    const character = text.charAt(index);
    if (quote === "'" ? character !== "'" : character === '\\') {
      const literal = quote === "'" ? character : text.charAt(++index);
      // In double quotes a backslash is itself unless what follows would mean something.
      const kept = quote === '"' && !/["\\$`\n]/.test(literal) ? `\\${literal}` : literal;
      word = (word ?? '') + kept;
    } else if (character === quote) quote = '';
    else if (quote !== '') word = (word ?? '') + character;
    else if (character === "'" || character === '"') {
      quote = character;
      word ??= '';
    } else if (/[ \t\r\n\f\v]/.test(character)) {
      if (word !== undefined) words.push(word);
      word = undefined;
    } else word = (word ?? '') + character;
  }
  if (quote !== '')
    throw usageFailure('open-quote', `a quote is not closed: ${text.slice(0, 80)}`, {
      next: `add the closing ${quote}`,
    });
  return word === undefined ? words : [...words, word];
}

/** The words as one text that `splitWords` splits into them again. */
export function joinWords(words: readonly string[]): string {
  return words.map(shellQuoted).join(' ');
}

/** Words without `=` in order, and the `key=value` ones. A key is a name; `a/b=c` is a plain word. */
export function keysAndWords(words: readonly string[]): {
  readonly plain: readonly string[];
  readonly pairs: readonly (readonly [string, string])[];
} {
  const plain: string[] = [];
  const pairs: (readonly [string, string])[] = [];
  for (const word of words) {
    const [, key, value] = /^([A-Za-z_][\w-]*)=([\s\S]*)$/.exec(word) ?? [];
    if (key === undefined || value === undefined) plain.push(word);
    else pairs.push([key, value]);
  }
  return { plain, pairs };
}
