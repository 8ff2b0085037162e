// JSON that others wrote, read so that what was read can be walked and written again, without trusting any field to be there. Pure.

/** How deep values may stand inside each other. What people and programs write stays far below; the stack of this program ends far above. */
export const DEEPEST = 500;

/**
 * As `JSON.parse`, and throws a SyntaxError as well when values are nested deeper than 500: a few kilobytes of brackets must not exhaust the
 * stack of whoever walks or writes the value later.
 */
export function parsedJson(text: string): unknown {
  const value: unknown = JSON.parse(text);
  if (isDeepJson(text)) throw new SyntaxError(`it is nested more than ${DEEPEST} deep`);
  return value;
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/** Whether valid JSON is nested too deep. */
export function isDeepJson(text: string): boolean {
  if (text.length <= 2 * DEEPEST) return false;
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

/** The value; throws a SyntaxError when it is nested too deep, or holds itself, as an alias of YAML makes it. */
export function bounded(value: unknown): unknown {
  if (isDeepValue(value)) throw new SyntaxError(`it is nested more than ${DEEPEST} deep`);
  return value;
}

/** The same of a value, for which one that holds itself is too deep as well. Takes time in proportion to the value, or to the limit. */
export function isDeepValue(value: unknown, above = 0): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (above >= DEEPEST) return true;
  return Object.values(value).some((each) => isDeepValue(each, above + 1));
}

export type Fields = Readonly<Record<string, unknown>>;

/** The value as an object with fields; an empty one when it is anything else. */
export function fields(value: unknown): Fields {
  return isObject(value) ? value : {};
}

export function isObject(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Values by name that inherit nothing: what is called `constructor` or `toString` has the value that it was given, or none. */
export function plainRecord(
  values: Iterable<readonly [string, unknown]> = [],
): Record<string, unknown> {
  const plain: Record<string, unknown> = Object.create(null);
  for (const [name, value] of values) plain[name] = value;
  return plain;
}

/** The value when it is a text with something in it. */
export function text(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** The value as an array, an empty one when it is none. */
export function list(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** The object that a text is the JSON of; undefined when it is the JSON of something else, or none. */
export function objectIn(text: string): Fields | undefined {
  const value = parseJson(text);
  return isObject(value) ? value : undefined;
}

/** The parsed text, undefined when it is not JSON. (No JSON text parses to undefined.) */
export function parseJson(source: string): unknown {
  try {
    return parsedJson(source);
  } catch {
    return undefined;
  }
}
