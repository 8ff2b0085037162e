// JSON that others wrote, read so that what was read can be walked and written again. Pure.

/** How deep values may stand inside each other. What people and programs write stays far below; the stack of this program ends far above. */
const DEEPEST = 500;

/**
 * As `JSON.parse`, and throws a SyntaxError as well when values are nested deeper than 500: a few kilobytes of brackets must not exhaust the
 * stack of whoever walks or writes the value later.
 */
export function parsedJson(text: string): unknown {
  const value: unknown = JSON.parse(text);
  if (text.length > 2 * DEEPEST && isDeep(text))
    throw new SyntaxError(`it is nested more than ${DEEPEST} deep`);
  return value;
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/** Whether valid JSON is nested too deep. */
function isDeep(text: string): boolean {
  let depth = 0;
  let inText = false;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) inText = !inText;
    else if (inText) {
      if (code === BACKSLASH) at += 1;
    } else if (code === 0x5b || code === 0x7b) {
      depth += 1;
      if (depth > DEEPEST) return true;
    } else if (code === 0x5d || code === 0x7d) depth -= 1;
  }
  return false;
}
