// White space as the chat format means it: space, tab, LF, VT, FF and CR. Other Unicode spaces are text, so the
// built-in trim and \s are never used on chat text.

/** Whether a UTF-16 code unit is white space of the format. */
export function isWhite(code: number): boolean {
  return code === 32 || (code >= 9 && code <= 13);
}

/** Offset of the first code unit in [start, end) that is not white space, or `end`. */
export function skipWhite(text: string, start: number, end: number): number {
  let at = start;
  while (at < end && isWhite(text.charCodeAt(at))) at++;
  return at;
}

/** Offset behind the last code unit in [start, end) that is not white space, or `start`. */
export function skipWhiteBack(text: string, start: number, end: number): number {
  let at = end;
  while (at > start && isWhite(text.charCodeAt(at - 1))) at--;
  return at;
}

/** The text between two offsets without white space at its ends. */
export function trimmed(text: string, start = 0, end = text.length): string {
  const from = skipWhite(text, start, end);
  return text.slice(from, skipWhiteBack(text, from, end));
}
