// Turns text of unknown origin (models, tools, names, servers) into text that a terminal only shows: nothing in it
// can move the cursor, set a title, write the clipboard or reorder what is read. For terminals only: files keep their bytes.

// C0 but tab and line feed, DEL, C1; line and paragraph separators; embeddings, overrides and isolates of writing direction.
const HARMFUL = /[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u206f]/g;
const HARMFUL_OR_LINE_END = /[\x00-\x08\x0a-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u206f]/g;
const CARRIAGE_RETURN_PAIR = /\r\n/g;

/**
 * The text with every control character made visible: `␛` for escape, `␍` for a lone carriage return, `<U+202E>` where
 * Unicode has no picture. Tabs stay. Line ends are shown as `␊` too (a name or a message of one line cannot forge a
 * second one), unless `keepLineEnds` is set: then LF stays and CR LF becomes LF.
 */
export function neutralise(text: string, { keepLineEnds = false } = {}): string {
  if (!keepLineEnds) return text.replace(HARMFUL_OR_LINE_END, picture);
  return text.replace(CARRIAGE_RETURN_PAIR, '\n').replace(HARMFUL, picture);
}

/** Text for a stream: its exact bytes in a pipe, nothing that would be obeyed on a terminal. */
export function asShown(text: string, { terminal }: { readonly terminal: boolean }): string {
  return terminal ? neutralise(text, { keepLineEnds: true }) : text;
}

/**
 * A value as JSON in which no character is left that a terminal would obey. It says the same as any other JSON of the value, but for
 * halves of characters: many readers of JSON refuse them, and they become U+FFFD, as in files.
 */
export function harmlessJson(value: unknown, indent?: number): string {
  const json = JSON.stringify(value, null, indent);
  const whole = json.includes('\\ud') ? json.replace(ESCAPED_HALF, halfReplaced) : json;
  return whole.replace(HARMFUL, escaped);
}

/** JSON.stringify escapes a half that stands alone, and no pair. A backslash that is text comes as two and is passed over. */
const ESCAPED_HALF = /\\\\|\\ud[89a-f][0-9a-f]{2}/g;
const halfReplaced = (found: string): string => (found === '\\\\' ? found : '\uFFFD');

/** The same for text that arrives in pieces. */
export interface NeutralStream {
  /** What may be shown of the text so far. A carriage return or half a character at the end waits for the next piece. */
  push(piece: string): string;
  /** What was still waiting. */
  end(): string;
}

/** `neutralise` with line ends kept, for pieces cut anywhere: the joined output does not depend on the cuts. */
export function neutralStream(): NeutralStream {
  let waiting = '';
  return {
    push(piece) {
      const text = waiting + piece;
      const cut = isIncomplete(text.charCodeAt(text.length - 1)) ? text.length - 1 : text.length;
      waiting = text.slice(cut);
      return neutralise(text.slice(0, cut), { keepLineEnds: true });
    },
    end() {
      const rest = neutralise(waiting, { keepLineEnds: true });
      waiting = '';
      return rest;
    },
  };
}

function isIncomplete(unit: number): boolean {
  return unit === 0x0d || (unit >= 0xd800 && unit <= 0xdbff);
}

const escaped = (unit: string): string => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;

function picture(character: string): string {
  const code = character.charCodeAt(0);
  if (code < 0x20) return String.fromCharCode(0x2400 + code);
  if (code === 0x7f) return '\u2421';
  return `<U+${code.toString(16).toUpperCase().padStart(4, '0')}>`;
}
