// Pieces of text, cut anywhere, into pieces that each hold whole characters: some servers cut an emoji in two, and the halves, written one
// by one, are no text any more.

/** Text on its way to somebody who takes it piece by piece. */
export interface WholeText {
  /** What may be told of the text so far. Half a character at the end waits for the next piece. */
  push(piece: string): string;
  /** What was still waiting. */
  end(): string;
}

/** Joined, the pieces are what was pushed, with U+FFFD for each half that stands alone, as a file in UTF-8 has it. */
export function wholeText(): WholeText {
  let waiting = '';
  return {
    push(piece) {
      const text = waiting + piece;
      waiting = FIRST_HALF.exec(text)?.[0] ?? '';
      return text.slice(0, text.length - waiting.length).replace(HALVES, '\uFFFD');
    },
    end() {
      const rest = waiting.replace(HALVES, '\uFFFD');
      waiting = '';
      return rest;
    },
  };
}

const FIRST_HALF = /[\uD800-\uDBFF]$/;
const HALVES = /\p{Surrogate}/gu;
