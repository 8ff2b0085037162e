// Reads the YAML that most endpoint files are, `key: word` a line, without the YAML reader, whose loading and first use take
// a quarter of the time until a request leaves. Whatever is not plainly that is left to the reader.

import type { YamlFile } from './yaml-file.ts';

const LINE = /^([a-z][a-z_]*): +(\S+)[ \t]*$/;
/** A word that YAML takes as text: it begins with a letter and holds no character that could mean something. */
const WORD = /^[A-Za-z][A-Za-z0-9_./-]*$/;
const ADDRESS = /^https?:\/\/[A-Za-z0-9_.~%/-]+(?::\d{1,5}(?:\/[A-Za-z0-9_.~%/-]*)?)?$/;
const NUMBER = /^(?:0|[1-9]\d{0,14})(?:\.\d{1,14})?$/;
/** Words that are no text in some version of YAML. */
const SPECIAL = /^(?:true|false|null|yes|no|on|off|y|n)$/i;

/** The mapping of a text of which every line is empty, a comment, or `key: value` with a plain word, number or address; else undefined. */
export function readFlatYaml(source: string): YamlFile | undefined {
  const values: Record<string, unknown> = {};
  const places = new Map<string, number>();
  for (const [index, line] of source.split('\n').entries()) {
    if (line === '' || /^#[ -~]*$/.test(line)) continue;
    const [, key, text] = LINE.exec(line) ?? [];
    if (key === undefined || text === undefined || places.has(key) || SPECIAL.test(key))
      return undefined;
    const value = scalar(text);
    if (value === undefined) return undefined;
    values[key] = value;
    places.set(key, index + 1);
  }
  if (places.size === 0) return undefined;
  return { values, lineOf: (key) => places.get(key) ?? 1 };
}

function scalar(text: string): string | number | undefined {
  if (NUMBER.test(text)) return Number(text);
  if (ADDRESS.test(text)) return text;
  return WORD.test(text) && !SPECIAL.test(text) ? text : undefined;
}
