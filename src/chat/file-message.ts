// How the text of a file is shown to a model: in a tag that says its name.

import type { Message } from '../types.ts';

/** The user message that holds a file's text as it is, in `<file name="…">`. */
export function fileMessage(name: string, text: string, from: Pick<Message, 'origin'>): Message {
  return {
    role: 'user',
    content: `<file name="${attribute(name)}">\n${text}\n</file>`,
    ...(from.origin === undefined ? {} : { origin: from.origin }),
  };
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '"': '&quot;',
  '<': '&lt;',
  '>': '&gt;',
};

/** A name as the value of an attribute: it can end neither the value nor the line it stands on. */
function attribute(name: string): string {
  return name.replace(
    /[&"<>\x00-\x1f\x7f-\x9f\u2028\u2029]/g,
    (character) => ENTITIES[character] ?? `&#${character.charCodeAt(0)};`,
  );
}
