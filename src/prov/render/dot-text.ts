// Texts of any origin as attribute values of DOT, so that Graphviz shows them exactly: no quote, backslash, entity or bracket in them means anything.

/** For labels. A line end in it begins a new line. */
export function dotLabel(text: string): string {
  return withoutMarkup(text).replaceAll('\\', '\\\\').replaceAll('\n', '\\n');
}

/** For tooltips, in which Graphviz resolves backslashes twice. */
export function dotTooltip(text: string): string {
  return withoutMarkup(text).replaceAll('\\', '\\\\\\\\').replaceAll('\n', '&#10;');
}

const LINE_END = /\r\n|[\n\r\u2028\u2029]/g;
// What XML cannot hold, what a terminal would obey, and what reorders the letters around it.
const HARMFUL =
  /[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u206f\ufffe\uffff]|\p{Surrogate}/gu;

/** One line of text, harmless wherever it is shown: line ends become `↵`, other characters without a shape `�`. */
export const dotLine = (text: string): string =>
  text.replace(LINE_END, '↵').replace(HARMFUL, '\ufffd');

/** For texts in HTML labels. Graphviz replaces entities in all texts, and what begins and ends with angle brackets would be HTML to what writes the DOT. */
export function withoutMarkup(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('"', '&quot;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;');
}
