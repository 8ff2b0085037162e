// Answer text as it arrives, for a pipe: exactly the text that is stored, and one line end.

/** White space that is stored neither at the start nor at the end of a message. */
const isSpace = (code: number): boolean => code === 32 || (code >= 9 && code <= 13);

export interface PlainText {
  /** What may be shown now of what has arrived. */
  push(text: string): string;
  /** The line end of a text that had anything in it. */
  end(): string;
}

/** Leading white space is dropped, white space at the end is held back until more text follows. */
export function plainText(): PlainText {
  let started = false;
  let held = '';
  return {
    push(text) {
      let start = 0;
      if (!started) {
        while (start < text.length && isSpace(text.charCodeAt(start))) start++;
        if (start === text.length) return '';
        started = true;
      }
      let end = text.length;
      while (end > start && isSpace(text.charCodeAt(end - 1))) end--;
      if (end === start) {
        held += text.slice(start);
        return '';
      }
      const ready = held + text.slice(start, end);
      held = text.slice(end);
      return ready;
    },
    end: () => (started ? '\n' : ''),
  };
}

/**
 * After a stream broke and the round started again, text arrives a second time. What was shown cannot be taken back from a pipe:
 * as long as the new text repeats it, nothing is shown; where it differs, it starts again on a new line.
 */
export function afterRestart(shown: string): { push(text: string): string } {
  let arrived = '';
  let diverged = shown === '';
  return {
    push(text) {
      if (diverged) return text;
      arrived += text;
      if (arrived.length < shown.length && shown.startsWith(arrived)) return '';
      diverged = true;
      return arrived.startsWith(shown) ? arrived.slice(shown.length) : `\n${arrived}`;
    },
  };
}
